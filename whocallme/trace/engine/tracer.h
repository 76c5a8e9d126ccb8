/* SPDX-License-Identifier: MIT */
/* tracer.h (SAFE) - what a thread has of its own while it is traced.
 *
 * It is mapped at the thread's first event, found by one thread-local pointer, and
 * kept until the trace has no more use for it: keyed by the thread's life, not by
 * its number, which the kernel gives away again.
 */
#ifndef WCM_PROBE_TRACER_H
#define WCM_PROBE_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arch/arch.h"
#include "core/unwind/step.h"
#include "trace/engine/call.h"
#include "trace/engine/gate.h"
#include "trace/engine/kind.h"

/* A signal that has interrupted a hook. */
struct wcm_interruption {
	uintptr_t inside;    /* that of the hook; 0: none is known */
	uintptr_t saved_at;  /* where the kernel has saved the registers of what was interrupted */
	uintptr_t end;       /* of what lies between them and the hook, or of a part of it */
	uint64_t sum;        /* of that */
	unsigned believed;   /* how often it was taken to be there still */
};

struct wcm_sink;
struct wcm_recorder;
struct wcm_recorded_last;
struct wcm_counted;
struct wcm_log;

/* What every call needs comes first. */
struct wcm_tracer {
	struct wcm_shadow *shadow;   /* of the stack in use */
	const struct wcm_sink *sink; /* that it tells of its calls */
	struct wcm_recorder *recorder; /* the sinks' own, each once it was needed */
	struct wcm_recorded_last *recorded;
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
	int number;                /* TID, while the tracer changes hands, too */
	struct wcm_tracer *next;   /* of all */
	struct wcm_shadow *shadows; /* all */
	uint64_t too_deep;         /* of those lost, calls without room */
	uint32_t looks;            /* at the thread's name, for a filter */
	uint64_t look_at;          /* when to look again */
	const struct wcm_told *told; /* of the event that is handled now; NULL: no more than
				      * the call */
	bool is_wanted;            /* by its name */
	bool is_guest;             /* its thread was never on the stack that goes with the
				    * thread-local variables: see sharing.h */
	uintptr_t overdue;         /* INSIDE of a hook that has not come out */
	uint64_t overdue_since;    /* and LAST then */
	struct wcm_interruption interruption; /* of the hook that INSIDE is of */
	_Alignas(64) char stack[128 * 1024]; /* see aside.h; pages that are not used cost nothing */
};

static inline const struct wcm_passed *wcm__tracer_passed(const struct wcm_tracer *tracer)
{
	const struct wcm_told *told = tracer->told;

	return told && told->kind == WCM_EVENT_FUNCTION ? told->passed : NULL;
}

static inline struct wcm_system_call *wcm__tracer_system(const struct wcm_tracer *tracer)
{
	const struct wcm_told *told = tracer->told;

	return told && told->kind == WCM_EVENT_SYSTEM ? told->system : NULL;
}

static inline const struct wcm_probe_hit *wcm__tracer_probe(const struct wcm_tracer *tracer)
{
	const struct wcm_told *told = tracer->told;

	return told && told->kind == WCM_EVENT_PROBE ? told->probe : NULL;
}

/* What CALL is given, of which a sink is told; NULL: it is not known.  A filter may tell of one
 * late, when another begins, which may have taken its frame over. */
static inline const struct wcm_passed *wcm__tracer_given(const struct wcm_tracer *tracer,
							  const struct wcm_call *call)
{
	const struct wcm_passed *passed = wcm__tracer_passed(tracer);

	return passed && passed->stack == call->cfa && call->begin == tracer->last ? passed : NULL;
}

/* What a call gives back that has ended by END; NULL: it is not known. */
static inline const struct wcm_passed *
wcm__tracer_given_back(const struct wcm_tracer *tracer, enum wcm_end end)
{
	const struct wcm_passed *passed = wcm__tracer_passed(tracer);

	return end == WCM_END_EXIT && passed && passed->stack == 0 ? passed : NULL;
}

/* A tracer's generation while it is for no trace. */
#define WCM_TRACER_IDLE UINT32_MAX

/* Instead of a thread's number while a tracer changes hands. */
#define WCM_TRACER_TAKEN (-1)

extern __thread struct wcm_tracer *wcm__tracer_own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* What is all zero in a child of fork(2). */
struct wcm_process {
	uint32_t is_known;  /* 0: a child that has traced nothing yet */
	uint32_t beginning; /* threads in wcm__tracer_begin() */
	uint32_t stopping;  /* threads in wcm_trace_stop() */
	int pid;            /* whose it is */
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

/* A new one, taken, for no trace.  NULL: no memory. */
struct wcm_tracer *wcm__tracer_make(void);

/* See to it that a child of fork(2) is known as one. */
void wcm__tracer_watch_forks(void);

/* This is a child of fork(3). */
void wcm__tracer_forked(void);

#endif
