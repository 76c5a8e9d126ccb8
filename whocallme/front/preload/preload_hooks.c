/* SPDX-License-Identifier: MIT */
/* preload_hooks.c - the hooks of -finstrument-functions, for a preloaded crash report that has
 * last calls.
 *
 * They take the place of those of trace/source/cyg.c.  A program may be
 * linked with libwhocallme.so, or bring other hooks in a library: those are called next, as
 * a jump, so that they see who called.
 */
#include "front/preload/preload_hooks.h"

#include <dlfcn.h>

#include "trace/flight/flight_ring.h"
#include "trace/probe/gate.h"
#include "whocallme/trace.h"

typedef void hook(void *func, void *call_site);

static hook *next_enter, *next_exit;

void wcm__preload_hooks_prepare(void)
{
	*(void **)&next_enter = dlsym(RTLD_NEXT, "__cyg_profile_func_enter");
	*(void **)&next_exit = dlsym(RTLD_NEXT, "__cyg_profile_func_exit");
}

void __cyg_profile_func_enter(void *func, void *call_site)
{
	const uint32_t flight = wcm__gate_word().flight;

	if (flight)
		wcm__flight_enter((uintptr_t)func, WCM_ARCH_CALLER().sp, flight);
	if (next_enter)
		next_enter(func, call_site);
}

void __cyg_profile_func_exit(void *func, void *call_site)
{
	const uint32_t flight = wcm__gate_word().flight;

	if (flight)
		wcm__flight_leave(flight);
	if (next_exit)
		next_exit(func, call_site);
}
