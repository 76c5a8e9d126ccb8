/* SPDX-License-Identifier: MIT */
/* stack_span.c - where the calling thread's stack is, found without libc.
 *
 * A thread's own stack stays mapped for the thread's life, so what was found
 * readable once, from some sp up to the top, is remembered in the thread.  The
 * top is known from what lies there: the kernel puts the executable's name
 * above the main thread's stack, and libc a thread's TLS block above its own.
 * Any other stack - alternate, coroutine - may go at any time; of it only the
 * page in use is taken on trust.
 */
#include "unwind/stack_span.h"

#include "arch/arch.h"
#include "symbols/auxv.h"
#include "syscall.h"

/* Farther from the top than this is another stack. */
#define REACH ((uintptr_t)256 << 20)

static __thread struct wcm_span own
	__attribute__((tls_model("initial-exec")));

static uintptr_t page_of(uintptr_t addr)
{
	return addr & ~(WCM_PAGE - 1);
}

static bool is_main_thread(void)
{
	return wcm__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0) ==
	       wcm__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* An address at the top of the thread's own stack; 0 where it is unknown. */
static uintptr_t stack_top(void)
{
	if (is_main_thread())
		return wcm__auxv(AT_EXECFN);
	return (uintptr_t)&own;
}

/* Whether all of [lo, hi) is readable, and so part of one stack. */
static bool is_contiguous(uintptr_t lo, uintptr_t hi)
{
	return lo < hi && hi - lo <= REACH &&
	       wcm__count_readable_pages(lo, hi) == (hi - lo) / WCM_PAGE;
}

struct wcm_span wcm__stack_span(uintptr_t sp)
{
	uintptr_t hi = own.hi ? own.lo : page_of(stack_top()) + WCM_PAGE;

	if (wcm__span_holds(&own, sp, sizeof(uintptr_t)))
		return own;
	if (is_contiguous(page_of(sp), hi)) {
		if (!own.hi)
			own.hi = hi;
		own.lo = page_of(sp);
		return own;
	}
	if (wcm__count_readable_pages(page_of(sp), page_of(sp) + WCM_PAGE))
		return (struct wcm_span){ page_of(sp), page_of(sp) + WCM_PAGE };
	return (struct wcm_span){ 0, 0 };
}
