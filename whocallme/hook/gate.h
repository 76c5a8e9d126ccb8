/* SPDX-License-Identifier: MIT */
/* gate.h - the one test an instrumented call makes while nothing is traced. */
#ifndef WCM_HOOK_GATE_H
#define WCM_HOOK_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_filter;

struct wcm_gate {
	bool open;
	uint32_t generation; /* of the trace, from 1 */
	uint32_t flags;      /* WCM_TRACE_* */
	const struct wcm_filter *filter; /* NULL: everything is traced */
	uint64_t start;      /* wcm__ticks_ns() then */
	void (*crash)(void); /* the mode's part of a crash report, or NULL */
	void (*stop)(void);  /* the mode's part of wcm_trace_stop(); signal-safe */
	void (*leave)(void); /* what it does when the process ends at once, or NULL */
};

extern struct wcm_gate wcm__gate __attribute__((visibility("hidden")));

static inline bool wcm__gate_is_open(void)
{
	return __builtin_expect(
		__atomic_load_n(&wcm__gate.open, __ATOMIC_ACQUIRE), 0);
}

#endif
