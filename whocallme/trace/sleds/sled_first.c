/* SPDX-License-Identifier: MIT */
/* sled_first.c (SAFE) - the first stage of an entry, for which no vector registers are saved.
 *
 * To save these takes ten times as long as to note a call.  So this is compiled for general
 * registers alone, as all hooks are, and calls nothing of libc's, which is not: a lint test
 * holds it to that.  It does for most calls.  What it cannot do it leaves as it is, and the
 * second stage does all.
 */
#include "trace/sleds/sled_enter.h"

#include "core/unwind/changed_return.h"
#include "trace/flight/flight_ring.h"
#include "trace/engine/aside.h"
#include "trace/engine/handle_event.h"
#include "trace/sleds/sled_list.h"
#include "trace/sleds/user_hook.h"

__attribute__((always_inline)) static inline bool
entered(const struct wcm_sled *sled, uintptr_t *frame, const struct wcm_regs *at,
	const struct wcm_given *given)
{
	const uintptr_t cfa = at->sp + WCM_CALL_PUSHES;
	uintptr_t *const site = wcm__arch_sled_return(frame, cfa);
	struct wcm_event event = { .func = sled->func, .at = *at, .site = *site };
	struct wcm_return changed;

	event.at.pc = wcm__sled_end(sled);
	if (!sled->at_entry || sled->is_silent || wcm__arch_trampoline_of(event.site) >= 0 ||
	    wcm__span_holds(&wcm__sleds_own_code, event.site, 1) ||
	    !wcm__return_has_mirror_at_once(&changed, cfa) ||
	    !wcm__event_enter_plainly(&event, cfa, given))
		return false;
	wcm__return_change(&changed, site);
	return true;
}

__attribute__((always_inline)) static inline bool pass(uintptr_t *frame,
						       const struct wcm_given *given)
{
	const struct wcm_regs at = wcm__arch_sled_caller(frame);
	const union wcm_gate_word on = wcm__gate_word();
	struct wcm_flight_ring *ring = wcm__flight_own;
	const struct wcm_sled *sled;
	uint64_t place;

	/* Where nothing tells of the ends of calls, nearly each entry closes some. */
	if ((on.live && !(given ? wcm__gate.is_given : wcm__gate.is_plain)) ||
	    __atomic_load_n(&wcm__user_hook, __ATOMIC_RELAXED))
		return false;
	/* The linker's calls come from no sled. */
	sled = wcm__sleds_returning_to(at.pc);
	if (!sled)
		return false;
	if (!on.any)
		return true;
	/* A library's first call is noted on the slow way.  It is one condition: of two the
	 * compiler keeps more on the stack. */
	if (sled->is_library && (!sled->was_called | (__atomic_load_n(&wcm__sled_library.waits,
								      __ATOMIC_RELAXED) > 0)))
		return false;
	place = wcm__sled_place(sled, frame, &at); /* before the return address is changed */
	if (wcm__user_hook_may_call(at.sp) ||
	    (on.flight && !wcm__flight_is_for(ring, on.flight)) ||
	    (on.live && !entered(sled, frame, &at, given)))
		return false;
	if (on.flight)
		wcm__flight_note(ring, at.pc, place, WCM_FLIGHT_BY_SP);
	return true;
}

bool wcm__sled_passed(uintptr_t *frame)
{
	return pass(frame, NULL);
}

bool wcm__sled_given(uintptr_t *frame, const uint64_t *vectors)
{
	const struct wcm_given given = { frame, vectors };

	/* One of the two alone has room on the program's stack. */
	return wcm__gate.values ? pass(frame, &given) : wcm__sled_passed(frame);
}

__attribute__((always_inline)) static inline bool has_room(const struct wcm_tracer *tracer,
							     uintptr_t sp)
{
	return wcm__gate.returns ? wcm__has_room_at(tracer->shadow, sp) :
				   wcm__has_room_silently(tracer->shadow, sp);
}

/* What loads a library has its stack; a function of the program's runs on the one in use. */
__attribute__((noinline)) static void *stand_aside(uintptr_t *frame)
{
	const struct wcm_regs at = wcm__arch_sled_caller(frame);
	struct wcm_tracer *tracer = wcm__sharing_tracer(at.sp);

	if (tracer && has_room(tracer, at.sp))
		return NULL;
	if (at.pc == wcm__sled_linker.pc || __atomic_load_n(&wcm__user_hook, __ATOMIC_RELAXED))
		return NULL;
	return wcm__aside_take(tracer);
}

/* Nearly always there is room: apart, that needs no registers to be saved. */
void *wcm__sled_stand_aside(uintptr_t *frame)
{
	const uintptr_t sp = wcm__arch_sled_caller(frame).sp;
	const struct wcm_tracer *tracer = wcm__tracer_own;

	if (__builtin_expect(tracer && wcm__sharing_is_seen_at(tracer, sp) &&
			     has_room(tracer, sp), 1))
		return NULL;
	return stand_aside(frame);
}

/* Every unwinder finds the true return address by the trampoline's call frame information. */
__attribute__((always_inline)) static inline uintptr_t go_back(uintptr_t *frame,
								const struct wcm_given *given)
{
	struct wcm_regs at = wcm__arch_sled_caller(frame);
	const uintptr_t called = at.pc;

	at.sp = wcm__return_frame_end(called, at.sp);
	if (!wcm__return_kept(&at.pc, at.sp) || !wcm__event_return_plainly(&at, given))
		return 0;
	wcm__return_is_over(called, at.sp);
	return at.pc;
}

uintptr_t wcm__sled_returned(uintptr_t *frame)
{
	return wcm__gate.is_plain ? go_back(frame, NULL) : 0;
}

uintptr_t wcm__sled_given_back(uintptr_t *frame, const uint64_t *vectors)
{
	const struct wcm_given given = { frame, vectors };

	return wcm__gate.is_given ? go_back(frame, &given) : wcm__sled_returned(frame);
}
