/* SPDX-License-Identifier: MIT */
/* filter_json.c - a line of JSON. */
#include "reports/filter_json.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "reports/json_numbers.h"
#include "reports/report_json.h"
#include "reports/report_show.h"

/* Duplicates, of which only one would be kept, are nothing we can give back. */
static json_t *load(const char *text, size_t length, char why[FILTER_JSON_WHY])
{
	json_error_t error;
	json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
				    &error);

	if (!object)
		snprintf(why, FILTER_JSON_WHY, "%s", error.text);
	return object;
}

static bool write_json(const json_t *report, const struct json_numbers *numbers)
{
	char *text = json_dumps(report, JSON_COMPACT);

	if (!text)
		return false;
	json_numbers_show(numbers, text);
	json_print_text(text);
	putchar('\n');
	free(text);
	return true;
}

bool filter_json(struct resolver *resolver, bool as_text, const char *text,
		 size_t length, char why[FILTER_JSON_WHY])
{
	struct json_numbers numbers;
	json_t *object;
	bool written = false;

	if (!json_numbers_hide(&numbers, text, length)) {
		strcpy(why, "out of memory");
		fwrite(text, 1, length, stdout);
		return false;
	}
	object = load(numbers.text, numbers.length, why);
	if (report_is(object)) {
		report_resolve_by(object, resolver);
		if (as_text)
			report_show(object, resolver);
		written = as_text || write_json(object, &numbers);
	}
	if (!written)
		fwrite(text, 1, length, stdout);
	json_numbers_free(&numbers);
	json_decref(object);
	return object != NULL;
}
