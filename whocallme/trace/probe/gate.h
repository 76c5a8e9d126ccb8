/* SPDX-License-Identifier: MIT */
/* gate.h - the one test an instrumented call makes while nothing is traced. */
#ifndef WCM_HOOK_GATE_H
#define WCM_HOOK_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_filter;

struct wcm_gate {
	uint32_t live;       /* the trace that is open; 0: none is */
	uint32_t generation; /* of the trace that is open, or was last; from 1 */
	int owner;           /* the process that has opened it */
	uint32_t flags;      /* WCM_TRACE_* */
	const struct wcm_filter *filter; /* NULL: everything is traced */
	uint64_t start;      /* wcm__ticks_ns() then */
	void (*crash)(void); /* the mode's part of a crash report, or NULL */
	void (*stop)(void);  /* the mode's part of wcm_trace_stop(); signal-safe */
	void (*exec)(void);  /* what it does before another program is run, or NULL */
	void (*leave)(void); /* what it does when the process ends at once, or NULL */
};

extern struct wcm_gate wcm__gate __attribute__((visibility("hidden")));

/* The generation that is open; 0: none is. */
static inline uint32_t wcm__gate_live(void)
{
	return __atomic_load_n(&wcm__gate.live, __ATOMIC_ACQUIRE);
}

static inline bool wcm__gate_is_open(void)
{
	return __builtin_expect(wcm__gate_live() != 0, 0);
}

/* Do a PART of the mode's, if it has one.  The next trace may be another's: read once. */
static inline void wcm__gate_call(void (*const *part)(void))
{
	void (*const call)(void) = __atomic_load_n(part, __ATOMIC_RELAXED);

	if (call)
		call();
}

/* Close it: hooks that are running go on.  False: it was closed. */
static inline bool wcm__gate_close(void)
{
	return __atomic_exchange_n(&wcm__gate.live, 0, __ATOMIC_ACQ_REL) != 0;
}

#endif
