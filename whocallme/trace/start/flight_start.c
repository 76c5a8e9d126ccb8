/* SPDX-License-Identifier: MIT */
/* flight_start.c - starts the flight recorder, by call or by the environment. */
#include "trace/start/flight_start.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/refuse_setting.h"
#include "crash/signals/altstack.h"
#include "format/settings.h"
#include "trace/engine/trace_stderr.h"
#include "trace/flight/flight_ring.h"
#include "trace/sleds/sled_complaint.h"
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

static bool refuse(enum wcm_setting_id which)
{
	return wcm__setting_refuse(wcm__trace_stderr(), "last calls are not kept: ", NULL, which,
				" makes no sense");
}

uint32_t wcm__flight_calls(const char *value)
{
	uint64_t calls = 0;

	for (; *value >= '0' && *value <= '9'; value++) {
		calls = calls * 10 + (uint64_t)(*value - '0');
		if (calls > WCM_FLIGHT_MOST)
			return 0;
	}
	return *value ? 0 : (uint32_t)calls;
}

/* False, after a line on stderr, where the variable makes no sense. */
static bool read_times(void)
{
	enum { RELATIVE, ABSOLUTE, DELTA };
	int word;

	if (!wcm__setting_word(NULL, WCM_SET_TRACE_TIME, &word))
		return refuse(WCM_SET_TRACE_TIME);
	if (word == ABSOLUTE)
		wcm__last_calls_show(WCM_CALLS_WALL);
	else if (word == DELTA)
		wcm__last_calls_show(WCM_CALLS_SINCE);
	return true;
}

uint32_t wcm__flight_asked(void)
{
	const char *value = wcm__setting(NULL, WCM_SET_FLIGHT);
	uint32_t calls;

	if (!value || strcmp(value, "no") == 0)
		return 0;
	calls = strcmp(value, "yes") == 0 ? WCM_FLIGHT_DEFAULT : wcm__flight_calls(value);
	if (calls == 0)
		refuse(WCM_SET_FLIGHT);
	return read_times() ? calls : 0;
}
