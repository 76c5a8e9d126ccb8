/* SPDX-License-Identifier: MIT */
/* test_append.c - reports that are put behind others in a file. */
#include "crash/files/append.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/os/clock.h"
#include "support/check.h"

static char path[] = "/tmp/whocallme-append-XXXXXX";

static uint64_t soon(void)
{
	return wcm__clock_ns() + 100000000;
}

/* The file has TEXT in it, and nothing else. */
static void make_file(const char *text)
{
	int fd;

	strcpy(strrchr(path, '-') + 1, "XXXXXX");
	fd = mkstemp(path);
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void check_file(const char *text)
{
	char found[1 << 16] = "";
	int fd = open(path, O_RDONLY);
	ssize_t size = read(fd, found, sizeof(found) - 1);

	CHECK(size >= 0);
	CHECK_EQ((size_t)size, strlen(text));
	CHECK_EQ(strcmp(found, text), 0);
	close(fd);
	unlink(path);
}

static int append_open(void)
{
	return wcm__append_open(open(path, O_RDWR | O_APPEND | O_CLOEXEC), soon());
}

static int begin(const char *text)
{
	int fd = append_open();

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	return fd;
}

static void put_behind_what_is_there(void)
{
	int fd;

	make_file("first\n");
	fd = begin("second");
	CHECK_EQ(write(fd, "!\n", 2), 2);
	CHECK_EQ(wcm__append_close(fd, true, soon()), 0);
	check_file("first\nsecond!\n");
}

TEST(a_report_is_put_behind_what_is_there)
{
	put_behind_what_is_there();
}

static void begin_a_new_line(void)
{
	make_file("cut short");
	CHECK_EQ(wcm__append_close(begin("second\n"), true, soon()), 0);
	check_file("cut short\nsecond\n");
}

TEST(behind_half_a_line_a_new_one_begins)
{
	begin_a_new_line();
}

static void leave_it_as_it_was(void)
{
	make_file("cut short");
	CHECK_EQ(wcm__append_close(begin("half a rep"), false, soon()), 0);
	check_file("cut short");
}

TEST(a_report_that_is_not_whole_is_forgotten)
{
	leave_it_as_it_was();
}

TEST(a_report_that_does_not_fit_is_forgotten)
{
	struct rlimit before, small;
	int fd;

	make_file("first\n");
	fd = begin("second\n");
	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ .rlim_cur = 10, .rlim_max = before.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
	CHECK_EQ(wcm__append_close(fd, true, soon()), -ENODATA);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	check_file("first\n");
}

TEST(what_was_written_is_rescued_once)
{
	make_file("first\n");
	begin("half a rep");
	wcm__append_rescue(soon());
	wcm__append_rescue(soon());
	check_file("first\nhalf a rep");
}

TEST(a_file_of_two_names_is_left_alone)
{
	char other[sizeof(path) + 2];

	make_file("first\n");
	snprintf(other, sizeof(other), "%s-2", path);
	CHECK_EQ(link(path, other), 0);
	CHECK_EQ(append_open(), -EMLINK);
	unlink(other);
	check_file("first\n");
}

TEST(without_a_report_there_is_nothing_to_rescue)
{
	make_file("first\n");
	wcm__append_rescue(soon());
	check_file("first\n");
}

/* Another user may have it, who may read the file: for a second, not to the deadline. */
TEST(a_lock_that_is_not_given_back_is_done_without)
{
	const uint64_t second = 1000000000u, late = wcm__clock_ns() + 60 * second;
	uint64_t start;
	int other, fd;

	make_file("cut short");
	other = open(path, O_RDONLY);
	flock(other, LOCK_EX);
	fd = begin("second\n");
	CHECK_EQ(wcm__append_close(fd, true, soon()), 0);
	CHECK_EQ(fcntl(fd, F_GETFD), -1);
	start = wcm__clock_ns();
	CHECK_EQ(wcm__append_close(begin("third\n"), true, late), 0);
	CHECK(wcm__clock_ns() - start < 10 * second);
	close(other);
	fd = begin("fourth\n");
	CHECK_EQ(wcm__append_close(fd, true, soon()), 0);
	check_file("cut short\nsecond\nthird\nfourth\n");
}

/* A thread of the process may fork while the report is being written. */
TEST(a_child_does_not_keep_the_lock)
{
	int fd;
	pid_t child;

	make_file("");
	fd = begin("first\n");
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	CHECK_EQ(wcm__append_close(fd, true, soon()), 0);
	CHECK_EQ(wcm__append_close(begin("second\n"), true, soon()), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	check_file("first\nsecond\n");
}

static void forbid_files_in_memory(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* The last one: the filter stays. */
TEST(without_files_in_memory_it_is_the_same)
{
	int other, fd;

	forbid_files_in_memory();
	put_behind_what_is_there();
	begin_a_new_line();
	leave_it_as_it_was();
	make_file("first\n");
	other = open(path, O_RDONLY);
	flock(other, LOCK_EX);
	CHECK_EQ(append_open(), -ETIMEDOUT);
	close(other);
	fd = begin("half a rep");
	wcm__append_rescue(soon());
	CHECK(fcntl(fd, F_GETFD) >= 0);
	CHECK_EQ(wcm__append_close(fd, true, soon()), 0);
	check_file("first\nhalf a rep");
}

RUN(a_report_is_put_behind_what_is_there, behind_half_a_line_a_new_one_begins,
    a_report_that_is_not_whole_is_forgotten,
    a_report_that_does_not_fit_is_forgotten, what_was_written_is_rescued_once,
    a_file_of_two_names_is_left_alone,
    without_a_report_there_is_nothing_to_rescue,
    a_lock_that_is_not_given_back_is_done_without,
    a_child_does_not_keep_the_lock, without_files_in_memory_it_is_the_same)
