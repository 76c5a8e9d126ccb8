/* SPDX-License-Identifier: MIT */
/* quick_executable.c - stands in for load/executable.c where the start must not take
 * long.
 *
 * Looking into /proc for the first time takes a process as long as all else that
 * happens here.  The name it was run by will do: no debug file is searched for
 * beside it.
 */
#include "load/executable.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

char *wcm__executable_path(const struct wcm_module *map)
{
	const char *given = (const char *)getauxval(AT_EXECFN);
	char path[4096];
	ssize_t length;

	if (getauxval(AT_BASE) == 0)
		return wcm__mapped_path(map);
	if (given && given[0] == '/' &&
	    (uintptr_t)map->phdr == getauxval(AT_PHDR))
		return strdup(given);
	length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (length <= 0)
		return strdup(given ? given : "[executable]");
	path[length] = '\0';
	return strdup(path);
}
