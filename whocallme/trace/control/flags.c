/* SPDX-License-Identifier: MIT */
/* flags.c - takes --ftrace out of a program's arguments, and starts the log.
 *
 * A program that has more privileges than whoever started it does not obey that one's flag.
 * An argument with two dashes more is for whoever the program hands it on to, and loses
 * them here: each program on the way takes off two.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/os/auxv.h"
#include "core/report/line.h"
#include "trace/probe/trace_stderr.h"
#include "whocallme/trace.h"

/* The dashes of ARGUMENT, an even number of two and more in front of "ftrace"; 0: it is
 * none of these. */
static size_t dashes_of(const char *argument)
{
	const size_t dashes = strspn(argument, "-");

	return dashes >= 2 && dashes % 2 == 0 && strcmp(argument + dashes, "ftrace") == 0 ?
		       dashes : 0;
}

static void start_log(void)
{
	const struct wcm_trace_options options = { .mode = WCM_TRACE_LOG };
	const enum wcm_status status = wcm_trace_start(&options);
	struct wcm_line line;

	if (status == WCM_OK)
		return;
	wcm__line_init(&line, wcm__trace_stderr());
	wcm__line_text(&line, "<whocallme>: nothing is traced: --ftrace: ");
	wcm__line_text(&line, wcm_status_text(status));
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

void wcm_flags(int *argc, char *argv[])
{
	bool is_asked = false;
	int kept = 1;

	for (int i = 1; i < *argc; i++) {
		const size_t dashes = dashes_of(argv[i]);

		is_asked |= dashes == 2;
		if (dashes != 2)
			argv[kept++] = argv[i] + (dashes > 2 ? 2 : 0);
	}
	if (*argc > 0) {
		argv[kept] = NULL;
		*argc = kept;
	}
	if (is_asked && !wcm__auxv(AT_SECURE))
		start_log();
}
