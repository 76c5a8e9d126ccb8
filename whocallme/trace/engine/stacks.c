/* SPDX-License-Identifier: MIT */
/* stacks.c (SAFE) - finds the machine stack that an event is on, and which open calls are still
 * on it.
 *
 * A stack is known by where it begins.  Most events come from a callee of the innermost open
 * call, which needs no search.  Any other has its stack walked: the walk meets the frame of
 * an open call, or ends where a stack begins, which is the one in use, another, or a new one.
 */
#include "trace/engine/shadow.h"

#include <string.h>

#include "core/arch/arch.h"
#include "core/os/memory.h"
#include "core/os/slab.h"
#include "core/unwind/guess.h"
#include "core/unwind/stack_span.h"
#include "trace/engine/aside.h"
#include "trace/engine/hook_frame.h"
#include "trace/engine/sink.h"

enum {
	MOST_FRAMES = 1 << 20,
	MOST_STACKS = 4096,
	/* Calls, at first; a page is taken when it is used.  Where addresses have 32 bits, the
	 * address space is what threads run short of, and not pages.  It is more than ROOM_OTHER,
	 * by which the thread's own is known. */
	ROOM_OWN = (sizeof(void *) < 8 ? 8 : 64) * 1024,
	ROOM_OTHER = 4 * 1024,
	ROOM_BOUNDED = 512, /* where address space is scarce on any CPU */
	MOST_CALLS = 1 << 24, /* open at once on one stack */
	SAME_BEGINNING = 64, /* bytes: what first functions may differ by */
	SIGNAL_FRAME = 16 * 1024, /* bytes at most, vector registers included */
};

/* Where a walk has led. */
struct met {
	uint32_t open;  /* calls whose frames are above; if any was met */
	uintptr_t end;  /* the stack pointer where it ended */
	bool found, is_beginning;
	bool is_whole;  /* IS_BEGINNING beyond doubt */
};

/* Whether the step that led from BELOW to WALK's frame left the stack, a signal having come on
 * another.  A walk that goes from a handler's stack to the interrupted one moves by any
 * distance, where frames of one stack rise, and the kernel's signal frame has a size with a
 * bound. */
static bool left_stack(const struct wcm_walk *walk, uintptr_t below,
		       bool was_signal)
{
	return walk->regs.sp < below ||
	       (was_signal && walk->regs.sp - below > SIGNAL_FRAME);
}

/* Look for FRAME among the calls of SHADOW, of which *COUNT are above all frames so far. */
static bool is_open_call(const struct wcm_shadow *shadow, uint32_t *count,
			 uintptr_t frame)
{
	while (*count > 0 && shadow->call[*count - 1].cfa < frame)
		--*count;
	return *count > 0 && shadow->call[*count - 1].cfa == frame;
}

/* Calls of SHADOW whose frames are above that at CFA. */
static uint32_t count_above(const struct wcm_shadow *shadow, uintptr_t cfa)
{
	uint32_t count = shadow->depth;

	while (count > 0 && shadow->call[count - 1].cfa <= cfa)
		count--;
	return count;
}

/* Walk from AT, whose frame is at CFA, until a frame is that of an open call.  Calls that lie
 * between two frames of the walk have ended: as it passes them, OPEN counts down.  MOST_FRAMES
 * ends a walk in a circle that the walk itself does not notice. */
static struct met walk_up(const struct wcm_shadow *shadow,
			  const struct wcm_regs *at, uintptr_t cfa)
{
	struct met met = { .open = count_above(shadow, cfa), .end = at->sp };
	struct wcm_walk walk;

	if (!wcm__hook_frame_walk(&walk, at))
		return met;
	for (int i = 0; i < MOST_FRAMES; i++) {
		const bool was_signal = walk.frame.flags & WCM_FRAME_SIGNAL;

		wcm__walk_next(&walk);
		if (walk.stop != WCM_STOP_NONE ||
		    left_stack(&walk, met.end, was_signal))
			break;
		met.end = walk.regs.sp;
		if (is_open_call(shadow, &met.open, walk.regs.sp)) {
			met.found = true;
			return met;
		}
	}
	/* Any other reason to stop means that the frames above are unknown, not absent.  To whom a
	 * coroutine's first function returns no call has led; within the thread's own stack that is
	 * not said to be the whole, for it may have been written over. */
	met.is_whole = walk.stop == WCM_STOP_OUTERMOST;
	met.is_beginning = met.is_whole || (walk.stop == WCM_STOP_NO_RULE &&
					    wcm__frame_is_planted(&walk.frame));
	return met;
}

static bool begins_at(const struct wcm_shadow *shadow, uintptr_t end)
{
	return end + SAME_BEGINNING > shadow->hi &&
	       end < shadow->hi + SAME_BEGINNING;
}

static bool holds(const struct wcm_shadow *shadow, uintptr_t sp)
{
	return sp >= shadow->lo && sp < shadow->hi;
}

/* A walk to the beginning of a stack ends within SAME_BEGINNING bytes each time, whatever
 * function it is that ran first.  One that broke off tells nothing but where it was. */
