/* SPDX-License-Identifier: MIT */
/* overflow.c - was the stack too small?
 *
 * A stack grows downwards into what is below it: a guard page, or nothing.  So the
 * fault is just below a stack, and the stack pointer near it - or, where a single
 * frame was too large, far below.  Where mappings cannot be listed, or the guard is
 * inside of one (MADV_GUARD_INSTALL), which pages can be read tells the same of
 * the thread's own stack.
 */
#include "crash/overflow.h"

#include <sys/resource.h>

#include "syscall.h"
#include "unwind/read.h"
#include "unwind/self.h"

/* How far below the stack pointer code may touch its stack: red zones, and probes
 * ahead of a frame. */
#define SLACK ((uintptr_t)64 << 10)

/* No frame and no stack is larger than this, nor a guard than that. */
#define LARGEST ((uintptr_t)1 << 30)
#define LARGEST_GUARD ((uintptr_t)1 << 20)

/* What the main thread's stack can grow to; 0 where that is without bounds. */
static uint64_t stack_limit(void)
{
	struct rlimit limit;

	if (wcm__syscall(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0,
			 0) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return 0;
	return limit.rlim_cur;
}

/* The first page from LO on, and below TOP, that is behind a guard; LO, where there is
 * none or it does not end. */
static uintptr_t skip_guard(uintptr_t lo, uintptr_t top)
{
	uintptr_t end = lo;

	while (end < top && end - lo <= LARGEST_GUARD &&
	       wcm__count_readable_pages(end, end + WCM_PAGE) == 0)
		end += WCM_PAGE;
	return end < top && end - lo <= LARGEST_GUARD ? end : lo;
}

/* The size of the thread's own stack, which begins at LO, maybe with a guard. */
static uint64_t own_size(uintptr_t lo, uintptr_t top)
{
	uint64_t limit = wcm__is_first_thread() ? stack_limit() : 0;

	if (limit)
		return limit;
	/* Other memory may have been mapped on top without a gap. */
	return ((top | (WCM_PAGE - 1)) + 1) - skip_guard(lo, top);
}

/* The stack that SP is on, or has just left downwards; NULL where it is not to be
 * told. */
static const struct wcm_mapping *stack_of(const struct wcm_place *sp,
					  const struct wcm_place *own)
{
	if (wcm__mapping_is_writable(&sp->at) && sp->at.hi)
		return &sp->at;
	if (sp->kind == WCM_PLACE_GUARD)
		return &sp->above;
	if (own->at.hi && sp->address < own->at.lo &&
	    own->at.lo - sp->address <= LARGEST)
		return &own->at;
	return NULL;
}

/* Whether nothing can be at FAULT but the end of STACK. */
static bool is_end_of(const struct wcm_mapping *stack,
		      const struct wcm_place *fault)
{
	if (fault->at.hi && !wcm__mapping_is_closed(&fault->at))
		return false;
	return fault->above.lo == stack->lo;
}

static bool find_by_mappings(const struct wcm_place *fault,
			     const struct wcm_place *sp,
			     const struct wcm_place *own, uint64_t *size)
{
	const struct wcm_mapping *stack = stack_of(sp, own);
	bool left;

	if (!stack || fault->address >= stack->lo)
		return false;
	/* A frame that led far away led past other mappings. */
	left = !sp->at.hi && fault->kind == WCM_PLACE_GAP;
	if (!left && !is_end_of(stack, fault))
		return false;
	*size = stack->lo == own->at.lo && own->at.hi
			? own_size(stack->lo, own->address)
			: stack->hi - stack->lo;
	return true;
}

static bool find_by_pages(const struct wcm_place *fault,
			  const struct wcm_place *own, uint64_t *size)
{
	const uintptr_t fault_page = fault->address & ~(WCM_PAGE - 1);
	const uintptr_t top = own->address & ~(WCM_PAGE - 1);
	uintptr_t lo;

	if (fault_page >= top || top - fault_page > LARGEST)
		return false;
	lo = skip_guard(fault_page, top);
	if (lo == fault_page || wcm__count_readable_pages(lo, top) != (top - lo) / WCM_PAGE)
		return false;
	*size = own_size(lo, own->address);
	return true;
}

bool wcm__overflow_find(const struct wcm_place *fault,
			const struct wcm_place *sp,
			const struct wcm_place *own, uint64_t *size)
{
	/* Everything below SP has been left, everything above is in use. */
	if (fault->kind == WCM_PLACE_NEAR_NULL ||
	    fault->address + SLACK < sp->address)
		return false;
	return find_by_mappings(fault, sp, own, size) ||
	       find_by_pages(fault, own, size);
}
