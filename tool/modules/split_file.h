/* SPDX-License-Identifier: MIT */
/* split_file.h - finds the file with the other half of a unit of split debug data.
 *
 * The compiler has put its name, and its own folder, in the program: a tree may have been
 * moved since, and compilers that are told to name no folders give a relative one.  The half
 * is in a .dwo file, in the object file (clang -gsplit-dwarf=single), or in the program's package.
 * Packages are looked for where gdb does: beside the program and its debug file, under the name of
 * either, and in the folders of debug files.
 */
#ifndef WCM_TOOL_SPLIT_FILE_H
#define WCM_TOOL_SPLIT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct split_package;

/* Where a program is whose units have other halves. */
struct split_home {
	const char *folder;        /* of the file with its debug data: see linked_fault() */
	const char *program, *data; /* the paths of its own file, and of that one; or NULL */
	const char *folders;       /* of separate debug files, with colons in between */
	uid_t owner;
	/* Its package, once it has been looked for. */
	bool is_sought;
	struct split_package *package; /* or NULL */
	char *package_path; /* of the first that is there, or that was looked for; or NULL */
	const char *package_fault;
};

void split_home_close(struct split_home *home);

/* What a unit says of its other half. */
struct split_wanted {
	const char *folder; /* or NULL */
	const char *name;
	uint64_t id;
};

/* A descriptor of a file that libdw can read, of which PATH, the caller's to free, is the name;
 * or -1, and *WHY, the caller's to free or NULL, says what was looked at and was not it.  A .dwo
 * file is preferred to the package. */
int split_file_open(struct split_home *home, const struct split_wanted *wanted, char **path,
		    char **why);

/* split_package.c: the other halves of a program's units, gathered in a package (.dwp).  dwp(1)
 * of binutils and llvm-dwp put the .dwo files of a program into one file, with an index by the
 * units' ids (DWARF 5, 7.3.5; for DWARF 4 that of GNU, version 2).  libdw reads packages from
 * 0.191 on, under a name that it chooses itself: the sections of one unit are copied into a .dwo
 * file in memory, which every libdw reads. */

struct split_package;

/* Open that of a program of the user OWNER at PATH.  NULL: *FAULT says what is wrong with it, or
 * is NULL where there is none.  errno is EACCES where nobody may know whether there is. */
struct split_package *split_package_open(const char *path, uid_t owner, const char **fault);
void split_package_close(struct split_package *package);

/* A descriptor of a file with the half of that ID; -1: *FAULT says why, NULL: there is none. */
int split_package_half(struct split_package *package, uint64_t id, const char **fault);

#endif
