/* SPDX-License-Identifier: MIT */
/* input.c - opens an input that the command was given, unless it is a trap. */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/absolute.h"
#include "base/regular_file.h"

/* What keeps it from being waited for, NULL where nothing does. */
static const char *trap_of(const struct wcm_path *entry)
{
	return S_ISFIFO(entry->found.st_mode) &&
			       !wcm__path_is_trusted(entry->found.st_uid)
		       ? "it is another user's pipe"
		       : NULL;
}

static int open_special(const char *path, const char **why)
{
	static struct wcm_path entry;
	char whole[WCM_PATH_ROOM];
	const char *from = absolute_path(path, whole);
	int fd = from ? wcm__path_find(&entry, from, true) : -errno;

	*why = NULL;
	if (fd == 0) {
		*why = trap_of(&entry);
		fd = *why ? -1 : wcm__path_open(&entry, O_RDONLY, 0);
		wcm__path_leave(&entry);
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