static bool is_same_stack(const struct wcm_shadow *shadow,
			  const struct met *met, uintptr_t sp)
{
	if (met->found)
		return true;
	if (met->is_beginning)
		return begins_at(shadow, met->end);
	return holds(shadow, met->end) || holds(shadow, sp);
}

/* Room for many calls, of which the kernel gives pages as they are used. */
static struct wcm_shadow *make(uint32_t room)
{
	struct wcm_shadow *shadow = wcm__slab_take(sizeof(struct wcm_shadow) +
					room * sizeof(struct wcm_call));

	if (!shadow)
		return NULL;
	shadow->room = room;
	shadow->most = MOST_CALLS;
	shadow->call = (struct wcm_call *)(shadow + 1);
	return shadow;
}

/* Other threads may be reading the calls: where they were stays mapped, without
 * memory. */
static void give_back(const struct wcm_call *call, uint32_t count)
{
	const uintptr_t lo = ((uintptr_t)call + WCM_PAGE - 1) & ~(WCM_PAGE - 1);
	const uintptr_t hi = (uintptr_t)(call + count) & ~(WCM_PAGE - 1);

	if (lo < hi)
		wcm__madvise((void *)lo, hi - lo, MADV_DONTNEED);
}

/* The calls move to memory of twice the size. */
bool wcm__stacks_grow(struct wcm_shadow *shadow)
{
	const uint32_t room = shadow->room;
	struct wcm_call *call = shadow->call, *more;

	if (room >= shadow->most)
		return false;
	more = wcm__slab_take(2 * room * sizeof(*more));
	if (!more)
		return false;
	/* Complete before it is stored: a crash report's thread may read the calls at any
	 * moment. */
	memcpy(more, call, room * sizeof(*more));
	__atomic_store_n(&shadow->call, more, __ATOMIC_RELEASE);
	shadow->room = 2 * room;
	give_back(call, room);
	return true;
}

/* A shadow that no open call needs, or a new one; of too many, the one that was
 * left longest ago, unless it is the roomy one: the thread's own stack is waiting for
 * the others. */
static struct wcm_shadow *spare(struct wcm_tracer *tracer)
{
	struct wcm_shadow *shadow, *oldest = NULL;
	uint32_t count = 0;

	for (shadow = tracer->shadows; shadow; shadow = shadow->next, count++) {
		if (shadow->depth == 0 && shadow != tracer->shadow)
			return shadow;
		if (shadow->room < ROOM_OWN || !oldest)
			oldest = shadow;
	}
	if (count >= MOST_STACKS)
		return oldest;
	shadow = make(wcm__slab_is_bounded() ? ROOM_BOUNDED :
		      count == 0	     ? ROOM_OWN : ROOM_OTHER);
	if (!shadow)
		return oldest;
	shadow->next = tracer->shadows;
	tracer->shadows = shadow;
	return shadow;
}

/* The stack in use is the first of the list.  LEAVE_STACK comes while the old stack is still in
 * use, for the sink to write what it holds of it. */
static void use(struct wcm_tracer *tracer, struct wcm_shadow *shadow)
{
	struct wcm_shadow **link = &tracer->shadows;

	if (tracer->sink->leave_stack && shadow != tracer->shadow)
		tracer->sink->leave_stack(tracer);
	while (*link && *link != shadow)
		link = &(*link)->next;
	if (*link) /* it is not in the list where a jump has left this */
		*link = shadow->next;
	shadow->next = tracer->shadows;
	tracer->shadows = shadow;
	tracer->shadow = shadow;
	tracer->sink = wcm__aside_sink_of(shadow);
}

static struct wcm_new_stack make_stack(struct wcm_tracer *tracer, uintptr_t lo,
				       uintptr_t hi, bool alternate)
{
	const uint32_t base =
		alternate && tracer->shadow ? wcm__shadow_shown(tracer->shadow) : 0;

	return (struct wcm_new_stack){ .shadow = spare(tracer), .lo = lo, .hi = hi,
				       .base = base, .alternate = alternate };
}

/* Whether MADE is the stack that the system gave to the thread: it ends where that does, up to what
 * is above the first function, and no other has been found to be that.  A coroutine's may lie
 * within it, or behind it in a row of pages. */
static bool is_threads(const struct wcm_tracer *tracer, const struct wcm_new_stack *made)
{
	enum { ABOVE = 128 * 1024 }; /* arguments and environment, or thread-local variables */
	const uintptr_t top = wcm__stack_top();
	const struct wcm_span span = wcm__stack_span(made->lo);

	for (const struct wcm_shadow *shadow = tracer->shadows; shadow; shadow = shadow->next)
		if (shadow != made->shadow && !shadow->alternate && shadow->floor < shadow->hi)
			return false;
	return made->is_whole && top > made->hi && top - made->hi < ABOVE &&
	       span.lo <= made->lo && span.hi > top;
}

