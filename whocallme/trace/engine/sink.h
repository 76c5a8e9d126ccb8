/* SPDX-License-Identifier: MIT */
/* sink.h (SAFE) - what a mode takes: the events of a trace, and what becomes of the trace.
 *
 * The first part is called by hooks: in a handler, under malloc's lock, with the thread
 * guarded against events of its own.  A sink that wraps another - a filter - has that
 * part alone.  The rest is called once for a trace or a process, of the mode itself;
 * what is not marked signal-safe is called in the ordinary world.
 */
#ifndef WCM_PROBE_SINK_H
#define WCM_PROBE_SINK_H

#include "trace/engine/tracer.h"
#include "whocallme/trace.h"

/* Where a first stage finds what a call hands over: see arch.h. */
struct wcm_given {
	const uintptr_t *frame;
	const uint64_t *vectors;
};

/* Paths lead elsewhere; files can be opened by another user alone, or by nobody. */
enum wcm_gives_up { WCM_GIVES_UP_PATHS, WCM_GIVES_UP_USER, WCM_GIVES_UP_CALLS };

struct wcm_sink {
	/* Calls are no use to it without their ends. */
	bool wants_ends;
	/* What it writes is whole after every event, so that it goes on to the last system call. */
	bool goes_on;
	/* It writes a system call where that ends. */
	bool writes_at_ends;
	/* It makes text of an event, which takes more of a stack than there may be: see aside.h. */
	bool is_deep;
	/* A thread's first event: make what the sink has in TRACER, which is NULL or
	 * what was made here before: for an earlier trace, for a thread that has ended,
	 * in the parent process.  False: no room, and the thread goes without.  May be NULL. */
	bool (*begin)(struct wcm_tracer *tracer);
	/* CALL, at DEPTH (0 the outermost) of TRACER->shadow, has begun, and is counted in
	 * TRACER->calls. */
	void (*enter)(struct wcm_tracer *tracer, struct wcm_call *call,
		      uint32_t depth);
	/* It has ended at NOW.  Not called of a call that a filter has hidden. */
	void (*leave)(struct wcm_tracer *tracer, struct wcm_call *call,
		      uint32_t depth, uint64_t now, enum wcm_end end);
	/* The same, where that takes a few stores; false: it does not, and nothing is changed.
	 * Called where vector registers are not saved: they call nothing of libc, and nothing
	 * that could.  CALL's end is one that was reported, and it is to be counted and opened
	 * behind its beginning.  GIVEN is what it is given, or gives back; NULL: nobody asks.
	 * May be NULL: never. */
	bool (*enter_fast)(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
			   const struct wcm_given *given);
	bool (*leave_fast)(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
			   uint64_t now, const struct wcm_given *given);
	/* A system call of CHILD, a process that has this one's memory until it is another program,
	 * has begun and ended.  *IS_KNOWN is false of another one than before, also of the same
	 * number, until it is set here.  May be NULL. */
	void (*tell_apart)(int child, bool *is_known, struct wcm_system_call *call,
			   uint64_t begin, uint64_t now);
	/* TRACER leaves the machine stack in use for another.  May be NULL. */
	void (*leave_stack)(struct wcm_tracer *tracer);
	/* TRACER's thread has ended, its calls are closed; called by another thread.
	 * False: what it has is still in use, ask again.  May be NULL. */
	bool (*end)(struct wcm_tracer *tracer);
	/* This is a child of fork(2), before any begin.  May be NULL. */
	void (*fork)(void);

	/* TRACER's thread has ended, and its calls are about to be closed.  Signal-safe.  May be
	 * NULL. */
	void (*before_close)(struct wcm_tracer *tracer);

	/* Make the output.  The gate is closed. */
	enum wcm_status (*open)(const struct wcm_trace_options *options);
	/* wcm_trace_flush(). */
	enum wcm_status (*flush)(void);
	/* The process ends, or another trace is about to start, and this one is open
	 * still: what has to be done in the ordinary world before STOP.  May be NULL. */
	void (*before_stop)(void);
	/* The process ends, and the trace goes on to its last system call: what has to be done in
	 * the ordinary world before STOP.  May be NULL. */
	void (*before_end)(void);
	/* wcm_trace_stop() has closed the gate; hooks of other threads may be running.
	 * Signal-safe.  May be NULL. */
	void (*stop)(void);
	/* A crash has been reported, and the process may live on.  Signal-safe.  May be
	 * NULL. */
	void (*crash)(void);
	/* The process is about to run another program, and goes on if that cannot be.
	 * Signal-safe.  May be NULL. */
	void (*exec)(void);
	/* The process is about to give up WHAT, and may then not open what it has to at its
	 * end.  Signal-safe.  May be NULL. */
	void (*reserve)(enum wcm_gives_up what);
	/* It gives up more than paths, and whoever takes it over is to be shut in: close each
	 * descriptor that would give them more.  The process may be a child with its parent's
	 * memory.  NULL where RESERVE is. */
	void (*release)(void);
	/* The process ends at once, after STOP.  Signal-safe.  May be NULL. */
	void (*exit)(void);
	/* The process ends, or another trace is about to start.  May be NULL. */
	void (*finish)(void);
};

#endif
