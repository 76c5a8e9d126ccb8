/* SPDX-License-Identifier: MIT */
/* duration.c - writes and reads nanoseconds and large numbers for people. */
#include "base/duration.h"

#include <stdlib.h>
#include <string.h>

#include "format/words.h"

const char *duration_text(uint64_t nanoseconds, char text[DURATION_SIZE])
{
	static const struct {
		unsigned parts; /* of this unit, that make the next one */
		char name[3];
	} units[] = {
		{ 1000, "us" }, { 1000, "ms" }, { 1000, " s" }, { 60, " m" },
		{ 60, " h" },
	};
	enum { LAST = sizeof(units) / sizeof(*units) - 1 };
	uint64_t whole = nanoseconds, small = 0;
	unsigned unit = 0;

	if (nanoseconds == 0)
		return strcpy(text, "          ");
	for (;; unit++) {
		small = whole % units[unit].parts;
		whole /= units[unit].parts;
		if (unit == LAST || whole < units[unit + 1].parts)
			break;
	}
	if (whole > 999)
		whole = small = 999;
	memcpy(text, "   .000 ", 8);
	wcm__format_before(text + 3, whole, 0);
	wcm__format_before(text + 7, small, 0);
	strcpy(text + 8, units[unit].name);
	return text;
}

const char *number_grouped(uint64_t number, char text[static NUMBER_SIZE])
{
	struct wcm_words words;

	wcm__words_init(&words, text, NUMBER_SIZE);
	wcm__words_unsigned(&words, number);
	wcm__words_finish(&words);
	return text;
}

const char *duration_brief(uint64_t nanoseconds, char text[static NUMBER_SIZE])
{
	struct wcm_words words;

	wcm__words_init(&words, text, NUMBER_SIZE);
	wcm__words_duration(&words, nanoseconds);
	wcm__words_finish(&words);
	return text;
}

bool duration_parse(const char *text, uint64_t *nanoseconds)
{
	static const struct {
		const char *name;
		uint64_t nanoseconds;
	} units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || number >= UINT64_C(1) << 32)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(end, units[i].name) == 0) {
			*nanoseconds = number * units[i].nanoseconds;
			return true;
		}
	return false;
}
