/* SPDX-License-Identifier: MIT */
/* lines.c - the modes that write a line a call. */
#include "trace/backend.h"

#include <unistd.h>

#include "hook/lines.h"

static enum wcm_status open_lines(const struct wcm_trace_options *options)
{
	wcm__lines_to(options->fd > 0 ? options->fd : STDERR_FILENO);
	return WCM_OK;
}

static enum wcm_status flush_lines(void)
{
	return WCM_OK;
}

const struct wcm_backend wcm__backend_pairs = {
	.sink = &wcm__sink_pairs, .open = open_lines, .flush = flush_lines,
};
const struct wcm_backend wcm__backend_addresses = {
	.sink = &wcm__sink_addresses, .open = open_lines, .flush = flush_lines,
};
const struct wcm_backend wcm__backend_log = { .sink = NULL };
