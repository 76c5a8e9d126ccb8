/* SPDX-License-Identifier: MIT */
/* sled_first.c - the first stage of an entry, for which no vector registers are saved.
 *
 * To save these takes ten times as long as to note a call.  So this is compiled for general
 * registers alone, as all hooks are, and calls nothing of libc's, which is not: a lint test
 * holds it to that.  What it cannot do it leaves as it is, and the second stage does all.
 */
#include "trace/source/sled/sled_enter.h"

#include "trace/flight/flight_ring.h"
#include "trace/probe/gate.h"
#include "trace/source/sled/sled_list.h"
#include "trace/source/sled/user_hook.h"

bool wcm__sled_passed(uintptr_t *frame)
{
	const struct wcm_regs at = wcm__arch_sled_caller(frame);
	const union wcm_gate_word on = wcm__gate_word();
	struct wcm_flight_ring *ring = wcm__flight_own;

	if (on.live || __atomic_load_n(&wcm__user_hook, __ATOMIC_RELAXED))
		return false;
	/* The linker's calls and those of return trampolines come from no sled. */
	if (!wcm__sleds_returning_to(at.pc))
		return false;
	if (!on.flight || wcm__user_hook_calls(at.sp))
		return true;
	if (!wcm__flight_is_for(ring, on.flight))
		return false;
	wcm__flight_note(ring, at.pc, at.sp, WCM_FLIGHT_BY_SP);
	return true;
}
