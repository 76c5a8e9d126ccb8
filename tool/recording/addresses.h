/* SPDX-License-Identifier: MIT */
/* addresses.h - a file of addresses, as a recording.
 *
 * A line is E or X and the address of a function that was called, or has returned.  The
 * lines of `whocallme trace --addresses` that begin with "# " say where modules were, and
 * which process the next lines are of, where there are several; pvtrace's have none, and
 * are of a program that is linked without -pie.  Nothing says when, or which thread.
 */
#ifndef WCM_TOOL_ADDRESSES_H
#define WCM_TOOL_ADDRESSES_H

#include <stdbool.h>

/* Whether PATH is such a file. */
bool addresses_are_in(const char *path);

/* Make a recording of the file at PATH, in which PROGRAM, unless NULL, was run.  Its
 * directory, for scratch_remove(); NULL, after a line on stderr, where that failed. */
char *addresses_record(const char *path, const char *program);

#endif
