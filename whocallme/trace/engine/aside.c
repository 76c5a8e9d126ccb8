/* SPDX-License-Identifier: MIT */
/* aside.c (SAFE) - calls a function on the thread's own stack of the library's. */
#include "trace/engine/aside.h"

#include "core/arch/arch.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/work_stack.h"

/* At the top of a stack that is in use. */
struct taken {
	uint64_t mask;  /* to be blocked again behind it */
	void *mapped;   /* for one event alone; or NULL */
};

/* What has been switched to already is switched to once. */
static bool is_aside(const struct wcm_tracer *tracer)
{
	return (uintptr_t)__builtin_frame_address(0) - (uintptr_t)tracer->stack <
	       sizeof(tracer->stack);
}

__attribute__((noinline)) static void switch_over(struct wcm_tracer *tracer,
						   void (*work)(void *argument), void *argument)
{
	if (!wcm__arch_call_on(tracer->stack + sizeof(tracer->stack), work, argument))
		work(argument);
}

__attribute__((noinline)) static void call_masked(struct wcm_tracer *tracer,
						  void (*work)(void *argument), void *argument)
{
	uint64_t mask;

	if (!tracer) {
		wcm__work_stack_call(work, argument);
	} else if (is_aside(tracer)) {
		work(argument);
	} else {
		mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
		switch_over(tracer, work, argument);
		wcm__mask_set(mask);
	}
}

void wcm__aside(struct wcm_tracer *tracer, void (*work)(void *argument), void *argument)
{
	if (tracer && wcm__has_room(tracer->shadow, (uintptr_t)__builtin_frame_address(0)))
		work(argument);
	else
		call_masked(tracer, work, argument);
}

void wcm__aside_from(struct wcm_tracer *tracer, uintptr_t sp, void (*work)(void *argument),
		     void *argument)
{
	if (tracer && wcm__has_room_at(tracer->shadow, sp))
		work(argument);
	else
		call_masked(tracer, work, argument);
}

__attribute__((noinline)) void wcm__aside_in_handler(struct wcm_tracer *tracer,
						     void (*work)(void *argument), void *argument)
{
	if (!tracer)
		wcm__work_stack_call(work, argument);
	else if (is_aside(tracer))
		work(argument);
	else
		switch_over(tracer, work, argument);
}

/* A hook that is under way has been interrupted, maybe on TRACER's stack, by a fault of its own. */
void *wcm__aside_take(struct wcm_tracer *tracer)
{
	struct taken taken = { .mapped = NULL };
	char *stack = tracer && tracer->inside == 0 ? tracer->stack : NULL;

	if (tracer && is_aside(tracer))
		return NULL;
	taken.mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	if (!stack)
		stack = taken.mapped = wcm__map_sparse(sizeof(tracer->stack));
	if (!stack) {
		wcm__mask_set(taken.mask);
		return NULL;
	}
	stack += sizeof(tracer->stack) - sizeof(taken);
	*(struct taken *)(void *)stack = taken;
	return stack;
}

void wcm__aside_give_back(void *top)
{
	const struct taken taken = *(const struct taken *)top;

	if (taken.mapped)
		wcm__unmap(taken.mapped, sizeof(((struct wcm_tracer *)0)->stack));
	wcm__mask_set(taken.mask);
}
