/* SPDX-License-Identifier: MIT */
/* trace_environment.h - reads what the environment, or a client of the agent, asks of a
 * trace. */
#ifndef WCM_MODES_TRACE_ENVIRONMENT_H
#define WCM_MODES_TRACE_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/modules/modules.h"
#include "whocallme/trace.h"

/* All but the mode into OPTIONS, which FILTER becomes a part of: from FROM, entries
 * NAME=VALUE up to a NULL, which must live as long as OPTIONS, or, FROM being NULL, from the
 * environment.  False, with a line on stderr, where a value makes no sense. */
bool wcm__trace_environment(char *const from[], struct wcm_trace_options *options,
			    struct wcm_trace_filter *filter);

/* When the trace that writes to OUTPUT began, in nanoseconds since 1970; 0: nobody has
 * said. */
uint64_t wcm__trace_since(const char *output);

/* When a trace began. */
struct wcm_trace_start {
	uint64_t ns;        /* by CLOCK_MONOTONIC */
	uint64_t wall;      /* nanoseconds since 1970, by CLOCK_REALTIME */
	uint64_t namespace; /* of time, which CLOCK_MONOTONIC is of; 0: unknown */
	uint64_t headed;    /* a pipe or a terminal that has the log's head: its inode; 0: none */
};

/* *START of the trace that the environment asks for.  False: no program has said so that ran this
 * one. */
bool wcm__trace_start_time(struct wcm_trace_start *start);

/* The times that the environment wants a log to have, into *FLAGS.  False, with a line on stderr,
 * where it makes no sense. */
bool wcm__trace_times(uint32_t *flags);

/* Whether signals that end the process are watched for, as they are unless it is asked
 * not to. */
bool wcm__trace_watches_signals(void);

/* Whether it goes on in programs that are run in an environment which says nothing of
 * it, as it does unless it is asked not to. */
bool wcm__trace_is_carried(void);

/* Whether `whocallme trace` has started another process than this, which may have run it. */
bool wcm__trace_is_inherited(void);

/* Whether this is the process that it has started. */
bool wcm__trace_is_of_command(void);

/* Whether this process says what of a filter matches nothing: the one that `whocallme
 * trace` started, or, where that calls no hooks, each one that does. */
bool wcm__trace_tells_unseen(void);

/* Whether MODULE, which is loaded, calls hooks that another one is to have, or the compiler
 * has listed sleds in it.  One thread at a time. */
bool wcm__trace_is_of(struct wcm_known_module *module);

/* Whether the library was preloaded by `whocallme trace` into a program in which nothing
 * calls hooks, and is to keep quiet. */
bool wcm__trace_is_pointless(void);

#endif
