/* SPDX-License-Identifier: MIT */
/* unwatched.h - what a sanitizer of the program does not watch: the library.
 *
 * The library is not instrumented.  The sanitizers of memory and of threads do not see
 * what it writes or in which order, but see libc's memcpy(), strlen() and their like,
 * called by it, and would find errors there that are none.
 */
#ifndef WCM_HOOK_UNWATCHED_H
#define WCM_HOOK_UNWATCHED_H

#include "hook/sink.h"

/* From begin to end a sanitizer has nothing to say of the calling thread.  They nest.
 * Async-signal-safe. */
void wcm__unwatched_begin(void);
void wcm__unwatched_end(void);

/* SINK, or where there is such a sanitizer one that calls SINK unwatched; no hook may be
 * running.  What runs without a sanitizer costs nothing. */
const struct wcm_sink *wcm__unwatched_sink(const struct wcm_sink *sink);

/* Which SINK is called by SINK: another, or itself. */
const struct wcm_sink *wcm__unwatched_within(const struct wcm_sink *sink);

#endif
