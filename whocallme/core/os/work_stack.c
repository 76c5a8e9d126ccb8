/* SPDX-License-Identifier: MIT */
/* work_stack.c - calls a function on a stack of its own.
 *
 * A coroutine may have 16 KiB of stack, and a demangler needs 25.  The stack is mapped for
 * one call, which is rare, and unmapped after it.
 */
#include "core/os/work_stack.h"

#include <sys/mman.h>

#include "core/arch/arch.h"
#include "core/os/mask.h"
#include "syscall.h"

enum { SIZE = 256 * 1024, GUARD = 4096 };

void wcm__work_stack_call(void (*work)(void *argument), void *argument)
{
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	const long stack = wcm__syscall(SYS_mmap, 0, SIZE, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS |
						MAP_NORESERVE | MAP_STACK,
					-1, 0);
	const bool mapped = stack > 0 || stack < -GUARD;

	if (mapped)
		wcm__syscall(SYS_mprotect, stack, GUARD, PROT_NONE, 0, 0, 0);
	if (!mapped || !wcm__arch_call_on((char *)stack + SIZE, work, argument))
		work(argument);
	if (mapped)
		wcm__syscall(SYS_munmap, stack, SIZE, 0, 0, 0, 0);
	wcm__mask_set(mask);
}
