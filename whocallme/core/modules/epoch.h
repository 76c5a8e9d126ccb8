/* SPDX-License-Identifier: MIT */
/* epoch.h (SAFE) - counts what was unloaded, and holds off what is about to be.
 *
 * Where dlclose(3) is interposed (watch/unload.c), each unloading is announced before and
 * after, and an epoch is the time between two.  What is known of code that can be
 * unloaded counts for as long as its epoch lasts.  Where rules are remembered it has
 * four bits, of which two are set: none of these numbers is within another, so that one
 * test of bits tells what is of the epoch, or of none, from the rest.  A number returns
 * after WCM_EPOCHS unloadings; before it does, all that was remembered by any is
 * forgotten.
 *
 * A reader of code that can be unloaded holds it, and an unloading waits for the readers.
 * It does not wait long, since one of them may never come back: a signal's handler may
 * leave it by longjmp(3).  Then the module stays loaded.  No reader ever waits: while an
 * unloading is under way there is nothing to hold.
 */
#ifndef WCM_MODULES_EPOCH_H
#define WCM_MODULES_EPOCH_H

#include <stdbool.h>
#include <stdint.h>

enum { WCM_EPOCH_BITS = 4, WCM_EPOCHS = 6 };

/* How many unloadings there were, and, in the low bits, are under way. */
enum { WCM_UNLOADINGS_AT = 16 };
extern uint64_t wcm__unloadings __attribute__((visibility("hidden")));

/* Whether the program's dlclose(3) tells. */
extern bool wcm__unloading_is_told __attribute__((visibility("hidden")));

static inline unsigned wcm__epoch_of(uint64_t unloadings)
{
	if ((unloadings & ((1 << WCM_UNLOADINGS_AT) - 1)) != 0)
		return 0;
	return 0xca9653u >> (unloadings >> WCM_UNLOADINGS_AT) % WCM_EPOCHS * WCM_EPOCH_BITS &
	       ((1 << WCM_EPOCH_BITS) - 1);
}

/* The number of the epoch; 0 while something is being unloaded. */
static inline unsigned wcm__epoch(void)
{
	return wcm__epoch_of(__atomic_load_n(&wcm__unloadings, __ATOMIC_ACQUIRE));
}

/* What is held; a signal's handler may hold again. */
struct wcm_hold {
	uint64_t generation;
	uint64_t unloadings; /* told so far: no number of these returns */
};

/* Nothing is unloaded before wcm__release().  False where unloading is not told, or
 * under way: there is nothing to release. */
bool wcm__hold(struct wcm_hold *hold);
void wcm__release(const struct wcm_hold *hold);

bool wcm__is_held(void);

/* An unloading is under way: it may go on once nothing is held any more.  Called off,
 * nobody is waited for who holds now.  At its end, whether ANYTHING was unloaded; FORGET
 * drops all that carries an epoch's number, before the numbers return. */
void wcm__unloading_begin(void);
void wcm__unloading_call_off(void);
void wcm__unloading_end(bool anything, void (*forget)(void));

/* In a child of fork(2) only its own thread has gone on, which may be unloading
 * itself. */
void wcm__unloading_forked(void);

#endif
