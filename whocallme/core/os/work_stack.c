/* SPDX-License-Identifier: MIT */
/* work_stack.c (SAFE) - calls a function on a stack of its own.
 *
 * A coroutine may have 16 KiB of stack, and a demangler needs 25.  The stack is mapped for
 * one call, which is rare, and unmapped after it.
 */
#include "core/os/work_stack.h"

#include "core/arch/arch.h"
#include "core/os/mask.h"
#include "core/os/memory.h"

enum { SIZE = 256 * 1024, GUARD = WCM_LARGEST_PAGE };

void wcm__work_stack_call(void (*work)(void *argument), void *argument)
{
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	char *const stack = wcm__map_with(SIZE, MAP_NORESERVE | MAP_STACK);

	if (stack)
		wcm__mprotect(stack, GUARD, PROT_NONE);
	if (!stack || !wcm__arch_call_on(stack + SIZE, work, argument))
		work(argument);
	if (stack)
		wcm__unmap(stack, SIZE);
	wcm__mask_set(mask);
}
