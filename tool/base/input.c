/* SPDX-License-Identifier: MIT */
/* input.c - opens an input that the command was given, unless it is a trap. */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/absolute.h"
#include "base/regular_file.h"

/* What keeps FOUND from being waited for, NULL where nothing does. */
static const char *trap_of(const struct stat *found)
{
	return S_ISFIFO(found->st_mode) && !wcm__path_is_trusted(found->st_uid)
		       ? "it is another user's pipe"
		       : NULL;
}

/* Open what SEEN is, whatever is in its place by now.  Whoever has the lease of a file is not
 * waited for. */
static int open_seen(int seen, const char **why)
{
	struct stat found;
	char name[32];
	int fd;

	if (fstat(seen, &found) != 0)
		return -errno;
	*why = trap_of(&found);
	if (*why)
		return -EACCES;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", seen);
	do
		fd = open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC |
					(S_ISREG(found.st_mode) ? O_NONBLOCK : 0));
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

static int open_special(const char *path, const char **why)
{
	static struct wcm_path entry;
	char whole[WCM_PATH_ROOM];
	const char *from = absolute_path(path, whole);
	int seen, fd = from ? wcm__path_find(&entry, from, true) : -errno;

	*why = NULL;
	if (fd == 0) {
		fd = seen = wcm__path_open(&entry, O_PATH, 0);
		wcm__path_leave(&entry);
		if (seen >= 0) {
			fd = open_seen(seen, why);
			close(seen);
		}
	}
	if (fd < 0 && !*why)
		*why = fd == -EXDEV ? "another user's link leads there"
				    : strerror(-fd);
	return fd < 0 ? -1 : fd;
}

int input_open(const char *path, const char **why)
{
	const int fd = regular_open(path, NULL);

	if (fd < 0 && errno == EINVAL)
		return open_special(path, why);
	*why = fd < 0 ? strerror(errno) : NULL;
	return fd;
}
