/* SPDX-License-Identifier: MIT */
/* control.c - starting a trace: by call, or by the environment before main. */
#include "whocallme/trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hook/gate.h"
#include "load/load.h"
#include "report/line.h"

extern const char wcm__trace_control;
const char wcm__trace_control = 0;

static bool is_known(const struct wcm_trace_options *options)
{
	static const struct wcm_trace_options zero;

	return options->mode == WCM_TRACE_PAIRS &&
	       memcmp(options->reserved, zero.reserved,
		      sizeof(zero.reserved)) == 0;
}

enum wcm_status wcm_trace_start(const struct wcm_trace_options *options)
{
	if (options && !is_known(options))
		return WCM_EINVAL;
	wcm__load_all(NULL); /* what has no table is named from .dynsym */
	wcm__gate.fd = options && options->fd > 0 ? options->fd : STDERR_FILENO;
	__atomic_store_n(&wcm__gate.open, true, __ATOMIC_RELEASE);
	return WCM_OK;
}

static void refuse(const char *mode)
{
	struct wcm_line line;

	wcm__line_init(&line, STDERR_FILENO);
	wcm__line_text(&line, "<whocallme>: WHOCALLME_TRACE=");
	wcm__line_name(&line, mode);
	wcm__line_text(&line, " is unknown; it takes \"pairs\"\n");
	wcm__line_write(&line);
}

/* A program with privileges of its own is not told what to do by whoever
 * started it: secure_getenv(3). */
__attribute__((constructor)) static void start_from_environment(void)
{
	const char *mode = secure_getenv("WHOCALLME_TRACE");

	if (!mode || !*mode)
		return;
	if (strcmp(mode, "pairs") == 0)
		wcm_trace_start(NULL);
	else
		refuse(mode);
}
