/* SPDX-License-Identifier: MIT */
/* epoch.c (SAFE) - counts what was unloaded, and holds off what is about to be. */
#include "core/modules/epoch.h"

enum { COUNT_BITS = 32 };

#define UNLOADING UINT64_C(1)
#define UNLOADED (UINT64_C(1) << WCM_UNLOADINGS_AT)

/* In one word, so that one load says both how many have ended and whether one is under way. */
uint64_t wcm__unloadings;
bool wcm__unloading_is_told;

/* How many hold, and above that the generation they are of: those of an earlier one are
 * not waited for any more. */
static uint64_t holders;

static uint64_t generation_of(uint64_t word)
{
	return word >> COUNT_BITS;
}

bool wcm__is_held(void)
{
	return (uint32_t)__atomic_load_n(&holders, __ATOMIC_SEQ_CST) != 0;
}

/* A hold of an earlier generation was called off: it is no longer in the count, and to subtract
 * it would release somebody else's. */
void wcm__release(const struct wcm_hold *hold)
{
	uint64_t word = __atomic_load_n(&holders, __ATOMIC_RELAXED);

	while (generation_of(word) == hold->generation &&
	       !__atomic_compare_exchange_n(&holders, &word, word - 1, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* Who holds says so before it looks whether something is being unloaded, and who
 * unloads says so before it looks whether somebody holds: one of them sees the other. */
bool wcm__hold(struct wcm_hold *hold)
{
	if (!__atomic_load_n(&wcm__unloading_is_told, __ATOMIC_ACQUIRE) || wcm__epoch() == 0)
		return false;
	/* Counted first, and the look at the unloadings second: see above. */
	hold->generation =
		generation_of(__atomic_fetch_add(&holders, 1, __ATOMIC_SEQ_CST));
	hold->unloadings = __atomic_load_n(&wcm__unloadings, __ATOMIC_SEQ_CST);
	if (wcm__epoch_of(hold->unloadings) != 0)
		return true;
	wcm__release(hold);
	return false;
}

/* How many unloadings this thread is about: their functions at exit may do anything. */
static __thread unsigned own_unloadings __attribute__((tls_model("initial-exec")));

void wcm__unloading_begin(void)
{
	own_unloadings++;
	__atomic_add_fetch(&wcm__unloadings, UNLOADING, __ATOMIC_SEQ_CST);
}

static void leave(void)
{
	__atomic_sub_fetch(&wcm__unloadings, UNLOADING, __ATOMIC_SEQ_CST);
	own_unloadings--;
}

/* A new generation, which nobody holds.  Called by who unloads, after it has waited in vain, and
 * in a child of fork(2), where those that held are no more.  A hold that begins between the load
 * and the store is forgotten, too: its release then does nothing. */
static void forget_holders(void)
{
	const uint64_t generation =
		generation_of(__atomic_load_n(&holders, __ATOMIC_RELAXED));

	__atomic_store_n(&holders, (generation + 1) << COUNT_BITS, __ATOMIC_SEQ_CST);
}

void wcm__unloading_call_off(void)
{
	forget_holders();
	leave();
}

/* Numbers return when their count does; while this unloading is under way none is
 * believed, and nothing entered.  Others may end at the same time: each counts, and one
 * of them is the last of a round. */
void wcm__unloading_end(bool anything, void (*forget)(void))
{
	uint64_t before;

	if (anything) {
		/* The count first, then leave(): between them the number is the new one and an
		 * unloading is under way, so that nobody enters by it before the old entries are
		 * gone. */
		before = __atomic_fetch_add(&wcm__unloadings, UNLOADED, __ATOMIC_SEQ_CST);
		if (((before >> WCM_UNLOADINGS_AT) + 1) % WCM_EPOCHS == 0)
			forget();
	}
	leave();
}

void wcm__unloading_forked(void)
{
	/* Unloadings that other threads of the parent had under way never end here. */
	const uint64_t whole = __atomic_load_n(&wcm__unloadings, __ATOMIC_RELAXED) &
			       ~(UNLOADED - 1);

	forget_holders();
	__atomic_store_n(&wcm__unloadings, whole + own_unloadings * UNLOADING,
			 __ATOMIC_SEQ_CST);
}
