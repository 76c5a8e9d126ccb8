/* SPDX-License-Identifier: MIT */
/* control.c - starting a trace: by call, or by the environment before main. */
#include "whocallme/crash.h"
#include "whocallme/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash/file.h"
#include "hook/ending.h"
#include "hook/filter.h"
#include "hook/gate.h"
#include "hook/names.h"
#include "hook/quiet.h"
#include "hook/said_to.h"
#include "hook/ticks.h"
#include "hook/tracer.h"
#include "hook/unwatched.h"
#include "load/load.h"
#include "report/demangle.h"
#include "report/line.h"
#include "trace/backend.h"
#include "trace/carry.h"
#include "trace/environment.h"
#include "trace/filter.h"
#include "trace/starter.h"

extern const char wcm__trace_control;
const char wcm__trace_control = 0;

static const struct mode {
	const char *name;
	const struct wcm_backend *backend;
} modes[] = {
	[WCM_TRACE_PAIRS] = { "pairs", &wcm__backend_pairs },
	[WCM_TRACE_LOG] = { "log", &wcm__backend_log },
	[WCM_TRACE_ADDRESSES] = { "addresses", &wcm__backend_addresses },
	[WCM_TRACE_RECORD] = { "record", &wcm__backend_record },
	[WCM_TRACE_GRAPH] = { "graph", &wcm__backend_graph },
};

enum { MODES = sizeof(modes) / sizeof(modes[0]) };

static const struct wcm_backend *backend; /* of the trace that is open, or was */

static bool is_known(const struct wcm_trace_options *options)
{
	static const struct wcm_trace_options zero;
	const uint32_t flags = WCM_TRACE_EXITS | WCM_TRACE_HIDE_CALLEES |
			       WCM_TRACE_NO_TIMES | WCM_TRACE_KEEP_CALLEES |
			       WCM_TRACE_REPLACE;

	return options->mode < MODES && modes[options->mode].backend->sink &&
	       (options->flags & ~flags) == 0 &&
	       memcmp(options->reserved, zero.reserved,
		      sizeof(zero.reserved)) == 0;
}

static void finish(void)
{
	if (backend && backend->before_stop && wcm__gate_is_open())
		backend->before_stop();
	wcm_trace_stop();
	wcm__quiet_await_all();
	if (backend && backend->finish)
		backend->finish();
	wcm__gate.leave = NULL;
	backend = NULL;
}

/* How long calls take is told by a graph, unless it is not to; and by what shows none
 * that are too short. */
static bool is_timed(const struct wcm_backend *chosen, const struct wcm_filter *filter)
{
	return chosen != &wcm__backend_graph || (filter && filter->min_ns > 0);
}

/* 0 is of no trace, WCM_TRACER_IDLE neither. */
static uint32_t following(uint32_t generation)
{
	return generation + 1 == WCM_TRACER_IDLE ? 1 : generation + 1;
}

static void open_gate(const struct wcm_backend *chosen, uint32_t flags,
		      struct wcm_filter *filter)
{
	const uint32_t next = following(wcm__gate.generation);

	backend = chosen;
	wcm__sink = wcm__unwatched_sink(chosen->sink);
	wcm__gate.stop = chosen->stop;
	wcm__gate.crash = chosen->crash;
	wcm__gate.exec = chosen->exec;
	wcm__gate.leave = chosen->leave;
	wcm__gate.flags = is_timed(chosen, filter) ? flags & ~WCM_TRACE_NO_TIMES :
						     flags;
	wcm__gate.owner = (int)getpid();
	wcm__gate.start = wcm__ticks_ns();
	if (filter)
		filter->generation = next;
	wcm__gate.filter = filter;
	__atomic_store_n(&wcm__gate.generation, next, __ATOMIC_RELEASE);
	__atomic_store_n(&wcm__gate.live, next, __ATOMIC_SEQ_CST);
}

static enum wcm_status start(const struct wcm_trace_options *options)
{
	const struct wcm_backend *chosen;
	struct wcm_filter *filter;
	enum wcm_status status = wcm__filter_make(options, &filter);

