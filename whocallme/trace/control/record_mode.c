/* SPDX-License-Identifier: MIT */
/* record.c - a uftrace data directory.
 *
 * What uftrace 0.13 wants to know before the first record is written when the
 * trace starts, so that the recording can be read however it ends.
 */
#include "trace/backend.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "hook/noted.h"
#include "hook/recording.h"
#include "hook/ticks.h"
#include "trace/record_dir.h"
#include "trace/record_info.h"
#include "trace/record_session.h"
#include "trace/symbol_file.h"

enum { USUAL = 1 << 20, LEAST = 64 << 10 };

/* A thread has one window that it fills, and one that is made ready. */
static uint32_t window_size(uint32_t ring)
{
	uint32_t size = LEAST;

	while (size < (ring ? ring : USUAL) / 2)
		size *= 2;
	return size;
}

/* quick_exit(3) runs no destructors. */
static void stop_at_quick_exit(void)
{
	static bool registered;

	if (!registered)
		registered = at_quick_exit(wcm_trace_stop) == 0;
}

/* Handlers stay for good. */
static void notice_forks(void)
{
	static bool registered;

	wcm__recording.fork = wcm__session_fork ? wcm__session_fork :
						  (uintptr_t)&fork;
	if (!registered)
		registered = pthread_atfork(wcm__recording_before_fork,
					    wcm__recording_after_fork, NULL) == 0;
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
	wcm__recording.most = window_size(options->ring_size);
	wcm__recording.start = wcm__ticks_ns();
	wcm__recording.execve = joined ? wcm__session_find_execve() : 0;
	notice_forks();
	wcm__noted_begin(wcm__recording_add_module);
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

static void finish_recording(void)
{
	wcm__recording_end(); /* a trace that has failed was not stopped */
	wcm__record_dir_trim();
	wcm__symbol_files_write();
	wcm__info_finish();
}

const struct wcm_backend wcm__backend_record = {
	.sink = &wcm__sink_record,
	.open = open_recording,
	.stop = wcm__recording_end,
	.flush = flush_recording,
	.finish = finish_recording,
};
