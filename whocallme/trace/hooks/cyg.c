/* SPDX-License-Identifier: MIT */
/* cyg.c (SAFE) - the hooks that code built with -finstrument-functions calls.
 *
 * A hook runs wherever its program does: in a signal handler, under malloc's lock, on a
 * coroutine's stack.  It leaves errno alone, and what it calls itself is never traced.
 *
 * The preloaded crash report has hooks of its own, in the place of these.
 */
#include "whocallme/trace.h"

#include "core/arch/arch.h"
#include "trace/flight/flight_ring.h"
#include "trace/engine/handle_event.h"

/* trace/start/trace_start.c reads WHOCALLME_TRACE before main.  A static link that refers
 * to nothing but the hooks gets it by this reference; it is never followed. */
extern const char wcm__trace_control;
__attribute__((used)) static const char *const control = &wcm__trace_control;

/* Apart from the hooks, so that these need no registers but the ones they are given while no
 * trace is open. */
__attribute__((noinline)) static void trace_enter(void *func, void *site, uintptr_t pc,
						  uintptr_t sp, uintptr_t fp)
{
	wcm__event_enter(&(struct wcm_event){ .func = (uintptr_t)func, .site = (uintptr_t)site,
					       .at = { .pc = pc, .sp = sp, .fp = fp } });
}

__attribute__((noinline)) static void trace_leave(void *func, void *site, uintptr_t pc,
						  uintptr_t sp, uintptr_t fp)
{
	wcm__event_leave(&(struct wcm_event){ .func = (uintptr_t)func, .site = (uintptr_t)site,
					       .at = { .pc = pc, .sp = sp, .fp = fp } });
}

__attribute__((noinline)) static void trace_and_note(void *func, void *site, uintptr_t pc,
						     uintptr_t sp, uintptr_t fp)
{
	const uint32_t flight = wcm__gate_word().flight;

	if (flight)
		wcm__flight_enter((uintptr_t)func, sp, flight);
	trace_enter(func, site, pc, sp, fp);
}

void __cyg_profile_func_enter(void *func, void *call_site)
{
	const union wcm_gate_word on = wcm__gate_word();
	const struct wcm_regs at = WCM_ARCH_CALLER();

	if (__builtin_expect(on.any == 0, 1))
		return;
	if (!on.flight)
		trace_enter(func, call_site, at.pc, at.sp, at.fp);
	else if (!on.live)
		wcm__flight_enter((uintptr_t)func, at.sp, on.flight);
	else
		trace_and_note(func, call_site, at.pc, at.sp, at.fp);
}

void __cyg_profile_func_exit(void *func, void *call_site)
{
	const union wcm_gate_word on = wcm__gate_word();
	const struct wcm_regs at = WCM_ARCH_CALLER();

	if (__builtin_expect(on.any == 0, 1))
		return;
	if (on.flight)
		wcm__flight_leave(on.flight);
	if (on.live)
		trace_leave(func, call_site, at.pc, at.sp, at.fp);
}
