/* SPDX-License-Identifier: MIT */
/* sled_enter.c - what the call in a sled comes to: the entry of a function.
 *
 * There is no exit.  A call has ended when its frame is gone, as the next entry shows.
 */
#include "trace/source/sled/sled_enter.h"

#include "trace/flight/flight_ring.h"
#include "trace/probe/frame/hook_frame.h"
#include "trace/probe/handle_event.h"
#include "trace/source/sled/sled_list.h"

struct wcm_sled_linker wcm__sled_linker;

/* At its entry a function has pushed nothing yet, and the return address is at the stack
 * pointer. */
static uintptr_t frame_of(const struct wcm_sled *sled, const struct wcm_regs *at)
{
	return sled->at_entry ? at->sp + sizeof(uintptr_t) : wcm__hook_frame_find(at);
}

void wcm__sled_entered(const uintptr_t *frame)
{
	struct wcm_regs at = wcm__arch_sled_caller(frame);
	const struct wcm_sled *sled;
	struct wcm_event event;
	const union wcm_gate_word on = wcm__gate_word();
	uintptr_t cfa;

	if (__builtin_expect(at.pc == wcm__sled_linker.pc, 0)) {
		wcm__sled_linker.changed();
		return;
	}
	if (on.flight)
		wcm__flight_enter_sled(at.pc, at.sp, on.flight);
	if (!on.live)
		return;
	sled = wcm__sleds_returning_to(at.pc);
	if (!sled)
		return;
	at.pc = wcm__sled_end(sled); /* in front of the function nothing describes its frame */
	cfa = frame_of(sled, &at);
	event = (struct wcm_event){ .func = sled->func, .at = at,
				    .site = ((const uintptr_t *)cfa)[-1] };
	wcm__event_enter_at(&event, cfa);
}
