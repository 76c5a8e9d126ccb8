/* SPDX-License-Identifier: MIT */
/* sled_enter.c (SAFE) - what the call in a sled comes to: the entry of a function.
 *
 * Where the ends of calls are asked for, the function returns to a trampoline, which comes
 * here as well.  Else a call has ended when its frame is gone, as the next entry shows.
 */
#include "trace/sleds/sled_enter.h"

#include "core/os/read.h"
#include "core/unwind/changed_return.h"
#include "trace/filter/known_values.h"
#include "trace/flight/flight_ring.h"
#include "trace/engine/aside.h"
#include "trace/engine/hook_frame.h"
#include "trace/engine/handle_event.h"
#include "trace/sleds/sled_list.h"
#include "trace/sleds/user_hook.h"

struct wcm_sled_linker wcm__sled_linker;
struct wcm_sled_library wcm__sled_library;

/* At its entry a function has pushed nothing yet. */
static uintptr_t frame_of(const struct wcm_sled *sled, const struct wcm_regs *at)
{
	return sled->at_entry ? at->sp + WCM_CALL_PUSHES : wcm__hook_frame_find(at);
}

static void returned(uintptr_t *frame, struct wcm_regs at)
{
	const uintptr_t called = at.pc;
	struct wcm_passed passed;
	struct wcm_told told;
	struct wcm_event event;

	at.sp = wcm__return_frame_end(called, at.sp);
	at.pc = wcm__return_true(at.pc, at.sp);
	wcm__arch_sled_go_on(frame, at.pc);
	wcm__return_is_over(called, at.sp);
	event = (struct wcm_event){ .at = at };
	if (__builtin_expect(wcm__gate.values, 0)) {
		passed = wcm__arch_passed_results(frame);
		told = (struct wcm_told){ WCM_EVENT_FUNCTION, .passed = &passed };
		event.told = &told;
	}
	if (wcm__gate_is_open())
		wcm__event_return(&event);
}

/* What is to tell of the end of EVENT's call, whose frame is at CFA: *CHANGED, where it is its
 * return.  A function that was jumped to at the end of another finds the return address of
 * that, changed already. */
static uint32_t how_it_ends(const struct wcm_sled *sled, const struct wcm_event *event,
			    uintptr_t cfa, struct wcm_return *changed)
{
	if (!wcm__gate.returns || sled->is_silent)
		return WCM_CALL_SILENT;
	if (wcm__arch_trampoline_of(event->site) < 0)
		return wcm__return_can_change(changed, cfa) ? WCM_CALL_RETURNS :
							       WCM_CALL_SILENT;
	return WCM_CALL_RETURNS | WCM_CALL_TAIL;
}

/* A call that is traced begins, whose return address lies AT_SITE, and is in truth CALLER. */
static void entered(const struct wcm_sled *sled, struct wcm_event *event, uintptr_t cfa,
		    uintptr_t *at_site, uintptr_t caller)
{
	struct wcm_return changed;
	const uint32_t flags = how_it_ends(sled, event, cfa, &changed);

	event->site = caller;
	if (wcm__event_enter_at(event, cfa, flags) && flags == WCM_CALL_RETURNS)
		wcm__return_change(&changed, at_site);
}

/* The sled that EVENT is behind is passed, of which more than the flight recorder is to know. */
static void passed(const struct wcm_sled *sled, uintptr_t *frame, struct wcm_event *event,
		   const struct wcm_user_hook *hook, bool is_traced)
{
	const uintptr_t cfa = frame_of(sled, &event->at);
	uintptr_t *const site = wcm__arch_sled_return(frame, cfa);
	const uintptr_t caller = wcm__return_true(*site, cfa);
	struct wcm_passed passed;
	struct wcm_told told;

	if (wcm__span_holds(&wcm__sleds_own_code, caller, 1))
		return;
	if (__builtin_expect(hook != NULL, 0))
		wcm__user_hook_call(hook, sled->func, caller, cfa - sizeof(uintptr_t));
	if (__builtin_expect(wcm__gate.values, 0)) {
		passed = wcm__arch_passed_arguments(frame, cfa, wcm__read_memory);
		told = (struct wcm_told){ WCM_EVENT_FUNCTION, .passed = &passed };
		event->told = &told;
	}
	event->site = *site;
	if (is_traced)
		entered(sled, event, cfa, site, caller);
}

void wcm__sled_entered(uintptr_t *frame)
{
	const struct wcm_regs at = wcm__arch_sled_caller(frame);
	const union wcm_gate_word on = wcm__gate_word();
	const struct wcm_user_hook *hook;
	const struct wcm_sled *sled;
	struct wcm_event event;

	if (__builtin_expect(at.pc == wcm__sled_linker.pc, 0)) {
		wcm__sled_linker.changed();
		return;
	}
	if (wcm__arch_trampoline_of(at.pc) >= 0) {
		returned(frame, at);
		return;
	}
	sled = wcm__sleds_returning_to(at.pc);
	if (!sled)
		return;
	if (sled->is_library) {
		wcm__sled_note_library(sled);
		wcm__sled_library.called(sled);
	}
	/* Behind the sled: in front of the function nothing describes its frame. */
	event = (struct wcm_event){ .func = sled->func, .at = { .pc = wcm__sled_end(sled),
								.sp = at.sp, .fp = at.fp,
								.lr = at.lr } };
	if (wcm__user_hook_may_call(at.sp) && wcm__user_hook_calls(&event.at))
		return;
	if (on.flight)
		wcm__flight_enter_sled(at.pc, wcm__sled_place(sled, frame, &at), on.flight);
	hook = sled->is_library ? NULL : __atomic_load_n(&wcm__user_hook, __ATOMIC_ACQUIRE);
	if (on.live || hook)
		passed(sled, frame, &event, hook, on.live != 0);
}

static void enter(void *argument)
{
	wcm__sled_entered(argument);
}

/* Of a port whose entry does not stand aside itself. */
static void enter_aside(uintptr_t *frame)
{
	void *const top = wcm__sled_stand_aside(frame);

	if (!top || !wcm__arch_call_on(top, enter, frame))
		wcm__sled_entered(frame);
	if (top)
		wcm__aside_give_back(top);
}

void wcm__sled_prepare(void)
{
	const bool stands_aside =
		wcm__arch_sled_stand_aside(wcm__sled_stand_aside, wcm__aside_give_back);

	wcm__arch_sled_prepare(wcm__sled_passed, wcm__sled_returned,
			       stands_aside ? wcm__sled_entered : enter_aside);
	if (wcm__known_values_asked())
		wcm__arch_passed_prepare(wcm__sled_given, wcm__sled_given_back);
}
