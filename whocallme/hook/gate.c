/* SPDX-License-Identifier: MIT */
/* gate.c - the one test an instrumented call makes while nothing is traced. */
#include "hook/gate.h"

#include "whocallme/trace.h"

struct wcm_gate wcm__gate;

void wcm_trace_stop(void)
{
	__atomic_store_n(&wcm__gate.open, false, __ATOMIC_RELEASE);
}
