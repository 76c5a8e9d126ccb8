/* SPDX-License-Identifier: MIT */
/* scratch_dir.h - a directory of a test's own, with files made by hand, and what was said
 * on stderr meanwhile. */
#ifndef TEST_SUPPORT_SCRATCH_DIR_H
#define TEST_SUPPORT_SCRATCH_DIR_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"

static char scratch[32];
static int scratch_stderr = -1;
static off_t scratch_seen; /* of what was said */

static inline int scratch_set_up(void **state)
{
	char path[sizeof(scratch) + 8];
	int fd;

	(void)state;
	scratch_seen = 0;
	strcpy(scratch, "/tmp/wcm_test.XXXXXX");
	if (!mkdtemp(scratch))
		return -1;
	snprintf(path, sizeof(path), "%s.stderr", scratch);
	scratch_stderr = dup(STDERR_FILENO);
	fd = open(path, O_RDWR | O_CREAT | O_APPEND, 0600);
	unlink(path);
	return dup2(fd, STDERR_FILENO) < 0 || close(fd) != 0 ? -1 : 0;
}

static inline int scratch_remove(const char *path, const struct stat *status, int kind,
				 struct FTW *walk)
{
	(void)status, (void)kind, (void)walk;
	return remove(path);
}

static inline int scratch_tear_down(void **state)
{
	(void)state;
	dup2(scratch_stderr, STDERR_FILENO);
	close(scratch_stderr);
	return nftw(scratch, scratch_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* The path of NAME there, until the sixteenth call from now. */
static inline const char *scratch_path(const char *name)
{
	static char path[16][sizeof(scratch) + PATH_MAX];
	static unsigned last;

	last = (last + 1) % 16;
	snprintf(path[last], sizeof(path[last]), "%s/%s", scratch, name);
	return path[last];
}

static inline void scratch_put(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(scratch_path(name), "w");

	assert_non_null(file);
	CHECK_EQ(fwrite(bytes, 1, size, file), size);
	CHECK_EQ(fclose(file), 0);
}

/* What has been said since the last time. */
static inline const char *scratch_said(void)
{
	static char text[8192];
	const ssize_t count = pread(STDERR_FILENO, text, sizeof(text) - 1, scratch_seen);

	text[count > 0 ? count : 0] = '\0';
	scratch_seen += count > 0 ? count : 0;
	return text;
}

#define SCRATCH_TEST(name) \
	cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

#endif
