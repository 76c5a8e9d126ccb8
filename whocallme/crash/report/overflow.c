/* SPDX-License-Identifier: MIT */
/* overflow.c (SAFE) - tells whether a fault was a stack overflow.
 *
 * A stack grows downwards into what is below it: a guard page, or nothing.  So the
 * fault is just below a stack, and the stack pointer near it.  A single frame that is
 * too large leads far below, to any other memory: another thread's stack, or the guard
 * of that.  Then the frame decides, since it begins on the thread's own stack.
 *
 * The thread's own stack ends where its pages cannot be read any more: it may be one
 * mapping with others, and its guard marked inside of that (MADV_GUARD_INSTALL).  So
 * mappings are listed for other stacks alone, and where pages are too many to be asked for:
 * a report's first line waits for the answer.
 */
#include "crash/report/form.h"

#include "core/os/process.h"
#include "core/os/read.h"
#include "core/os/self.h"
#include "core/unwind/walk.h"

/* How far below the stack pointer code may touch its stack: red zones, and probes
 * ahead of a frame. */
#define SLACK ((uintptr_t)64 << 10)

/* No frame and no stack is larger than this, nor a guard than that. */
#define LARGEST ((uintptr_t)1 << 30)
#define LARGEST_GUARD ((uintptr_t)1 << 20)

/* The pages of so much are asked for sooner than mappings are listed. */
#define QUICKLY_READ ((uint64_t)64 << 20)

/* What the main thread's stack can grow to; 0 where that is without bounds. */
static uint64_t stack_limit(void)
{
	struct rlimit limit;

	if (wcm__prlimit(RLIMIT_STACK, NULL, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return 0;
	return limit.rlim_cur;
}

static uintptr_t page_of(uintptr_t address)
{
	return address & ~(WCM_PAGE - 1);
}

static bool is_readable(uintptr_t page)
{
	return wcm__count_readable_pages(page, page + WCM_PAGE) == 1;
}

/* The first page that is behind the closed ones from LO on, and not beyond TOP. */
static uintptr_t skip_guard(uintptr_t lo, uintptr_t top)
{
	const uintptr_t from = lo;

	while (lo < top && lo - from <= LARGEST_GUARD && !is_readable(lo))
		lo += WCM_PAGE;
	return lo;
}

/* The lowest page from which on all up to END can be read; END: there is none. */
static uintptr_t readable_below(uintptr_t end)
{
	enum { LOT = 64 };
	uintptr_t lo = end;

	while (end - lo < LARGEST && lo > LOT * WCM_PAGE) {
		const uintptr_t lot = lo - LOT * WCM_PAGE;
		uintptr_t from = lot, to;

		for (;;) {
			to = from + wcm__count_readable_pages(from, lo) * WCM_PAGE;
			if (to == lo)
				break;
			from = to + WCM_PAGE;
		}
		lo = from;
		if (from > lot)
			break;
	}
	return lo;
}

/* The mapping that the first thread's stack is in, of which SP is near; NULL: it is elsewhere. */
static const struct wcm_mapping *first_stack(struct wcm_places *places, uintptr_t top)
{
	const struct wcm_location *sp = &places->sp;
	const struct wcm_mapping *stack;

	wcm__places_find(places);
	stack = sp->at.hi ? &sp->at : &sp->above;
	return stack->hi >= top && is_readable(stack->lo) ? stack : NULL;
}

/* Where the thread's own stack begins, whose last page ends at TOP.  The first thread's may be
 * without bounds. */
static uintptr_t own_stack(struct wcm_places *places, uintptr_t top)
{
	const uint64_t limit = wcm__is_first_thread() ? stack_limit() : QUICKLY_READ;
	const struct wcm_mapping *stack = NULL;

	if (limit == 0 || limit > QUICKLY_READ)
		stack = first_stack(places, top);
	return stack ? stack->lo : readable_below(top);
}

/* Whether a frame that ends below LO begins above, on the thread's own stack: what
 * signals interrupt may be on any. */
static bool has_outgrown(const void *ucontext, uintptr_t lo, uintptr_t top)
{
	enum { DEEPEST = 64 };
	struct wcm_walk walk;

	wcm__walk_start_context(&walk, ucontext);
	for (int i = 0; i < DEEPEST && walk.stop == WCM_STOP_NONE; i++) {
		if (walk.regs.sp >= lo)
			return walk.regs.sp < top;
		if (walk.frame.flags & WCM_FRAME_SIGNAL)
			return false;
		wcm__walk_next(&walk);
	}
	return false;
}

static bool is_within_reach(uintptr_t address, uintptr_t top)
{
	return address < top && top - address <= LARGEST;
}

/* The stack that SP is on, or has just left downwards; NULL where it is not to be
 * told. */
static const struct wcm_mapping *stack_of(const struct wcm_location *sp)
{
	if (wcm__mapping_is_writable(&sp->at) && sp->at.hi)
		return &sp->at;
	return sp->kind == WCM_LOCATION_GUARD ? &sp->above : NULL;
}

/* Whether SP, below LO where the thread's own stack begins, may have come from another stack:
 * it is in memory, or in the guard of one.  No other is between LO and its own guard. */
static bool may_be_on_another(struct wcm_places *places, uintptr_t lo)
{
	const uintptr_t page = page_of(places->sp.address);
	const struct wcm_mapping *stack;

	if (is_readable(page))
		return true;
	if (skip_guard(page, lo) == lo)
		return false;
	wcm__places_find(places);
	stack = stack_of(&places->sp);
	return stack && stack->hi <= lo;
}

static bool find_on_own(struct wcm_places *places, uintptr_t own, const void *ucontext,
			uint64_t *size)
{
	const uintptr_t sp = places->sp.address;
	const uintptr_t page = page_of(places->fault.address);
	const uintptr_t top = page_of(own) + WCM_PAGE;
	uintptr_t lo;

	if (!is_within_reach(page, top) || !is_within_reach(sp, top))
		return false;
	lo = own_stack(places, top);
	if (page >= lo || lo == top)
		return false;
	if (sp >= lo ? skip_guard(page, lo) != lo
		     : may_be_on_another(places, lo) && !has_outgrown(ucontext, lo, top))
		return false;
	*size = wcm__is_first_thread() ? stack_limit() : 0;
	if (*size == 0)
		*size = top - lo;
	return true;
}

/* Whether nothing can be at FAULT but the end of STACK. */
static bool is_end_of(const struct wcm_mapping *stack,
		      const struct wcm_location *fault)
{
	if (fault->at.hi && !wcm__mapping_is_closed(&fault->at))
		return false;
	return fault->above.lo == stack->lo;
}

/* A stack ends between the fault and SP, or it has ended where SP is. */
static bool find_elsewhere(struct wcm_places *places, uint64_t *size)
{
	const uintptr_t fault = places->fault.address, sp = places->sp.address;
	const struct wcm_mapping *stack;

	if (is_readable(page_of(sp)) && (fault >= sp || is_readable(page_of(fault))))
		return false;
	wcm__places_find(places);
	stack = stack_of(&places->sp);
	if (!stack || fault >= stack->lo || !is_end_of(stack, &places->fault))
		return false;
	*size = stack->hi - stack->lo;
	return true;
}

bool wcm__overflow_find(struct wcm_places *places, uintptr_t own, const void *ucontext,
			uint64_t *size)
{
	/* Everything below SP has been left, everything above is in use. */
	if (wcm__is_near_null(places->fault.address) ||
	    places->fault.address + SLACK < places->sp.address)
		return false;
	return find_on_own(places, own, ucontext, size) || find_elsewhere(places, size);
}
