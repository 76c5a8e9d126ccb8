/* SPDX-License-Identifier: MIT */
/* fake_stack_span.c - in place of core/unwind/stack_span.c: the stack is not mapped here, so
 * that nothing is loaded from directly. */
#include "core/unwind/stack_span.h"

struct wcm_span wcm__stack_span(uintptr_t sp)
{
	(void)sp;
	return (struct wcm_span){ 0, 0 };
}

bool wcm__stack_is_own(const struct wcm_span *span)
{
	(void)span;
	return false;
}

struct wcm_span wcm__stack_window(uintptr_t sp)
{
	(void)sp;
	return (struct wcm_span){ 0, 0 };
}

bool wcm__stack_reach(struct wcm_span *window, uintptr_t addr)
{
	(void)window, (void)addr;
	return false;
}
