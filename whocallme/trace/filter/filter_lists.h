/* SPDX-License-Identifier: MIT */
/* filter_lists.h (SAFE) - a filter: what it was asked for, and the sink that it is. */
#ifndef WCM_FILTER_FILTER_LISTS_H
#define WCM_FILTER_FILTER_LISTS_H

#include "trace/engine/sink.h"

enum wcm_filter_list {
	WCM_LIST_FUNCTIONS, WCM_LIST_NOT_FUNCTIONS, WCM_LIST_MODULES,
	WCM_LIST_NOT_MODULES, WCM_LIST_SOURCES, WCM_LIST_NOT_SOURCES,
	WCM_LIST_THREADS, WCM_LISTS,
};

/* Of each list of the latest trace, by a bit: which globs had something of what was
 * called. */
extern uint64_t wcm__filter_seen[WCM_LISTS] __attribute__((visibility("hidden")));

/* Whether the filter of the latest trace has hidden a call, and has shown one: of functions, and of
 * what other lists choose. */
enum wcm_filter_kind { WCM_KIND_FUNCTION, WCM_KIND_CHOSEN, WCM_KINDS };
struct wcm_filter_had { bool hidden, shown; };
extern struct wcm_filter_had wcm__filter_had[WCM_KINDS] __attribute__((visibility("hidden")));

/* A trace's own; frozen once the gate is open, and kept for ever.  A list is NULL
 * where there is none. */
struct wcm_filter {
	struct wcm_sink sink;         /* first: a tracer's sink is the filter */
	const struct wcm_sink *inner; /* that it wraps */
	const struct wcm_filter *previous; /* hooks may still be reading it */
	const char *list[WCM_LISTS];  /* NULL: none */
	uint32_t depth;      /* 0: all */
	uint32_t generation; /* of the trace */
	bool keeps;          /* by a list of functions, modules or sources */
	bool keeps_callees, hides_callees;
	bool no_functions;   /* but for library calls and system calls */
	uint64_t min_ns;
};

#endif
