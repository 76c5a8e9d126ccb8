/* SPDX-License-Identifier: MIT */
/* readers.h (SAFE) - ends a trace that goes to another process when others may read this one
 * than did.
 *
 * The kernel says whom it lets read a process by one number, PR_GET_DUMPABLE, which prctl(2)
 * changes, and with it each call that gives a process other users or capabilities.
 */
#ifndef WCM_STOP_READERS_H
#define WCM_STOP_READERS_H

#include <stdbool.h>

/* What PR_GET_DUMPABLE says now. */
int wcm__readers_now(void);

/* A trace begins that is of those who may read a process that is DUMPABLE. */
void wcm__readers_begin(int dumpable);

/* It is over. */
void wcm__readers_forget(void);

/* The process may have changed: if others may read it the trace ends now. */
void wcm__readers_look(void);

/* Whether that has ended it. */
bool wcm__readers_are_others(void);

/* The program is about to make the system call NUMBER: if others are to read the process after it
 * the trace ends now.  True: that is known behind the call alone, by wcm__readers_look(). */
bool wcm__readers_call(long number, const long *argument);

#endif
