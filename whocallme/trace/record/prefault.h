/* SPDX-License-Identifier: MIT */
/* keeper.h - who makes the next part of a file ready, off the hot path?
 *
 * A thread of ours that the C library knows nothing of: it keeps no process alive,
 * and a forked child starts its own from wherever it is.  Where there is none, the
 * threads do its work.
 */
#ifndef WCM_HOOK_KEEPER_H
#define WCM_HOOK_KEEPER_H

#include <stdint.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* Start it in this process, unless it is there, all signals being blocked: it does
 * WORK whenever it is woken. */
void wcm__keeper_start(void (*work)(void));

/* This is a child of fork(2), where it is not. */
void wcm__keeper_forget(void);

/* There is a ring that wants something. */
void wcm__keeper_wake(void);

/* Wait until WORD, now SEEN, may be another, a tenth of a second at most; and tell
 * those who do. */
void wcm__keeper_await(const uint32_t *word, uint32_t seen);
void wcm__keeper_tell(const uint32_t *word);

#endif
