/* SPDX-License-Identifier: MIT */
/* gate.c - the one test an instrumented call makes while nothing is traced. */
#include "hook/gate.h"

#include "hook/filter.h"
#include "hook/quiet.h"
#include "hook/sink.h"
#include "hook/unwatched.h"
#include "whocallme/trace.h"

struct wcm_gate wcm__gate;

const struct wcm_sink *wcm__sink = &wcm__sink_pairs;

void wcm_trace_stop(void)
{
	uint32_t *stopping;

	wcm__unwatched_begin();
	if (wcm__gate_is_open())
		wcm__filter_show_open();
	stopping = &wcm__tracer_process()->stopping;
	__atomic_fetch_add(stopping, 1, __ATOMIC_SEQ_CST);
	if (wcm__gate_close()) {
		wcm__quiet_await_hooks();
		wcm__gate_call(&wcm__gate.stop);
	}
	__atomic_fetch_sub(stopping, 1, __ATOMIC_SEQ_CST);
	wcm__unwatched_end();
}
