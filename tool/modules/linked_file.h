/* SPDX-License-Identifier: MIT */
/* linked_file.h - tells whether libdw may open a file that debug data names.
 *
 * Debug data names files that have the rest of it: .dwo files, and what dwz has moved out.
 * libdw opens them itself, whatever they are: a named pipe would keep it waiting, and a
 * file that claims more than is written of it would take the memory.
 */
#ifndef WCM_TOOL_LINKED_FILE_H
#define WCM_TOOL_LINKED_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <sys/types.h>

/* The path of the file FD, for the caller to free; NULL: there is none. */
char *linked_path(int fd);

/* The folder that names are relative to in the debug data of the file at PATH, or NULL, for the
 * caller to free; NULL: there is none. */
char *linked_home(const char *path);

/* What is wrong with the file NAME, which may be relative to HOME; of NULL libdw opens no relative
 * name.  It is debug data of a program of the user OWNER.  NULL: nothing, or there is no such
 * file. */
const char *linked_fault(const char *home, uid_t owner, const char *name);

/* Whether ELF names another file in its turn, which libdw would open unseen. */
bool linked_further(Elf *elf);

#endif
