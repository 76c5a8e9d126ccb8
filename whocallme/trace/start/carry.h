/* SPDX-License-Identifier: MIT */
/* carry.h - makes the environment of a program that this one runs go on with the trace. */
#ifndef WCM_CONTROL_CARRY_H
#define WCM_CONTROL_CARRY_H

#include <stddef.h>

/* The environment has asked for a trace, which has begun or has nothing to begin with:
 * keep what it says of it, and how this library came to be here. */
void wcm__carry_begin(void);

/* How many bytes an environment takes that is ENVP, or none where that is NULL, and what
 * it lacks for the trace to go on; 0: it lacks nothing, or no trace is to go on.
 * Like the next one, for a child of vfork(2) and for signal handlers, too. */
size_t wcm__carry_size(char *const envp[]);

/* Make that in ROOM, of that size and aligned for pointers.  The strings of ENVP are a
 * part of it. */
char **wcm__carry_make(void *room, char *const envp[]);

#endif
