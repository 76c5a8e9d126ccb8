/* SPDX-License-Identifier: MIT */
/* cyg.c - the hooks that code built with -finstrument-functions calls.
 *
 * A hook runs wherever its program does: in a signal handler, under malloc's lock, on a
 * coroutine's stack.  It leaves errno alone, and what it calls itself is never traced.
 */
#include "whocallme/trace.h"

#include "core/arch/arch.h"
#include "trace/probe/handle_event.h"

/* trace/control/trace_start.c reads WHOCALLME_TRACE before main.  A static link that refers
 * to nothing but the hooks gets it by this reference; it is never followed. */
extern const char wcm__trace_control;
__attribute__((used)) static const char *const control = &wcm__trace_control;

void __cyg_profile_func_enter(void *func, void *call_site)
{
	if (wcm__gate_is_open())
		wcm__event_enter(&(struct wcm_event){ .func = (uintptr_t)func,
						       .site = (uintptr_t)call_site,
						       .at = WCM_ARCH_CALLER(), .now = 0 });
}

void __cyg_profile_func_exit(void *func, void *call_site)
{
	if (wcm__gate_is_open())
		wcm__event_leave(&(struct wcm_event){ .func = (uintptr_t)func,
						       .site = (uintptr_t)call_site,
						       .at = WCM_ARCH_CALLER(), .now = 0 });
}