/* See call.h; the end, where it is not known. */
static uintptr_t floor_of(const struct wcm_tracer *tracer, const struct wcm_new_stack *made)
{
	const uintptr_t bottom = made->alternate		  ? made->lo :
				 is_threads(tracer, made) ? wcm__stack_bottom() : 0;

	return bottom != 0 && bottom < made->hi && made->hi - bottom > WCM_ASIDE_ROOM ?
		       bottom + WCM_ASIDE_ROOM : made->hi;
}

void wcm__stacks_begin(struct wcm_tracer *tracer, const struct wcm_new_stack *made)
{
	struct wcm_shadow *shadow = made->shadow;

	shadow->seen = UINTPTR_MAX;
	shadow->lo = made->lo;
	shadow->hi = made->hi;
	shadow->floor = floor_of(tracer, made);
	shadow->dropped = 0;
	shadow->alternate = made->alternate;
	shadow->base = made->base;
	use(tracer, shadow);
}

/* The stack that SP is on; of two the one that ends first, as coroutines may have their stacks
 * within their thread's.  LO is as low as the stack has been seen, so that one that grows
 * further is not found here, and is walked. */
static struct wcm_shadow *find_holder(const struct wcm_tracer *tracer,
				      uintptr_t sp)
{
	struct wcm_shadow *best = NULL;

	for (struct wcm_shadow *shadow = tracer->shadows; shadow;
	     shadow = shadow->next)
		if (holds(shadow, sp) && (!best || shadow->hi < best->hi))
			best = shadow;
	return best;
}

bool wcm__stacks_switch(struct wcm_tracer *tracer, uintptr_t sp)
{
	struct wcm_shadow *shadow = find_holder(tracer, sp);

	if (!shadow || shadow == tracer->shadow)
		return false;
	use(tracer, shadow);
	return true;
}

/* The calls of SHADOW whose frames may still be there, with one at CFA.  By the stack pointer,
 * not the CFA: the call that made this one has its stack pointer at or above the callee's CFA. */
static uint32_t count_open(const struct wcm_shadow *shadow, uintptr_t cfa)
{
	uint32_t count = shadow->depth;

	while (count > 0 && shadow->call[count - 1].sp < cfa)
		count--;
	return count;
}

/* A walk that broke off does not tell the stack in use from one in an array within it: nobody knows
 * what room there is, from here on. */
static void forget_room(struct wcm_tracer *tracer, const struct met *met)
{
	struct wcm_shadow *shadow = tracer->shadow;

	if (met->found || met->is_beginning)
		return;
	shadow->floor = shadow->hi;
	tracer->sink = wcm__aside_sink_of(shadow);
}

/* Use the stack that MET has told of; MADE, where it is new.  FOUND was of the stack in use and
 * says nothing of others, so that a copy without it is compared with each. */
static void use_met(struct wcm_tracer *tracer, const struct met *met,
		    uintptr_t sp, struct wcm_new_stack *made)
{
	for (struct wcm_shadow *shadow = tracer->shadows; shadow;
	     shadow = shadow->next)
		if (is_same_stack(shadow, &(struct met){
				.end = met->end,
				.is_beginning = met->is_beginning }, sp)) {
			use(tracer, shadow);
			forget_room(tracer, met);
			return;
		}
	*made = make_stack(tracer, sp, met->end > sp ? met->end : sp + 1, false);
	made->is_whole = met->is_whole;
}

/* A handler runs on the alternate stack.  What is left of the one before it was
 * left by a jump. */
static uint32_t use_alternate(struct wcm_tracer *tracer, uintptr_t lo,
			      uintptr_t hi, uintptr_t cfa,
			      struct wcm_new_stack *made)
{
	const struct wcm_shadow *interrupted = tracer->shadow;
	uint32_t count;

	/* A CFA at the very end of the stack is one beyond its last byte. */
	if (!wcm__stacks_switch(tracer, cfa - 1)) {
		*made = make_stack(tracer, lo, hi, true);
		return 0;
	}
	count = count_open(tracer->shadow, cfa);
	if (count == 0 && tracer->shadow != interrupted)
		tracer->shadow->base = wcm__shadow_shown(interrupted);
	return count;
}

uint32_t wcm__stacks_find(struct wcm_tracer *tracer, const struct wcm_regs *at,
			  uintptr_t cfa, struct wcm_new_stack *made)
{
	const struct wcm_shadow *shadow;
	struct wcm_span alternate;
	struct met met;

	/* The system call for the alternate stack is spared while events are on the stack in
	 * use. */
	if (!holds(tracer->shadow, at->sp)) {
		alternate = wcm__stack_alternate(at->sp);
		if (alternate.hi != 0)
			return use_alternate(tracer, alternate.lo, alternate.hi, cfa, made);
		wcm__stacks_switch(tracer, at->sp);
	}
	shadow = tracer->shadow;
	met = walk_up(shadow, at, cfa);
	if (met.found)
		return met.open;
	if (is_same_stack(shadow, &met, at->sp)) {
		forget_room(tracer, &met);
		return count_open(shadow, cfa);
	}
	use_met(tracer, &met, at->sp, made);
	return count_open(tracer->shadow, cfa);
}
