/* SPDX-License-Identifier: MIT */
/* altstack.c - a stack to report a crash from when the thread's own is full. */
#include "crash/altstack.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "syscall.h"
#include "unwind/read.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { LEAST = 64 * 1024 };

/* What the handler needs on top of what the CPU's state takes (AVX-512 and AMX
 * grow it: getauxval(3)). */
static size_t wanted_size(void)
{
	size_t state = getauxval(AT_MINSIGSTKSZ);

	return (LEAST + state + WCM_PAGE - 1) & ~(WCM_PAGE - 1);
}

static bool is_failure(long result)
{
	return result < 0 && result > -(long)WCM_PAGE;
}

static long map_stack(size_t size)
{
	return wcm__syscall(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

bool wcm__altstack_arm(void)
{
	size_t size = wanted_size(), guard = getauxval(AT_PAGESZ);
	stack_t stack;
	long base;

	if (is_failure(wcm__syscall(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0,
				    0)))
		return false;
	if (!(stack.ss_flags & SS_DISABLE) && stack.ss_size >= size)
		return true;
	base = map_stack(guard + size);
	if (is_failure(base))
		return false;
	stack = (stack_t){ .ss_sp = (char *)base + guard, .ss_size = size };
	if (is_failure(wcm__syscall(SYS_mprotect, base, (long)guard, PROT_NONE,
				    0, 0, 0)) ||
	    is_failure(wcm__syscall(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0,
				    0))) {
		wcm__syscall(SYS_munmap, base, (long)(guard + size), 0, 0, 0, 0);
		return false;
	}
	return true;
}
