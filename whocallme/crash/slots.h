/* SPDX-License-Identifier: MIT */
/* slots.h - where threads put their answers.
 *
 * A slot's state says whose it is.  A thread that answers too late finds it
 * changed and writes nothing; one that was given up while it wrote keeps the slot
 * until it is done.
 */
#ifndef WCM_CRASH_SLOTS_H
#define WCM_CRASH_SLOTS_H

#include "crash/threads.h"

struct wcm_slot {
	uint32_t state;
	struct wcm_thread thread;
};

/* A slot of the caller's own, or NULL where all are in use; and its end. */
struct wcm_slot *wcm__slot_take(void);
void wcm__slot_free(struct wcm_slot *slot);

/* From now on thread TID may answer in SLOT. */
void wcm__slot_ask(struct wcm_slot *slot, int tid);

/* Wait for the answer until UNTIL, of wcm__clock_ns().  Without it, SLOT is the
 * caller's no longer. */
bool wcm__slot_await(struct wcm_slot *slot, uint64_t until);

/* The slot in which thread TID, the calling one, is to answer, or NULL; and that
 * it has done so. */
struct wcm_slot *wcm__slot_find(int tid);
void wcm__slot_answer(struct wcm_slot *slot);

/* Nobody else visits, and whoever did is gone, in THIS process or in the one that
 * it was forked from: what they left in use is free. */
void wcm__slots_recover(bool forked);

#endif
