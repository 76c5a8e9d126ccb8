/* SPDX-License-Identifier: MIT */
/* trust.c - decides whose debug data is believed. */
#include "modules/trust.h"

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "format/path.h"

const char *distrust_file(const struct stat *status, uid_t owner)
{
	if (status->st_uid != 0 && status->st_uid != getuid() && status->st_uid != owner)
		return "it belongs to another user";
	return status->st_mode & S_IWOTH ? "others may write it" : NULL;
}

/* What a user has built in a folder of a group is that user's affair.  In root's way
 * nothing may be exchanged between the look and the opening. */
const char *distrust_path(const char *path, uid_t owner)
{
	static struct wcm_path entry;
	struct stat status;
	int fd;

	if (getuid() != 0)
		return stat(path, &status) == 0 ? distrust_file(&status, owner) : NULL;
	fd = wcm__path_open_guarded(&entry, path, owner, O_PATH);
	if (fd >= 0)
		close(fd);
	if (fd == -WCM_PATH_OF_ANOTHER)
		return "it, or a directory above it, belongs to another user";
	if (fd == -WCM_PATH_WRITABLE)
		return "others may write it, or a directory above it";
	return NULL;
}
