/* SPDX-License-Identifier: MIT */
/* trace_stop.c (SAFE) - stops a trace, and counts its calls, in any state of the process.
 *
 * Programs call both from signal handlers, and hooks stop a trace whose output fails.  So
 * they are signal-safe, and apart from control/, which is not.
 */
#include "trace/process/trace_stop.h"

#include "core/os/unwatched.h"
#include "trace/filter/call_filter.h"
#include "trace/engine/gate.h"
#include "trace/engine/quiesce.h"
#include "trace/engine/sink.h"
#include "trace/engine/tracer_life.h"
#include "trace/library/library_calls.h"
#include "trace/sleds/sleds.h"
#include "trace/probes/static_probes.h"
#include "trace/system/system_calls.h"
#include "whocallme/trace.h"

void wcm__trace_close(void)
{
	const struct wcm_sink *mode;
	uint32_t *stopping;

	wcm__unwatched_begin();
	if (wcm__gate_is_open())
		wcm__filter_show_open();
	stopping = &wcm__tracer_process()->stopping;
	__atomic_fetch_add(stopping, 1, __ATOMIC_SEQ_CST);
	if (wcm__gate_close()) {
		wcm__quiesce_hooks();
		mode = wcm__gate_mode();
		if (mode && mode->stop)
			mode->stop();
	}
	__atomic_fetch_sub(stopping, 1, __ATOMIC_SEQ_CST);
	wcm__unwatched_end();
}

/* A sled that still calls finds the gate closed. */
void wcm_trace_stop(void)
{
	wcm__trace_close();
	wcm__sleds_off(WCM_SLEDS_FOR_TRACE);
	wcm__library_calls_off();
	wcm__static_probes_off();
	wcm__system_calls_off();
}

void wcm_trace_count(struct wcm_trace_counts *counts)
{
	wcm__tracers_count(counts);
}
