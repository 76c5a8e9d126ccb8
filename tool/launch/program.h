/* SPDX-License-Identifier: MIT */
/* program.h - the file that a command's name leads to. */
#ifndef WCM_TOOL_PROGRAM_H
#define WCM_TOOL_PROGRAM_H

#include <stdbool.h>

/* The path that execvp(3) would take for NAME, the caller's to free; NULL, with
 * errno, where there is none. */
char *program_find(const char *name);

/* The name of the program that ARGV has the dynamic linker at PATH run.  NULL if PATH is no dynamic
 * linker, or ARGV names no program. */
const char *program_of_linker(const char *path, char *argv[]);

/* What program_refuses() returns of a program that is linked statically, or set-user-ID. */
extern const char program_static[], program_privileged[];

/* Why LIBRARY cannot be preloaded into the program at PATH, in words, or NULL if
 * nothing speaks against it. */
const char *program_refuses(const char *path, const char *library);

/* Whether the program at PATH has privileges that its caller has not. */
bool program_gains_privileges(const char *path);

/* The interpreter for want of which the program at PATH, a script or not, cannot run,
 * the caller's to free, and in errno what speaks against it; NULL: that is not why. */
char *program_bad_interpreter(const char *path);

#endif
