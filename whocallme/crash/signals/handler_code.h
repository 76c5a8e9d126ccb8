/* SPDX-License-Identifier: MIT */
/* handler_code.h (SAFE) - tells frames of this library's own signal handlers.
 *
 * A program's handler that ours calls may raise the signal that is reported, or wait
 * while another thread reports.  Then frames of ours stand between it and the signal.
 * They say nothing about the program, and are left out.
 */
#ifndef WCM_SIGNALS_HANDLER_CODE_H
#define WCM_SIGNALS_HANDLER_CODE_H

#include <stdbool.h>

#include "whocallme/stack.h"

/* Of a function from which a program's handler is called.  The linker gives the bounds
 * of a section whose name is a C identifier. */
#define WCM_HANDLER_CODE __attribute__((section("wcm_handlers"), noinline))

/* Both NULL where nothing of the section is linked. */
extern const char __start_wcm_handlers[] __attribute__((weak, visibility("hidden")));
extern const char __stop_wcm_handlers[] __attribute__((weak, visibility("hidden")));

static inline bool wcm__is_of_handler(const struct wcm_frame *frame)
{
	const uintptr_t site = wcm_frame_site(frame);

	return site >= (uintptr_t)__start_wcm_handlers &&
	       site < (uintptr_t)__stop_wcm_handlers;
}

#endif
