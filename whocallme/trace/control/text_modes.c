/* SPDX-License-Identifier: MIT */
/* lines.c - the modes that write a line a call. */
#include "trace/backend.h"

#include <errno.h>
#include <unistd.h>

#include "hook/lines.h"
#include "hook/log.h"
#include "trace/environment.h"
#include "trace/lost.h"

static enum wcm_status open_with(const struct wcm_trace_options *options,
				 const struct wcm_lines_kind *kind)
{
	const int fd = options->fd > 0 ? options->fd : STDERR_FILENO;
	const char *output = options->output && *options->output ?
			     options->output : NULL;
	int result = wcm__lines_open(fd, output, wcm__trace_since(output), kind);

	errno = -result;
	/* A program without stderr is traced to nowhere. */
	return result == 0 || !output ? WCM_OK : WCM_EOPEN;
}

static enum wcm_status open_lines(const struct wcm_trace_options *options)
{
	return open_with(options, &(struct wcm_lines_kind){ 0 });
}

static enum wcm_status open_addresses(const struct wcm_trace_options *options)
{
	wcm__addresses_begin();
	return open_with(options, &(struct wcm_lines_kind){ .names_processes = true });
}

static enum wcm_status open_log(const struct wcm_trace_options *options)
{
	return open_with(options, &(struct wcm_lines_kind){
					  "#     tid   nanoseconds   stack symbol\n",
					  .names_processes = false });
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
	wcm__lines_trim();
}

static void finish_log(void)
{
	wcm__tracers_settle();
	wcm__log_flush();
	wcm__lines_close();
	wcm__lost_tell();
}

const struct wcm_backend wcm__backend_pairs = {
	.sink = &wcm__sink_pairs, .open = open_lines, .flush = flush_lines,
	.exec = wcm__lines_trim, .leave = wcm__lines_close, .finish = wcm__lines_close,
};
const struct wcm_backend wcm__backend_addresses = {
	.sink = &wcm__sink_addresses, .open = open_addresses, .flush = flush_lines,
	.exec = wcm__lines_trim, .leave = wcm__lines_close, .finish = wcm__lines_close,
};
const struct wcm_backend wcm__backend_log = {
	.sink = &wcm__sink_log, .open = open_log, .stop = wcm__log_flush,
	.crash = wcm__log_flush, .exec = exec_log,
	.flush = flush_log, .leave = finish_log, .finish = finish_log,
};
