/* SPDX-License-Identifier: MIT */
/* tracer.h - what a thread has of its own while it is traced.
 *
 * It is mapped at the thread's first event, found by one thread-local pointer, and
 * kept until the trace has no more use for it: keyed by the thread's life, not by
 * its number, which the kernel gives away again.
 */
#ifndef WCM_HOOK_TRACER_H
#define WCM_HOOK_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call that has not ended.  Depth is its index in its stack. */
struct wcm_call {
	uintptr_t func; /* the function's address */
	uintptr_t site; /* where it returns to */
	uintptr_t cfa;  /* of the function's frame (canonical frame address) */
	uintptr_t sp;   /* in the function, when it called the hook */
	uint64_t begin; /* wcm__ticks_ns() */
	uint64_t inner; /* nanoseconds in calls that it made */
	uint32_t flags; /* WCM_CALL_* */
	uint32_t index; /* the sink's own */
};

#define WCM_CALL_HIDDEN 0x1u /* a filter keeps it from the sink */

/* How a call ended. */
enum wcm_end {
	WCM_END_EXIT,    /* its exit was reported */
	WCM_END_UNWOUND, /* its frame is gone without: exception, longjmp */
};

/* The open calls of one machine stack: the thread's own, that of a coroutine, an
 * alternate signal stack. */
struct wcm_shadow {
	struct wcm_shadow *next;
	uintptr_t lo, hi; /* what the machine stack spans, as far as is known */
	uint32_t depth, room;
	uint64_t dropped; /* calls deeper than there is room for, now open */
	struct wcm_call *call; /* DEPTH of them, the outermost first */
};

struct wcm_tracer {
	struct wcm_tracer *next; /* of all */
	int pid, tid;
	uint32_t generation;       /* of the trace it is for */
	bool inside;               /* a hook is running */
	bool ended;                /* the thread is no more */
	struct wcm_shadow *shadow; /* of the stack in use */
	uint64_t calls, lost, unwound;
	uint32_t deepest;          /* depth, from 1 */
	uint64_t most_stack;       /* bytes of the thread's stack in use, at most */
	void *sink; /* the sink's own: ring, edges, last line */
};

/* The calling thread's, made if need be; NULL: no memory, or the thread is not
 * traced. */
struct wcm_tracer *wcm__tracer_mine(void);

/* All of them: follow next.  Only ever grows at its head. */
struct wcm_tracer *wcm__tracer_first(void);

#endif
