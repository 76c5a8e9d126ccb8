/* SPDX-License-Identifier: MIT */
/* record_mode.c - the mode "record": starts, flushes and finishes a uftrace data directory.
 *
 * All that uftrace 0.13 needs to read a recording is written when the trace starts, before
 * the first record, so that it can be read however the process ends.
 */
#include "trace/control/modes/modes.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/control/modes/record_dir.h"
#include "trace/control/modes/record_info.h"
#include "trace/control/modes/record_session.h"
#include "trace/control/modes/symbol_file.h"
#include "trace/filter/known_values.h"
#include "trace/names/recorded_modules.h"
#include "trace/probe/ticks.h"
#include "trace/record/record_apart.h"
#include "trace/record/record_files.h"
#include "trace/record/sink_record.h"
#include "trace/record/task_file.h"
#include "trace/source/system/system_calls.h"
#include "trace/stop/process_end.h"

enum { USUAL = 1 << 20, LEAST = 64 << 10 };

/* A thread has one window that it fills, and one that is made ready. */
static uint32_t window_size(uint32_t ring)
{
	uint32_t size = LEAST;

	while (size < (ring ? ring : USUAL) / 2)
		size *= 2;
	return size;
}

static void stop_quickly(void)
{
	if (!wcm__process_end_comes_later())
		wcm_trace_stop();
}

/* quick_exit(3) runs no destructors. */
static void stop_at_quick_exit(void)
{
	static bool registered;

	if (!registered)
		registered = at_quick_exit(stop_quickly) == 0;
}

/* The system call says it where it is traced. */
static void before_fork(void)
{
	if (!wcm__system_calls_tell_of_fork())
		wcm__recording_before_fork();
}

/* Handlers stay for good. */
static void notice_forks(void)
{
	static bool registered;

	wcm__recording.fork = wcm__session_fork ? wcm__session_fork :
						  (uintptr_t)&fork;
	if (!registered)
		registered = pthread_atfork(before_fork, wcm__recording_after_fork,
					    NULL) == 0;
}

/* What system calls and probes are given is always asked for. */
static bool has_data(const struct wcm_trace_options *options)
{
	return wcm__known_values_asked() || (options->system_calls && *options->system_calls) ||
	       (options->probes && *options->probes);
}

static enum wcm_status open_recording(const struct wcm_trace_options *options)
{
	bool joined;
	enum wcm_status status = wcm__record_dir_open(
		options->output && *options->output ? options->output :
						      "uftrace.data",
		options->flags & WCM_TRACE_REPLACE, &joined);

	if (status != WCM_OK)
		return status;
	wcm__recording.failed = false;
	wcm__recording.pid = (int)getpid();
	wcm__recording.has_data = has_data(options);
	wcm__recording.most = window_size(options->ring_size);
	wcm__recording.start = wcm__ticks_ns();
	wcm__recording.execve = joined ? wcm__session_find_execve() : 0;
	notice_forks();
	wcm__recorded_begin(wcm__recording_add_module);
	wcm__recording_forget_lost();
	if ((!joined && !wcm__info_write()) || !wcm__session_write())
		return WCM_EOPEN;
	wcm__symbol_files_write();
	stop_at_quick_exit();
	return WCM_OK;
}

static enum wcm_status flush_recording(void)
{
	wcm__symbol_files_write();
	return wcm__recording.failed ? WCM_ESYSTEM : WCM_OK;
}

static void prepare_end(void)
{
	wcm__record_dir_trim();
	wcm__symbol_files_write();
}

static void finish_recording(void)
{
	wcm__recording_end(); /* a trace that has failed was not stopped */
	prepare_end();
	wcm__info_finish();
}

const struct wcm_sink wcm__mode_record = {
	.wants_ends = true,
	.goes_on = true,
	.begin = wcm__record_begin,
	.enter = wcm__record_enter,
	.leave = wcm__record_leave,
	.enter_plainly = wcm__record_enter_plainly,
	.enter_given = wcm__record_enter_given,
	.leave_given = wcm__record_leave_given,
	.leave_plainly = wcm__record_leave_plainly,
	.tell_apart = wcm__record_apart,
	.end = wcm__record_end,
	.fork = wcm__record_fork,
	.open = open_recording,
	.flush = flush_recording,
	.before_end = prepare_end,
	.stop = wcm__recording_stop,
	.crash = wcm__recording_note_elapsed,
	.exec = wcm__recording_before_exec,
	.exit = wcm__info_finish,
	.finish = finish_recording,
};
