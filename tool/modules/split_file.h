/* SPDX-License-Identifier: MIT */
/* split_file.h - finds the file with the other half of a unit of split debug data.
 *
 * The compiler has put its name, and its own folder, in the program: a tree may have been
 * moved since, and compilers that are told to name no folders give a relative one.  The half
 * is in a .dwo file, or in the object file (clang -gsplit-dwarf=single).
 */
#ifndef WCM_TOOL_SPLIT_FILE_H
#define WCM_TOOL_SPLIT_FILE_H

#include <stdint.h>
#include <sys/types.h>

/* What a unit says of its other half, and whose it is: see linked_fault(). */
struct split_wanted {
	const char *home, *folder; /* or NULL */
	const char *name;
	uid_t owner;
	uint64_t id;
};

/* A descriptor of a file that libdw can read, of which PATH, the caller's to free, is the name;
 * or -1, and *WHY, the caller's to free or NULL, says what was looked at and was not it. */
int split_file_open(const struct split_wanted *wanted, char **path, char **why);

#endif
