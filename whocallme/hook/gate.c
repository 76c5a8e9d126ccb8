/* SPDX-License-Identifier: MIT */
/* gate.c - the one test an instrumented call makes while nothing is traced. */
#include "hook/gate.h"

#include "hook/filter.h"
#include "hook/sink.h"
#include "whocallme/trace.h"

struct wcm_gate wcm__gate;

const struct wcm_sink *wcm__sink = &wcm__sink_pairs;

void wcm_trace_stop(void)
{
	if (wcm__gate_is_open())
		wcm__filter_show_open();
	if (__atomic_exchange_n(&wcm__gate.open, false, __ATOMIC_ACQ_REL) &&
	    wcm__gate.stop)
		wcm__gate.stop();
}
