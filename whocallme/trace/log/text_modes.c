/* SPDX-License-Identifier: MIT */
/* text_modes.c - the modes that write a line a call: "pairs", "addresses" and "log". */
#include "trace/process/modes.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "format/wall_time.h"
#include "trace/record/lost.h"
#include "trace/process/origin.h"
#include "trace/process/trace_environment.h"
#include "trace/engine/gate.h"
#include "trace/engine/tracer_life.h"
#include "trace/log/line_output.h"
#include "trace/log/log_columns.h"
#include "trace/log/log_system.h"
#include "trace/log/text_sinks.h"

static enum wcm_status open_with(const struct wcm_trace_options *options,
				 const struct wcm_line_output_kind *kind)
{
	const int fd = options->fd > 0 ? options->fd : STDERR_FILENO;
	const char *output = options->output && *options->output ?
			     options->output : NULL;
	int result = wcm__line_output_open(fd, output, wcm__trace_since(output),
					   kind);

	errno = -result;
	/* A program without stderr is traced to nowhere. */
	return result == 0 || !output ? WCM_OK : WCM_EOPEN;
}

static enum wcm_status open_lines(const struct wcm_trace_options *options)
{
	return open_with(options, &(struct wcm_line_output_kind){ 0 });
}

static enum wcm_status open_addresses(const struct wcm_trace_options *options)
{
	wcm__addresses_open();
	return open_with(options, &(struct wcm_line_output_kind){
					  .names_processes = true });
}

static const char *columns_for(uint32_t flags)
{
	if (flags & WCM_TRACE_ABSOLUTE_TIMES)
		return "#     tid time of day, UTC                 stack symbol\n";
	return flags & WCM_TRACE_DELTA_TIMES ? "#     tid    since line   stack symbol\n" :
					       "#     tid   nanoseconds   stack symbol\n";
}

/* Children of fork(2) may have files of their own, for which it stays. */
static const char *head_for(uint32_t flags)
{
	static char text[200];
	char wall[WCM_WALL_TIME];

	wcm__format_wall_time(wall, wcm__gate.wall);
	snprintf(text, sizeof(text),
		 "%s# begun at %.*s by CLOCK_REALTIME; times count from there by "
		 "CLOCK_MONOTONIC\n", columns_for(flags), (int)sizeof(wall), wall);
	return text;
}

static enum wcm_status open_log(const struct wcm_trace_options *options)
{
	wcm__log_times_begin();
	return open_with(options, &(struct wcm_line_output_kind){
					  .head = head_for(options->flags),
					  .headed = wcm__origin_headed(),
					  .begins = wcm__origin_is_here(),
					  .start = wcm__gate.wall });
}

static enum wcm_status flush_lines(void)
{
	return WCM_OK;
}

static enum wcm_status flush_log(void)
{
	wcm__log_flush();
	return WCM_OK;
}

static void exec_log(void)
{
	wcm__log_flush();
	wcm__line_output_trim();
}

static void finish_log(void)
{
	wcm__tracers_settle();
	wcm__log_flush();
	wcm__line_output_close();
	wcm__lost_tell();
}

static void finish_lines(void)
{
	wcm__tracers_settle();
	wcm__line_output_close();
	wcm__lost_tell();
}

const struct wcm_sink wcm__mode_pairs = {
	.is_deep = true,
	.enter = wcm__pairs_enter,
	.leave = wcm__pairs_leave,
	.fork = wcm__line_output_fork,
	.open = open_lines,
	.flush = flush_lines,
	.exec = wcm__line_output_trim,
	.exit = finish_lines,
	.finish = finish_lines,
};

const struct wcm_sink wcm__mode_addresses = {
	.is_deep = true,
	.begin = wcm__addresses_begin,
	.enter = wcm__addresses_enter,
	.leave = wcm__addresses_leave,
	.fork = wcm__addresses_fork,
	.open = open_addresses,
	.flush = flush_lines,
	.exec = wcm__line_output_trim,
	.exit = finish_lines,
	.finish = finish_lines,
};

const struct wcm_sink wcm__mode_log = {
	.is_deep = true,
	.begin = wcm__log_begin,
	.enter = wcm__log_enter,
	.leave = wcm__log_leave,
	.goes_on = true,
	.writes_at_ends = true,
	.tell_apart = wcm__log_system_apart,
	.end = wcm__log_end,
	.fork = wcm__line_output_fork,
	.open = open_log,
	.flush = flush_log,
	.stop = wcm__log_flush,
	.crash = wcm__log_crash,
	.exec = exec_log,
	.exit = finish_log,
	.finish = finish_log,
};
