/* SPDX-License-Identifier: MIT */
/* fixed_program.h - where a program is that is not position-independent. */
#ifndef WCM_TOOL_FIXED_PROGRAM_H
#define WCM_TOOL_FIXED_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The whole path of PROGRAM, where it starts and where it ends.  False, after a line on stderr,
 * where it cannot be read, or may be anywhere. */
bool fixed_program(const char *program, char path[PATH_MAX], uint64_t *start, uint64_t *end);

#endif
