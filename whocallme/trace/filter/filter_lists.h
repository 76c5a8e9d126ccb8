/* SPDX-License-Identifier: MIT */
/* filter.h - which calls does a sink get to know of?
 *
 * A function is judged by its name once, and what came of it is found in one look
 * from then on; the rest depends on the call: what calls it, how deep it is, in which
 * thread, how long it lasts.
 */
#ifndef WCM_HOOK_FILTER_H
#define WCM_HOOK_FILTER_H

#include "hook/tracer.h"

enum wcm_filter_list {
	WCM_LIST_FUNCTIONS, WCM_LIST_NOT_FUNCTIONS, WCM_LIST_MODULES,
	WCM_LIST_NOT_MODULES, WCM_LIST_SOURCES, WCM_LIST_NOT_SOURCES,
	WCM_LIST_THREADS, WCM_LISTS,
};

/* Of each list of the latest trace, by a bit: which globs had something of what was
 * called. */
extern uint64_t wcm__filter_seen[WCM_LISTS] __attribute__((visibility("hidden")));

/* A trace's own; frozen once the gate is open, and kept for ever.  A list is NULL
 * where there is none. */
struct wcm_filter {
	const struct wcm_filter *previous; /* hooks may still be reading it */
	const char *functions, *not_functions;
	const char *modules, *not_modules;
	const char *sources, *not_sources;
	const char *threads;
	uint32_t depth;      /* 0: all */
	uint32_t generation; /* of the trace */
	bool keeps;          /* by a list of functions, modules or sources */
	bool keeps_callees, hides_callees;
	uint64_t min_ns;
};

/* CALL, the innermost, has just been opened by EVENT's time NOW: whether its sink is
 * to be told now.  Marks the call. */
bool wcm__filter_admits(const struct wcm_filter *filter, struct wcm_tracer *tracer,
			struct wcm_call *call, uint64_t now);

/* CALL, the innermost, ends at NOW, and its sink has not been told of it: tell it,
 * with what has called it, if it has lasted.  False where it has not. */
bool wcm__filter_admits_end(const struct wcm_filter *filter,
			    struct wcm_tracer *tracer, struct wcm_call *call,
			    uint64_t now);

/* TRACER leaves the stack in use: what is open there is told, however short it is, for
 * what comes now comes later. */
void wcm__filter_leaves_stack(struct wcm_tracer *tracer);

/* Tell the sink of the calling thread's open calls that have lasted. */
void wcm__filter_show_open(void);

/* In a child of fork(2), TRACER being its thread's: calls that its parent has not told
 * of yet are the parent's to tell. */
void wcm__filter_fork(struct wcm_tracer *tracer);

#endif
