/* SPDX-License-Identifier: MIT */
/* backend.h - what a mode of tracing is made of, besides its sink. */
#ifndef WCM_TRACE_BACKEND_H
#define WCM_TRACE_BACKEND_H

#include "hook/sink.h"
#include "whocallme/trace.h"

struct wcm_backend {
	const struct wcm_sink *sink;
	/* Make the output.  The gate is closed. */
	enum wcm_status (*open)(const struct wcm_trace_options *options);
	/* The process ends, or another trace is about to start, and this one is open
	 * still: what has to be done in the ordinary world before STOP.  May be NULL. */
	void (*before_stop)(void);
	/* What wcm_trace_stop() does when the gate has been closed: signal-safe; hooks
	 * of other threads may be running.  May be NULL. */
	void (*stop)(void);
	/* A crash has been reported, and the process may live on: signal-safe.  May be
	 * NULL. */
	void (*crash)(void);
	/* The process is about to run another program, and goes on if that cannot be:
	 * signal-safe.  May be NULL. */
	void (*exec)(void);
	/* The process ends at once, after STOP: signal-safe.  May be NULL. */
	void (*leave)(void);
	/* wcm_trace_flush(). */
	enum wcm_status (*flush)(void);
	/* The process ends, or another trace is about to start.  May be NULL. */
	void (*finish)(void);
};

/* NULL sinks: not built. */
extern const struct wcm_backend wcm__backend_pairs, wcm__backend_addresses,
	wcm__backend_log, wcm__backend_record, wcm__backend_graph;

#endif
