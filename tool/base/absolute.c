/* SPDX-License-Identifier: MIT */
/* absolute.c - makes a name absolute. */
#include "base/absolute.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

const char *absolute_path(const char *name, char path[WCM_PATH_ROOM])
{
	char here[WCM_PATH_ROOM];

	if (name[0] == '/')
		return name;
	errno = ENOENT;
	if (!*name || !getcwd(here, sizeof(here)))
		return NULL;
	errno = ENAMETOOLONG;
	if (snprintf(path, WCM_PATH_ROOM, "%s/%s", here, name) >= WCM_PATH_ROOM)
		return NULL;
	return path;
}
