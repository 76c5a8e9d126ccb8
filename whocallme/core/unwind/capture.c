/* SPDX-License-Identifier: MIT */
/* capture.c (SAFE) - the public ways to take a stack. */
#include "whocallme/stack.h"

#include "core/arch/arch.h"
#include "core/unwind/walk.h"

const char *wcm_stop_text(enum wcm_stop stop)
{
	switch (stop) {
	case WCM_STOP_NONE:
		return "there are more frames";
	case WCM_STOP_OUTERMOST:
		return "the thread's first function was reached";
	case WCM_STOP_FULL:
		return "there was room for no more frames";
	case WCM_STOP_NO_RULE:
		return "nothing describes the frame at this pc";
	case WCM_STOP_BAD_FRAME:
		return "the frame contradicts itself";
	case WCM_STOP_UNREADABLE:
		return "the frame lies in memory that cannot be read";
	}
	return "unknown stop reason";
}

size_t wcm_stack_memory(size_t most)
{
	wcm__rule_cache_limit(most);
	return wcm__rule_cache_bytes();
}

/* A frame of its own, which the walk leaves first. */
__attribute__((noinline)) size_t
wcm_stack_capture(struct wcm_frame *frames, size_t cap, unsigned skip,
		  enum wcm_stop *stop)
{
	struct wcm_walk walk;

	wcm__arch_registers_here(&walk.file);
	return wcm__walk_take(&walk, __builtin_return_address(0), frames, cap,
			      skip, stop);
}

size_t wcm_stack_capture_from(const void *ucontext, struct wcm_frame *frames,
			      size_t cap, unsigned skip, enum wcm_stop *stop)
{
	struct wcm_walk walk;

	wcm__walk_start_context(&walk, ucontext);
	return wcm__walk_collect(&walk, frames, cap, skip, stop);
}
