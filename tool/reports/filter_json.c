/* SPDX-License-Identifier: MIT */
/* filter_json.c - handles one line of JSON of an input: adds lines if it is a report. */
#include "reports/filter_json.h"

#include <stdlib.h>
#include <string.h>

#include "reports/report_json.h"

/* A member of another's may have a number that jansson cannot hold.  Such an object is not
 * changed; whoever waits for the lines of a report is to be told. */
static bool may_be_report(const char *text, size_t length)
{
	return memmem(text, length, "\"signal\"", 8) && memmem(text, length, "\"cause\"", 7);
}

/* *WHY becomes empty where there is nothing to say.  Duplicates, of which only one would be
 * kept, are nothing we can give back. */
static json_t *load(const char *text, size_t length, char why[FILTER_JSON_WHY])
{
	json_error_t error;
	json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
				    &error);

	why[0] = '\0';
	if (object)
		return object;
	if (json_error_code(&error) != json_error_numeric_overflow)
		snprintf(why, FILTER_JSON_WHY, "no JSON: %s", error.text);
	else if (may_be_report(text, length))
		snprintf(why, FILTER_JSON_WHY, "an object stays as it is: %s", error.text);
	return NULL;
}

bool filter_json_is_report(const char *text, size_t length)
{
	char why[FILTER_JSON_WHY];
	json_t *object = load(text, length, why);
	const bool is_report = report_is(object);

	json_decref(object);
	return is_report;
}

char *filter_json_in_log(struct resolver *resolver, const char *text, size_t length)
{
	char why[FILTER_JSON_WHY], *made = NULL;
	json_t *object = load(text, length, why);
	size_t size;
	FILE *file = report_is(object) ? open_memstream(&made, &size) : NULL;
	bool written = false;

	if (file) {
		report_resolve_by(object, resolver);
		written = report_write(file, object);
		written &= fclose(file) == 0;
	}
	json_decref(object);
	if (written)
		return made;
	free(made);
	return NULL;
}

bool filter_json(struct resolver *resolver, bool as_text, const char *text,
		 size_t length, char why[FILTER_JSON_WHY])
{
	json_t *object = load(text, length, why);
	bool written = false;

	if (report_is(object)) {
		report_resolve_by(object, resolver);
		if (as_text)
			report_show(object, resolver);
		written = as_text || report_write(stdout, object);
	}
	if (!written)
		fwrite(text, 1, length, stdout);
	json_decref(object);
	return why[0] == '\0';
}