	if (status != WCM_OK)
		return status;
	finish();
	wcm__names_show_by(wcm__line_demangled);
	wcm__load_all(NULL); /* what has no table is named from .dynsym */
	wcm__ticks_prepare();
	wcm__tracers_prepare();
	chosen = modes[options->mode].backend;
	status = chosen->open(options);
	if (status == WCM_OK)
		open_gate(chosen, options->flags, filter);
	return status;
}

enum wcm_status wcm_trace_start(const struct wcm_trace_options *options)
{
	static const struct wcm_trace_options none;
	enum wcm_status status;

	if (!options)
		options = &none;
	if (!is_known(options))
		return WCM_EINVAL;
	wcm__starter_lock();
	status = start(options);
	wcm__starter_unlock();
	return status;
}

enum wcm_status wcm_trace_flush(void)
{
	enum wcm_status status;

	wcm__starter_lock();
	status = backend ? backend->flush() : WCM_EINVAL;
	wcm__starter_unlock();
	return status;
}

static void refuse(const char *mode)
{
	struct wcm_line line;

	wcm__line_init(&line, wcm__said_to());
	wcm__line_text(&line, "<whocallme>: WHOCALLME_TRACE=");
	wcm__line_name(&line, mode);
	wcm__line_text(&line, " is unknown; it takes");
	for (size_t i = 0; i < MODES; i++) {
		wcm__line_text(&line, i == 0 ? " \"" : ", \"");
		wcm__line_text(&line, modes[i].name);
		wcm__line_text(&line, "\"");
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

/* A recording has said it before. */
static void complain_why(struct wcm_line *line, int error)
{
	if (error == 0)
		return;
	wcm__line_text(line, ": ");
	wcm__line_text(line, error == EXDEV ? wcm__crash_file_reason(-error) :
					      strerror(error));
}

static void complain(const char *mode, enum wcm_status status, const char *output,
		     int error)
{
	struct wcm_line line;

	wcm__line_init(&line, wcm__said_to());
	wcm__line_text(&line, "<whocallme>: nothing is traced: WHOCALLME_TRACE=");
	wcm__line_text(&line, mode);
	if (status == WCM_EINVAL) {
		wcm__line_text(&line, " is not built in");
	} else {
		wcm__line_text(&line, ": ");
		wcm__line_text(&line, wcm_status_text(status));
	}
	if (status == WCM_EOPEN && output) {
		wcm__line_text(&line, ": WHOCALLME_OUTPUT=");
		wcm__line_name(&line, output);
		complain_why(&line, error);
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

/* A graph is in memory until it is written: not to be lost with the process. */
static void watch_end(void)
{
	wcm_crash_install(NULL);
	if (backend == &wcm__backend_graph)
		wcm__ending_watch_signals();
}

/* The process that the environment has traced, which says what else it was asked for;
 * its children leave that to it. */
static pid_t asked;

/* False: nothing is traced, which has been said. */
static bool start_as_asked(struct wcm_trace_options *options, const char *mode)
{
	struct wcm_trace_filter filter;
	enum wcm_status status;

	if (!wcm__trace_environment(options, &filter))
		return false;
	status = wcm_trace_start(options);
	if (status != WCM_OK) {
		complain(mode, status, options->output,
			 options->mode == WCM_TRACE_RECORD ? 0 : errno);
		return false;
	}
	asked = getpid();
	wcm__carry_begin();
	return true;
}

__attribute__((constructor)) static void start_from_environment(void)
{
	const char *mode = secure_getenv("WHOCALLME_TRACE");
	struct wcm_trace_options options = { 0 };

	wcm__said_to_note();
	if (!mode || !*mode)
		return;
	if (wcm__trace_is_pointless()) {
		wcm__carry_begin();
		return;
	}
	while (options.mode < MODES && strcmp(mode, modes[options.mode].name) != 0)
		options.mode++;
	if (options.mode == MODES)
		refuse(mode);
	else if (start_as_asked(&options, mode) && wcm__trace_watches_signals())
		watch_end();
}

__attribute__((destructor)) static void finish_at_exit(void)
{
	wcm__starter_lock();
	if (asked == getpid() && backend && wcm__gate.filter &&
	    wcm__trace_tells_unseen())
		wcm__filter_tell_unseen(wcm__gate.filter);
	finish();
	wcm__starter_unlock();
}
