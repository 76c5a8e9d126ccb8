/* SPDX-License-Identifier: MIT */
/* asker.h - whose turn is it to ask? */
#ifndef WCM_LINES_ASKER_H
#define WCM_LINES_ASKER_H

#include <stdbool.h>
#include <stdint.h>

/* Ready the turns.  Idempotent. */
void wcm__asker_prepare(void);

/* Wait for the turn, for each thread that has it before no longer than PATIENCE, in
 * nanoseconds.  False where one has it longer, where the calling thread itself has it,
 * and in the child of vfork(2). */
bool wcm__asker_take(uint64_t patience);
void wcm__asker_give_back(void);

#endif
