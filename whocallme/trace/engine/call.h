/* SPDX-License-Identifier: MIT */
/* call.h (SAFE) - an open call, and the open calls of one machine stack.
 *
 * They are data, shared by what keeps them (shadow.c), what finds the stack (stacks.c),
 * and the sinks that are told of them.
 */
#ifndef WCM_PROBE_CALL_H
#define WCM_PROBE_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_call_state {
	uint32_t flags : 8;   /* WCM_CALL_* */
	uint32_t hidden : 24; /* calls of this stack that it is in and sinks know nothing of */
};

/* A call that has not ended.  Depth is its index in its stack, and BASE more. */
struct wcm_call {
	uintptr_t func; /* the function's address */
	uintptr_t site; /* where it returns to */
	uintptr_t cfa;  /* of the function's frame (canonical frame address) */
	uintptr_t sp;   /* in the function, above what it pushed for the hook that it called */
	uintptr_t ra;   /* where in the function the hook returned to */
	uint64_t begin; /* wcm__ticks_ns() */
	uint64_t inner; /* nanoseconds in calls that it made */
	union {
		struct {
			uint32_t flags : 8;
			uint32_t hidden : 24;
		};
		struct wcm_call_state state; /* both, to be stored at once */
	};
	uint32_t index; /* the sink's own */
	uintptr_t handled; /* with WCM_CALL_LANDS: wcm__landed_handled() when it began */
};

#define WCM_CALL_HIDDEN 0x1u /* a filter keeps it from the sink */
#define WCM_CALL_HELD   0x2u /* a filter tells the sink of it if it lasts */
#define WCM_CALL_KEEPS  0x4u /* a filter keeps what it calls */
#define WCM_CALL_HIDES  0x8u /* a filter drops what it calls */
#define WCM_CALL_LANDS  0x10u /* it is inlined, and exceptions that leave it land in
			       * the function that it is inlined in */
#define WCM_CALL_SILENT 0x20u /* nothing tells of its exit */
#define WCM_CALL_RETURNS 0x40u /* its exit is told when it has returned */

#define WCM_CALL_TAIL   0x80u /* the call that it is in has jumped to it: both return at once */

/* How a call ended. */
enum wcm_end {
	WCM_END_EXIT,    /* its exit was reported */
	WCM_END_UNWOUND, /* its frame is gone without: exception, longjmp */
	WCM_END_SILENT,  /* its frame is gone, and nothing was to report its exit */
};

/* The open calls of one machine stack: the thread's own, that of a coroutine, an
 * alternate signal stack. */
struct wcm_shadow {
	struct wcm_shadow *next;
	uintptr_t lo, hi; /* what the machine stack spans, as far as is known */
	uintptr_t seen;   /* from here up to HI its thread has been for certain, see sharing.h */
	uintptr_t floor;  /* from here up to HI there is room for an event, see aside.h */
	uint32_t depth, room;
	uint32_t most;    /* calls that there may ever be room for */
	uint32_t base;    /* calls shown on the stack that a signal interrupted */
	uint32_t held;    /* calls before this one are not held back */
	bool alternate;   /* a signal's stack */
	uint64_t dropped; /* calls deeper than there is room for, now open */
	struct wcm_call *call; /* DEPTH of them, the outermost first */
};

/* Whether nothing tells of the exit of the innermost open call. */
static inline bool wcm__shadow_is_silent(const struct wcm_shadow *shadow)
{
	return __builtin_expect(shadow->depth > 0 && (shadow->call[shadow->depth - 1].flags &
						      WCM_CALL_SILENT), 0);
}

/* Whether the innermost open call began by a sled, so that a hook may tell of it, too. */
static inline bool wcm__shadow_is_by_sled(const struct wcm_shadow *shadow)
{
	return __builtin_expect(shadow->depth > 0 &&
					(shadow->call[shadow->depth - 1].flags &
					 (WCM_CALL_SILENT | WCM_CALL_RETURNS)), 0);
}

/* The open calls of SHADOW that sinks know nothing of. */
__attribute__((always_inline)) static inline uint32_t
wcm__shadow_hidden(const struct wcm_shadow *shadow)
{
	const struct wcm_call *call;

	if (shadow->depth == 0)
		return 0;
	call = &shadow->call[shadow->depth - 1];
	return call->hidden + (call->flags & WCM_CALL_HIDDEN);
}

/* The open calls that sinks know of, on SHADOW's stack and on the one it interrupted. */
static inline uint32_t wcm__shadow_shown(const struct wcm_shadow *shadow)
{
	return shadow->base + shadow->depth - wcm__shadow_hidden(shadow);
}

/* The depth of CALL, an open one of SHADOW, as sinks are told it. */
static inline uint32_t wcm__shadow_depth(const struct wcm_shadow *shadow,
					 const struct wcm_call *call)
{
	return shadow->base + (uint32_t)(call - shadow->call) - call->hidden;
}

#endif
