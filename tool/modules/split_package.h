/* SPDX-License-Identifier: MIT */
/* split_package.h - the other halves of a program's units, gathered in a package (.dwp).
 *
 * dwp(1) of binutils and llvm-dwp put the .dwo files of a program into one file, with an index
 * by the units' ids (DWARF 5, 7.3.5; for DWARF 4 that of GNU, version 2).  libdw reads packages
 * from 0.191 on, under a name that it chooses itself: the sections of one unit are copied into a
 * .dwo file in memory, which every libdw reads.
 */
#ifndef WCM_TOOL_SPLIT_PACKAGE_H
#define WCM_TOOL_SPLIT_PACKAGE_H

#include <stdint.h>
#include <sys/types.h>

struct split_package;

/* Open that of a program of the user OWNER at PATH.  NULL: *FAULT says what is wrong with it, or
 * is NULL where there is none.  errno is EACCES where nobody may know whether there is. */
struct split_package *split_package_open(const char *path, uid_t owner, const char **fault);
void split_package_close(struct split_package *package);

/* A descriptor of a file with the half of that ID; -1: *FAULT says why, NULL: there is none. */
int split_package_half(struct split_package *package, uint64_t id, const char **fault);

#endif
