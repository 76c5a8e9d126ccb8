/* SPDX-License-Identifier: MIT */
/* flight_start.c - starts the flight recorder, by call or by the environment. */
#include "trace/start/flight_start.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/line.h"
#include "crash/signals/altstack.h"
#include "trace/sleds/sled_complaint.h"
#include "trace/flight/flight_calls.h"
#include "trace/flight/flight_ring.h"
#include "trace/engine/trace_stderr.h"
#include "trace/sleds/sled_list.h"

static uintptr_t function_of_sled(uintptr_t pc)
{
	const struct wcm_sled *sled = wcm__sleds_returning_to(pc);

	return sled ? sled->func : 0;
}

void wcm__flight_start(uint32_t calls)
{
	wcm__altstack_expect(1);
	wcm__flight_find_by(function_of_sled);
	wcm__flight_times_begin();
	wcm__sleds_on_or_complain(WCM_SLEDS_FOR_FLIGHT);
	wcm__flight_open(calls);
	wcm__last_calls_keep(&wcm__flight_keeper);
}

static bool refuse(const char *name, const char *value, const char *takes)
{
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, "last calls are not kept: ");
	wcm__line_text(&line, name);
	wcm__line_text(&line, "=");
	wcm__line_name(&line, value);
	wcm__line_text(&line, " makes no sense; it takes ");
	wcm__line_text(&line, takes);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
	return false;
}

uint32_t wcm__flight_calls(const char *value)
{
	uint64_t calls = 0;

	for (; *value >= '0' && *value <= '9'; value++) {
		calls = calls * 10 + (uint64_t)(*value - '0');
		if (calls > WCM_FLIGHT_MOST)
			calls = WCM_FLIGHT_MOST;
	}
	return *value ? 0 : (uint32_t)calls;
}

/* False, after a line on stderr, where the variable makes no sense. */
static bool read_times(void)
{
	static const char name[] = "WHOCALLME_TRACE_TIME";
	const char *value = secure_getenv(name);

	if (value && strcmp(value, "absolute") == 0)
		wcm__last_calls_show(WCM_CALLS_WALL);
	else if (value && strcmp(value, "delta") == 0)
		wcm__last_calls_show(WCM_CALLS_SINCE);
	else if (value && *value && strcmp(value, "relative") != 0)
		return refuse(name, value, "relative, absolute or delta");
	return true;
}

uint32_t wcm__flight_asked(void)
{
	static const char name[] = "WHOCALLME_FLIGHT";
	const char *value = secure_getenv(name);
	uint32_t calls;

	if (!value || !*value || strcmp(value, "no") == 0)
		return 0;
	calls = strcmp(value, "yes") == 0 ? WCM_FLIGHT_DEFAULT : wcm__flight_calls(value);
	if (calls == 0)
		refuse(name, value, "a number, yes or no");
	return read_times() ? calls : 0;
}
