/* SPDX-License-Identifier: MIT */
/* sink.h - where events go.
 *
 * The hooks know which call begins and which ends, at which depth and when; a sink
 * makes lines, records or counts of that.  It runs in the hook: in a handler, under
 * malloc's lock, with the thread guarded against events of its own.
 */
#ifndef WCM_HOOK_SINK_H
#define WCM_HOOK_SINK_H

#include "hook/tracer.h"

struct wcm_sink {
	/* A thread's first event: make what the sink has in TRACER, which is NULL or
	 * what was made here before: for an earlier trace, for a thread that has ended,
	 * in the parent process.  False: no room, and the thread goes without.  May be NULL. */
	bool (*begin)(struct wcm_tracer *tracer);
	/* CALL, at DEPTH (0 the outermost) of TRACER->shadow, has begun. */
	void (*enter)(struct wcm_tracer *tracer, struct wcm_call *call,
		      uint32_t depth);
	/* It has ended at NOW.  May be NULL. */
	void (*leave)(struct wcm_tracer *tracer, struct wcm_call *call,
		      uint32_t depth, uint64_t now, enum wcm_end end);
	/* TRACER's thread has ended, its calls are closed; called by another thread.
	 * False: what it has is still in use, ask again.  May be NULL. */
	bool (*end)(struct wcm_tracer *tracer);
	/* This is a child of fork(2), before any begin.  May be NULL. */
	void (*fork)(void);
};

/* The sink of the trace that is open, or of the last one. */
extern const struct wcm_sink *wcm__sink;

/* Before a trace of addresses begins: modules are to be named anew. */
void wcm__addresses_begin(void);

extern const struct wcm_sink wcm__sink_pairs, wcm__sink_log, wcm__sink_addresses,
	wcm__sink_record, wcm__sink_graph;

#endif
