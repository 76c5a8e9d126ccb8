/* SPDX-License-Identifier: MIT */
/* resolver_turn.h (SAFE) - gives the threads that ask the resolver their turns. */
#ifndef WCM_LINES_RESOLVER_TURN_H
#define WCM_LINES_RESOLVER_TURN_H

#include <stdbool.h>
#include <stdint.h>

/* Ready the turns.  Idempotent. */
void wcm__resolver_turn_prepare(void);

enum wcm_resolver_turn {
	WCM_RESOLVER_TURN_NONE,  /* it is another's, or interrupted, or vfork(2)'s parent's */
	WCM_RESOLVER_TURN_TAKEN,
	WCM_RESOLVER_TURN_LEFT,  /* taken from one who never gives it back: its thread has
			  * ended, or left it by siglongjmp(3).  What it was about is
			  * half-done */
};

/* Wait for the turn, for each thread that has it before no longer than PATIENCE, in
 * nanoseconds. */
enum wcm_resolver_turn wcm__resolver_turn_take(uint64_t patience);
void wcm__resolver_turn_give_back(void);

#endif
