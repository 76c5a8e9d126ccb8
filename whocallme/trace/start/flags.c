/* SPDX-License-Identifier: MIT */
/* flags.c - takes --ftrace and --strace out of a program's arguments, and starts the log.
 *
 * A program that has more privileges than whoever started it does not obey that one's flag.
 * An argument with two dashes more is for whoever the program hands it on to, and loses
 * them here: each program on the way takes off two.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/os/auxv.h"
#include "format/line.h"
#include "format/own_line.h"
#include "trace/process/trace_environment.h"
#include "trace/start/trace_start.h"
#include "trace/engine/trace_stderr.h"
#include "whocallme/trace.h"

/* The dashes of ARGUMENT, an even number of two and more in front of FLAG; 0: it is none of
 * these. */
static size_t dashes_of(const char *argument, const char *flag)
{
	const size_t dashes = strspn(argument, "-");

	return dashes >= 2 && dashes % 2 == 0 && strcmp(argument + dashes, flag) == 0 ? dashes :
											 0;
}

static void refuse(const char *said, const char *why)
{
	struct wcm_line line;

	wcm__line_init(&line, wcm__trace_stderr());
	wcm__line_text(&line, said);
	wcm__line_text(&line, why);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

static void start_log(bool functions, bool system_calls)
{
	struct wcm_trace_options options = {
		.mode = WCM_TRACE_LOG,
		.flags = WCM_TRACE_ARTICLE | (functions ? 0 : WCM_TRACE_NO_FUNCTIONS),
		.system_calls = system_calls ? "*" : NULL,
	};
	enum wcm_status status;

	if (!wcm__trace_times(&options.flags))
		return;
	status = wcm__trace_start_asked(&options);
	if (status == WCM_OK)
		return;
	refuse(functions ? WCM_OWN_LINE "nothing is traced: --ftrace: " :
			   WCM_OWN_LINE "nothing is traced: --strace: ",
	       wcm_status_text(status));
}

/* Take FLAG out of the arguments in front of "--".  Returns whether it was there. */
static bool take(const char *flag, int *argc, char *argv[])
{
	bool is_there = false, is_over = false;
	int kept = 1;

	for (int i = 1; i < *argc; i++) {
		const size_t dashes = is_over ? 0 : dashes_of(argv[i], flag);

		is_over |= strcmp(argv[i], "--") == 0;
		is_there |= dashes == 2;
		if (dashes != 2)
			argv[kept++] = argv[i] + (dashes > 2 ? 2 : 0);
	}
	if (*argc > 0) {
		argv[kept] = NULL;
		*argc = kept;
	}
	return is_there;
}

void wcm_flags(int *argc, char *argv[])
{
	const bool ftrace = take("ftrace", argc, argv), strace = take("strace", argc, argv);

	if (wcm__auxv(AT_SECURE))
		return;
	if (ftrace || strace)
		start_log(ftrace, strace);
}
