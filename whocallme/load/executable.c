/* SPDX-License-Identifier: MIT */
/* executable.c - finds the file of the running executable.
 *
 * The kernel knows its path; the mark of a deleted file is cut off.  Where that is of the
 * dynamic linker that was told to run the program, its mapping has the path; without /proc
 * it is the one that the program was started by.
 */
#include "load/executable.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "load/objects/mapped_file.h"

/* Whether the kernel's reference is to the executable MAP, and not to the dynamic
 * linker that was told to run it: then it has started the one for the other. */
static bool is_kernels(const char *self, const struct wcm_module *map)
{
	return getauxval(AT_BASE) != 0 || wcm__is_mapped_path(self, map);
}

char *wcm__executable_path(const struct wcm_module *map)
{
	static const char self[] = "/proc/self/exe", deleted[] = " (deleted)";
	const size_t suffix = sizeof(deleted) - 1;
	char path[4096];
	ssize_t length = readlink(self, path, sizeof(path) - 1);

	if (length <= 0 || !is_kernels(self, map))
		return wcm__mapped_path(map);
	path[length] = '\0';
	if ((size_t)length > suffix &&
	    strcmp(path + length - suffix, deleted) == 0)
		path[(size_t)length - suffix] = '\0';
	return strdup(path);
}
