/* SPDX-License-Identifier: MIT */
/* landed.c (SAFE) - tells whether an exception has left an inlined function.
 *
 * clang's code does not report such an exit, and the frame is still there.  A function that
 * is inlined into a "try" has the landing pads of that try: the call of its hook has the pad
 * of the call it stands for, and each pad within it catches at least what that one does.  So a
 * call whose pad catches less is outside of the inlined function.  A call without a pad is
 * in a function that throws nothing, or outside.  It is taken to be outside while an
 * exception is handled that was not handled when the function was called, unless it is in the
 * clean-up of another pad that catches as much.  Calls that cannot be decided are inside.
 */
#include "trace/engine/shadow.h"

#include "core/cfi/cfi.h"
#include "core/modules/modules.h"

enum answer { INSIDE, OUTSIDE, OUTSIDE_IF_HANDLED, HAS_PAD = OUTSIDE };

/* An answer, and what it is for: the upper bits of PC, how far CALL is before it, the
 * answer; the lower bits of PC come from where it is stored. */
enum { SLOT_BITS = 12, PC_BITS = 47, AWAY_BITS = 27, ANSWER_BITS = 2 };

static uint64_t slots[1 << SLOT_BITS];

struct site {
	uintptr_t function; /* where it begins */
	struct wcm_landing landing;
};

/* What is known of the call that returns to PC. */
static bool find(struct site *site, uintptr_t pc)
{
	struct wcm_unwind_table table;
	struct wcm_fde fde;
	bool permanent;

	if (!wcm__modules_find_unwind(&table, pc - 1, &permanent) ||
	    !wcm__fde_find(&fde, &table, pc - 1))
		return false;
	site->function = fde.start;
	site->landing = wcm__lsda_find(&fde, &table, pc - 1);
	return true;
}

/* Whether what awaits exceptions at THERE is less than AT a pad. */
static bool awaits_less(const struct wcm_landing *there, const struct wcm_landing *at)
{
	return !(there->lands & WCM_LANDS_ANY) && (at->lands & ~there->lands);
}

static enum answer compare(const struct site *call, const struct site *there)
{
	const struct wcm_landing *landing = &there->landing;

	if (call->function != there->function ||
	    call->landing.kind != WCM_LANDING_PAD)
		return INSIDE;
	if (landing->kind == WCM_LANDING_PAD)
		return awaits_less(landing, &call->landing) ? OUTSIDE : INSIDE;
	if (landing->kind == WCM_LANDING_NONE &&
	    (landing->pad == 0 || landing->pad == call->landing.pad ||
	     awaits_less(landing, &call->landing)))
		return OUTSIDE_IF_HANDLED;
	return INSIDE;
}

static enum answer look_up(uintptr_t call, uintptr_t pc)
{
	struct site inlined, there;

	if (!find(&inlined, call))
		return INSIDE;
	if (pc == call)
		return inlined.landing.kind == WCM_LANDING_PAD ? HAS_PAD : INSIDE;
	return find(&there, pc) ? compare(&inlined, &there) : INSIDE;
}

/* The answer of CALL and PC; where they are the same, whether CALL has a pad. */
static enum answer ask(uintptr_t call, uintptr_t pc)
{
	const uint64_t away = (uint64_t)(pc - call) & ((UINT64_C(1) << AWAY_BITS) - 1);
	const uint64_t key = ((uint64_t)pc >> SLOT_BITS << AWAY_BITS | away)
			     << ANSWER_BITS;
	uint64_t *slot = &slots[(pc ^ away) % (1 << SLOT_BITS)];
	const uint64_t known = __atomic_load_n(slot, __ATOMIC_RELAXED);
	const intptr_t most = (intptr_t)1 << (AWAY_BITS - 1);
	const intptr_t distance = (intptr_t)(pc - call);
	enum answer answer;

	if (distance < -most || distance >= most || (uint64_t)pc >> PC_BITS != 0)
		return INSIDE; /* another function's, if it is code at all */
	if (known >> ANSWER_BITS == key >> ANSWER_BITS)
		return known & ((1 << ANSWER_BITS) - 1);
	if (!wcm__modules_hold_code(call - 1, 1))
		return INSIDE;
	answer = look_up(call, pc);
	__atomic_store_n(slot, key | answer, __ATOMIC_RELAXED);
	return answer;
}

bool wcm__landed_can(uintptr_t call)
{
	return ask(call, call) == HAS_PAD;
}

/* What a thread has of its exceptions (Itanium C++ ABI: Exception Handling, 2.2.2). */
struct exceptions {
	uintptr_t caught;  /* the innermost that is handled */
	unsigned uncaught; /* how many are thrown */
};

/* Of the C++ library, if the program is linked with one. */
extern struct exceptions *__cxa_get_globals_fast(void) __attribute__((weak));

uintptr_t wcm__landed_handled(void)
{
	const struct exceptions *now =
		__cxa_get_globals_fast ? __cxa_get_globals_fast() : 0;

	return now ? now->caught + now->uncaught : 0;
}

bool wcm__landed_outside(uintptr_t call, uintptr_t pc, uintptr_t handled)
{
	const enum answer answer = ask(call, pc);

	return answer == OUTSIDE ||
	       (answer == OUTSIDE_IF_HANDLED && wcm__landed_handled() != handled);
}
