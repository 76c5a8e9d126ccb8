/* SPDX-License-Identifier: MIT */
/* request.c - starts a trace that a client of the agent asks for.
 *
 * The client hands over what it would have put into the environment of a program, so that
 * there is one reader of both.
 */
#include "trace/start/trace_start.h"

#include <errno.h>
#include <string.h>

#include "crash/files/report_file.h"
#include "format/settings.h"
#include "trace/engine/gate.h"
#include "trace/process/brought.h"
#include "trace/process/trace_environment.h"
#include "whocallme/trace.h"

/* Of a recording, a line has said it. */
static const char *reason_of(const struct wcm_trace_options *options, enum wcm_status status,
			     int error)
{
	if (status != WCM_EOPEN)
		return wcm_status_text(status);
	if (options->mode == WCM_TRACE_RECORD)
		return NULL;
	return error == EXDEV ? wcm__crash_file_reason(-error) : strerror(error);
}

/* The process writes nowhere that its client cannot write: the client hands over what it has made.
 * NULL: it does. */
static const char *missing(const struct wcm_trace_options *options,
			   const struct wcm_brought *brought)
{
	if (options->mode == WCM_TRACE_GRAPH)
		return wcm__brought_is_file(brought->file) ? NULL :
							   "no file comes with it for the graph";
	if (options->mode == WCM_TRACE_RECORD)
		return options->output && wcm__brought_is_marker(brought->file) ?
			       NULL :
			       "no marker comes with it for the recording";
	return options->output ? "it gives lines to who asks, and opens no file for them" : NULL;
}

uint32_t wcm__trace_request(char *const settings[], int fd, const struct wcm_brought *brought,
			    const char **why)
{
	static const char nameless[] = "";
	struct wcm_trace_options options = { .fd = fd };
	struct wcm_trace_filter filter;
	const char *mode = wcm__setting(settings, WCM_SET_TRACE);
	enum wcm_status status;

	*why = NULL;
	if (!wcm__trace_mode(mode ? mode : "log", &options.mode)) {
		*why = "its library does not know this kind of trace";
		return 0;
	}
	if (wcm__gate_is_open()) {
		*why = "it is traced already; --stop ends that trace";
		return 0;
	}
	if (!wcm__trace_environment(settings, &options, &filter))
		return 0;
	*why = missing(&options, brought);
	if (*why)
		return 0;
	if (!options.output)
		options.output = nameless;
	wcm__brought_lend(options.output, brought);
	status = wcm_trace_start(&options);
	wcm__brought_lend(NULL, NULL);
	if (status == WCM_OK)
		return wcm__gate.generation;
	*why = reason_of(&options, status, errno);
	return 0;
}
