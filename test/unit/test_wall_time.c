/* SPDX-License-Identifier: MIT */
/* test_wall_time.c - moments of the calendar, as gmtime(3) has them. */
#include "format/wall_time.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "support/check.h"

static bool is_as_gmtime_has_it(uint64_t seconds, unsigned ns)
{
	const time_t time = (time_t)seconds;
	char ours[WCM_WALL_TIME + 1] = "", date[32], theirs[64];
	struct tm parts;

	wcm__format_wall_time(ours, seconds * 1000000000 + ns);
	gmtime_r(&time, &parts);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(theirs, sizeof(theirs), "%s.%09uZ", date, ns);
	return strcmp(ours, theirs) == 0;
}

TEST(each_day_of_two_centuries)
{
	const uint64_t most = sizeof(time_t) < 8 ? INT32_MAX : UINT64_MAX / 1000000000;

	for (uint64_t day = 0; day * 86400 + 86399 < most; day++) {
		CHECK(is_as_gmtime_has_it(day * 86400, 0));
		CHECK(is_as_gmtime_has_it(day * 86400 + 86399, 999999999));
		CHECK(is_as_gmtime_has_it(day * 86400 + day * 7919 % 86400, 123456789));
	}
}

RUN(each_day_of_two_centuries)
