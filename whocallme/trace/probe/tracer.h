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

#include "hook/gate.h"
#include "unwind/step.h"

/* A call that has not ended.  Depth is its index in its stack, and BASE more. */
struct wcm_call {
	uintptr_t func; /* the function's address */
	uintptr_t site; /* where it returns to */
	uintptr_t cfa;  /* of the function's frame (canonical frame address) */
	uintptr_t sp;   /* in the function, when it called the hook */
	uintptr_t ra;   /* where in the function the hook returned to */
	uint64_t begin; /* wcm__ticks_ns() */
	uint64_t inner; /* nanoseconds in calls that it made */
	uint32_t flags : 8;   /* WCM_CALL_* */
	uint32_t hidden : 24; /* calls of this stack that it is in and sinks know
			       * nothing of */
	uint32_t index; /* the sink's own */
	uintptr_t handled; /* with WCM_CALL_LANDS: wcm__landed_handled() when it began */
};

#define WCM_CALL_HIDDEN 0x1u /* a filter keeps it from the sink */
#define WCM_CALL_HELD   0x2u /* it will be told of, if it lasts */
#define WCM_CALL_KEEPS  0x4u /* a filter keeps what it calls */
#define WCM_CALL_HIDES  0x8u /* a filter drops what it calls */
#define WCM_CALL_LANDS  0x10u /* it is inlined, and exceptions that leave it land in
			       * the function that it is inlined in */

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
	uint32_t most;    /* calls that there may ever be room for */
	uint32_t base;    /* calls shown on the stack that a signal interrupted */
	uint32_t held;    /* calls before this one are not held back */
	bool alternate;   /* a signal's stack */
	uint64_t dropped; /* calls deeper than there is room for, now open */
	struct wcm_call *call; /* DEPTH of them, the outermost first */
};

enum { WCM_INTERRUPTION_WORDS = 32 };

/* A signal that has interrupted a hook. */
struct wcm_interruption {
	uintptr_t inside;    /* that of the hook; 0: none is known */
	uintptr_t saved_at;  /* where the kernel has saved what was interrupted */
	unsigned believed;   /* how often it was taken to be there still */
	uint64_t word[WCM_INTERRUPTION_WORDS]; /* what that begins with */
};

struct wcm_sink;
struct wcm_recorder;
struct wcm_noted_last;
struct wcm_counted;
struct wcm_log;

/* What every call needs comes first. */
struct wcm_tracer {
	struct wcm_shadow *shadow;   /* of the stack in use */
	const struct wcm_sink *sink; /* that it tells of its calls */
	struct wcm_recorder *recorder; /* the sinks' own, each once it was needed */
	struct wcm_noted_last *noted;
	struct wcm_counted *counted;
	struct wcm_log *log;
	uintptr_t inside;          /* the stack pointer a running hook was called
				    * with, or 0 */
	uintptr_t inside_ra;       /* and where it returns to */
	uint64_t last;             /* when its latest event was */
	uint64_t calls, lost, unwound;
	uint64_t most_stack;       /* bytes of the thread's stack in use, at most */
	uint32_t deepest;          /* depth, from 1 */
	uint32_t generation;       /* of the trace it is for */
	bool ended;                /* the thread is no more */
	int pid, tid;
	struct wcm_tracer *next;   /* of all */
	struct wcm_shadow *shadows; /* all */
	uint64_t too_deep;         /* of those lost, calls without room */
	uint32_t looks;            /* at the thread's name, for a filter */
	uint64_t look_at;          /* when to look again */
	bool is_wanted;            /* by its name */
	uintptr_t overdue;         /* INSIDE of a hook that has not come out */
	uint64_t overdue_since;    /* and LAST then */
	struct wcm_interruption interruption; /* of the hook that INSIDE is of */
};

/* A tracer's generation while it is for no trace. */
#define WCM_TRACER_IDLE UINT32_MAX

/* In place of a thread's number while a tracer changes hands. */
#define WCM_TRACER_TAKEN (-1)

extern __thread struct wcm_tracer *wcm__tracer_own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* What is all zero in a child of fork(2). */
struct wcm_process {
	uint32_t is_known;  /* 0: a child that has traced nothing yet */
	uint32_t beginning; /* threads in wcm__tracer_begin() */
	uint32_t stopping;  /* threads in wcm_trace_stop() */
};

extern struct wcm_process *wcm__process __attribute__((visibility("hidden")));

static inline struct wcm_process *wcm__tracer_process(void)
{
	return __atomic_load_n(&wcm__process, __ATOMIC_RELAXED);
}

static inline bool wcm__tracer_is_in_child(void)
{
	return __atomic_load_n(&wcm__tracer_process()->is_known,
			       __ATOMIC_RELAXED) == 0;
}

/* Begin to trace the calling thread, whose tracer is TRACER or NULL: for a new
 * trace, or in a child.  NULL: nothing is traced any more, or no memory. */
struct wcm_tracer *wcm__tracer_begin(struct wcm_tracer *tracer);

/* A hook that was called at AT announces itself.  False: TRACER, the calling thread's,
 * is not for the trace that is open. */
static inline bool wcm__tracer_enter(struct wcm_tracer *tracer,
				     const struct wcm_regs *at)
{
	tracer->inside_ra = at->pc;
	tracer->inside = at->sp;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* else: see quiet.c */
	if (__builtin_expect(tracer->generation == wcm__gate_live(), 1))
		return true;
	tracer->inside = 0;
	return false;
}

static inline void wcm__tracer_leave(struct wcm_tracer *tracer)
{
	__atomic_store_n(&tracer->inside, 0, __ATOMIC_RELEASE);
}

/* Whether the thread TID that TRACER is, or was, of is no more. */
bool wcm__tracer_has_ended(const struct wcm_tracer *tracer, int tid);

/* All of them: follow next.  Only ever grows at its head. */
struct wcm_tracer *wcm__tracer_first(void);

/* How many calls of this trace found no room, too many being open. */
uint64_t wcm__tracers_too_deep(void);

/* Close what threads that have ended left open. */
void wcm__tracers_settle(void);

/* Before a trace: see to it that a child is known as one; forget what was counted. */
void wcm__tracers_prepare(void);

#endif
