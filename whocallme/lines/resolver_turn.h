/* SPDX-License-Identifier: MIT */
/* asker.h - whose turn is it to ask? */
#ifndef WCM_LINES_ASKER_H
#define WCM_LINES_ASKER_H

#include <stdbool.h>
#include <stdint.h>

/* Ready the turns.  Idempotent. */
void wcm__asker_prepare(void);

enum wcm_asker {
	WCM_ASKER_NONE,  /* it is another's, or interrupted, or vfork(2)'s parent's */
	WCM_ASKER_TAKEN,
	WCM_ASKER_LEFT,  /* taken from one who never gives it back: its thread has
			  * ended, or left it by siglongjmp(3).  What it was about is
			  * half-done */
};

/* Wait for the turn, for each thread that has it before no longer than PATIENCE, in
 * nanoseconds. */
enum wcm_asker wcm__asker_take(uint64_t patience);
void wcm__asker_give_back(void);

#endif
