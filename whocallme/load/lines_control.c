/* SPDX-License-Identifier: MIT */
/* lines_control.c - starts source lines: by a call, or by the environment before main. */
#include "load/lines_control.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/modules/stay.h"
#include "format/line.h"
#include "format/settings.h"
#include "lines/resolver_session.h"
#include "lines/resolver_turn.h"

extern const char wcm__lines_control;
const char wcm__lines_control = 0;

static void prepare(void)
{
	wcm__resolver_turn_prepare();
	pthread_atfork(NULL, NULL, wcm__lines_forget);
}

void wcm__lines_prepare(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, prepare);
}

enum wcm_status wcm_lines_start(const struct wcm_lines_options *options)
{
	wcm__stay();
	wcm__lines_prepare();
	return wcm__lines_start(options);
}

void wcm_lines_stop(void)
{
	wcm__lines_prepare();
	wcm__lines_stop();
}

static void refuse(const char *value)
{
	wcm__line_say(STDERR_FILENO, "WHOCALLME_LINES=", value,
		      " is unknown; it takes \"yes\" or \"source\"");
}

__attribute__((constructor)) static void start_from_environment(void)
{
	const char *value = wcm__setting(NULL, WCM_SET_LINES);
	struct wcm_lines_options options = { 0 };

	if (!value)
		return;
	if (wcm__setting_flags(NULL, WCM_SET_LINES, &options.flags))
		wcm_lines_start(&options);
	else
		refuse(value);
}
