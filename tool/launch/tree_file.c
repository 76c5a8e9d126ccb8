/* SPDX-License-Identifier: MIT */
/* tree_file.c - finds a file that belongs to this command: a library, or a plugin. */
#include "launch/tree_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FILE in the folder LIBS, if this command is in the folder BIN of the same tree, wherever
 * that is. */
static bool find_near(const char *command, const char *bin, const char *libs,
		      const char *file, char path[PATH_MAX])
{
	const char *slash = strrchr(command, '/');
	const size_t folder = slash ? (size_t)(slash - command) : 0, length = strlen(bin);
	char near[PATH_MAX];

	return folder >= length && memcmp(slash - length, bin, length) == 0 &&
	       snprintf(near, sizeof(near), "%.*s%s/%s", (int)(folder - length), command,
			libs, file) < PATH_MAX &&
	       realpath(near, path);
}

bool launch_file(const char *built, const char *installed, char path[PATH_MAX])
{
	const char *bin = BINDIR, *libs = LIBDIR;
	char command[PATH_MAX];
	size_t same = 0;

	for (size_t i = 0; bin[i] && bin[i] == libs[i]; i++)
		if (bin[i] == '/')
			same = i;
	if (realpath("/proc/self/exe", command) &&
	    (find_near(command, "/tool", "", built, path) ||
	     find_near(command, bin + same, libs + same, installed, path)))
		return true;
	snprintf(command, sizeof(command), "%s/%s", libs, installed);
	return realpath(command, path) != NULL;
}
