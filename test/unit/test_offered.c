/* SPDX-License-Identifier: MIT */
/* test_offered.c - what libdw opens while a file is offered to it. */
#include "modules/module_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"

/* As a library calls it, whatever the compiler knows of it. */
static int (*volatile open_as_libdw)(const char *path, int flags, ...) = open;

static bool opens(const char *path, int expected)
{
	const int fd = open_as_libdw(path, O_RDONLY);
	struct stat its, others;
	const bool is_same = fd >= 0 && fd != expected && fstat(fd, &its) == 0 &&
			     fstat(expected, &others) == 0 && its.st_ino == others.st_ino;

	if (fd >= 0)
		close(fd);
	return is_same;
}

static bool is_missing(const char *path)
{
	errno = 0;
	return open_as_libdw(path, O_RDONLY | O_CLOEXEC) == -1 && errno == ENOENT;
}

TEST(what_is_offered_is_opened_by_any_name_that_ends_so)
{
	const int half = memfd_create("half", MFD_CLOEXEC);

	offer_file(half, "elsewhere/unit.dwo");
	CHECK(opens("/any/folder/unit.dwo", half));
	CHECK(opens("unit.dwo", half));
	offer_file(-1, NULL);
	CHECK(is_missing("/any/folder/unit.dwo"));
	close(half);
}

/* libdw, from 0.191 on, looks for a package beside the program first. */
TEST(no_other_file_is_there_while_one_is_offered)
{
	const int half = memfd_create("half", MFD_CLOEXEC);
	const int package = open("test_offered.dwp", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	CHECK(opens("test_offered.dwp", package));
	offer_file(half, "elsewhere/unit.dwo");
	CHECK(is_missing("test_offered.dwp"));
	CHECK(is_missing("./test_offered.dwp"));
	CHECK(is_missing("/proc/self/exe"));
	offer_file(-1, NULL);
	CHECK(opens("test_offered.dwp", package));
	unlink("test_offered.dwp");
	close(package);
	close(half);
}

RUN(what_is_offered_is_opened_by_any_name_that_ends_so,
    no_other_file_is_there_while_one_is_offered)
