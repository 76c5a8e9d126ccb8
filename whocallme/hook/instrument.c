/* SPDX-License-Identifier: MIT */
/* instrument.c - what code built with -finstrument-functions calls.
 *
 * A hook runs anywhere its program does: in a signal handler, under malloc's
 * lock, on a coroutine's stack.  It reads frozen tables, writes one line and
 * leaves errno alone; what it calls itself is never traced.
 */
#include "whocallme/trace.h"

#include "hook/gate.h"
#include "report/text.h"

/* trace/control.c reads WHOCALLME_TRACE before main.  A static link that refers
 * to nothing but the hooks gets it by this reference; it is never followed. */
extern const char wcm__trace_control;
__attribute__((used)) static const char *const control = &wcm__trace_control;

/* Where on the stack the hook that is running began, or 0. */
static __thread uintptr_t inside __attribute__((tls_model("initial-exec")));

/* Whether a hook below us is still running: one that was left by a long jump has
 * had its stack given back. */
static bool is_nested(uintptr_t here)
{
	return inside != 0 && here < inside;
}

static void write_pair(uintptr_t func, uintptr_t call_site)
{
	struct wcm_line line;

	wcm__line_init(&line, wcm__gate.fd);
	wcm__line_text(&line, "__cyg_profile_func_enter: func = ");
	wcm__text_function(&line, func, wcm__line_name);
	wcm__line_text(&line, ", called by = ");
	wcm__text_function(&line, call_site - 1, wcm__line_name);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

void __cyg_profile_func_enter(void *func, void *call_site)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!wcm__gate_is_open() || is_nested(here))
		return;
	inside = here;
	write_pair((uintptr_t)func, (uintptr_t)call_site);
	inside = 0;
}

void __cyg_profile_func_exit(void *func, void *call_site)
{
	(void)func, (void)call_site;
}
