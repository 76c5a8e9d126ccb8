/* SPDX-License-Identifier: MIT */
/* tree_file.h - finds a file that belongs to this command. */
#ifndef WCM_TOOL_TREE_FILE_H
#define WCM_TOOL_TREE_FILE_H

#include <limits.h>
#include <stdbool.h>

/* The whole path of a file in the tree of this command, as it was built, where it is called
 * BUILT, or installed, where it is INSTALLED among the libraries, also when that tree was moved;
 * else where it was to be installed.  False where it is in none of them. */
bool launch_file(const char *built, const char *installed, char path[PATH_MAX]);

#endif
