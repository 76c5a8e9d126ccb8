/* SPDX-License-Identifier: MIT */
/* unwatched.h (SAFE) - hides the library's own work from the program's sanitizers.
 *
 * The library is not instrumented.  The sanitizers of memory and of threads do not see
 * what it writes or in which order, but see libc's memcpy(), strlen() and their like,
 * called by it, and would find errors there that are none.
 */
#ifndef WCM_OS_UNWATCHED_H
#define WCM_OS_UNWATCHED_H

#include <stdbool.h>

/* From begin to end a sanitizer has nothing to say of the calling thread.  They nest.
 * Async-signal-safe. */
void wcm__unwatched_begin(void);
void wcm__unwatched_end(void);

/* Whether the program has such a sanitizer. */
bool wcm__unwatched_is_needed(void);

/* IN_CRASH tells from now on whether the calling thread reports a crash: then the
 * sanitizer of threads is not called, which could wait for a lock for ever. */
void wcm__unwatched_ask(bool (*in_crash)(void));

#endif
