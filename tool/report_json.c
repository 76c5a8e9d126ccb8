/* SPDX-License-Identifier: MIT */
/* report_json.c - lines for a crash report that is a JSON object. */
#include "report_json.h"

bool report_is(const json_t *object)
{
	return json_is_object(object);
}

void report_resolve(json_t *report, struct binaries *binaries, unsigned around)
{
	(void)report, (void)binaries, (void)around;
}
