/* SPDX-License-Identifier: MIT */
/* prefault.h (SAFE) - runs the thread that makes the next part of a file ready, off the hot path.
 *
 * The C library does not know the thread: it keeps no process alive, and a forked child
 * starts its own in any state.  Where it cannot run, the traced threads do its work.
 */
#ifndef WCM_RECORD_PREFAULT_H
#define WCM_RECORD_PREFAULT_H

#include <stdint.h>

/* Start it in this process, unless it is there, all signals being blocked: it does
 * WORK whenever it is woken. */
void wcm__prefault_start(void (*work)(void));

/* This is a child of fork(2), where it is not. */
void wcm__prefault_forget(void);

/* How many threads it is in this process. */
int wcm__prefault_count(void);

/* End it, and begin it again; what wants it meanwhile does its work. */
void wcm__prefault_rest(void);
void wcm__prefault_go_on(void);

/* There is a ring that wants something. */
void wcm__prefault_wake(void);

/* Wait until WORD, now SEEN, may be another, a tenth of a second at most; and tell
 * those who do. */
void wcm__prefault_await(const uint32_t *word, uint32_t seen);
void wcm__prefault_tell(const uint32_t *word);

#endif
