/* SPDX-License-Identifier: MIT */
/* json_numbers.c - numbers of any size and precision, kept as they are written. */
#include "reports/json_numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

/* The length of the string at TEXT, a quote, up to END; both quotes are in it. */
static size_t string_length(const char *text, const char *end)
{
	const char *at = text + 1;

	while (at < end && *at != '"')
		at += *at == '\\' && end - at > 1 ? 2 : 1;
	return (size_t)(at - text) + (at < end);
}

static size_t digits(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return (size_t)(at - text);
}

/* The length of the number at TEXT (RFC 8259, section 6), 0 where it is none;
 * *EXACT: an integer that 64 bits hold. */
static size_t number_length(const char *text, const char *end, bool *exact)
{
	enum { MOST_DIGITS = 18 };
	const char *at = text + (*text == '-');
	size_t count = digits(at, end);

	if (count == 0 || (count > 1 && *at == '0'))
		return 0;
	*exact = count <= MOST_DIGITS && !(*text == '-' && *at == '0');
	at += count;
	if (end - at > 1 && *at == '.') {
		*exact = false;
		count = digits(at + 1, end);
		if (count == 0)
			return 0;
		at += 1 + count;
	}
	if (end - at > 1 && (*at == 'e' || *at == 'E')) {
		*exact = false;
		at += at[1] == '+' || at[1] == '-' ? 2 : 1;
		count = digits(at, end);
		if (count == 0)
			return 0;
		at += count;
	}
	return (size_t)(at - text);
}

/* The next number from AT on that is to be hidden, *LENGTH bytes, or NULL. */
static const char *next_hidden(const char *at, const char *end, size_t *length)
{
	while (at < end) {
		bool exact = true;

		if (*at == '"') {
			at += string_length(at, end);
			continue;
		}
		*length = *at == '-' || (*at >= '0' && *at <= '9')
				  ? number_length(at, end, &exact)
				  : 0;
		if (!exact && *length > 0)
			return at;
		at += *length > 0 ? *length : 1;
	}
	return NULL;
}

/* One that is not in TEXT, and that nobody foresees. */
static void choose_mark(struct json_numbers *numbers, const char *text, size_t length)
{
	uint64_t hash = hash_more(HASH_OF_NOTHING, text, length);

	do
		snprintf(numbers->mark, sizeof(numbers->mark), "\"~%" PRIx64 "~",
			 hash++);
	while (memmem(text, length, numbers->mark, strlen(numbers->mark)));
}

static bool hide_all(struct json_numbers *numbers, const char *text, size_t length)
{
	const char *end = text + length, *number;
	FILE *file = open_memstream(&numbers->memory, &numbers->length);
	size_t size;

	if (!file)
		return false;
	for (; (number = next_hidden(text, end, &size)); text = number + size) {
		fwrite(text, 1, (size_t)(number - text), file);
		fprintf(file, "%s%.*s\"", numbers->mark, (int)size, number);
	}
	fwrite(text, 1, (size_t)(end - text), file);
	numbers->text = numbers->memory;
	return fclose(file) == 0;
}

bool json_numbers_hide(struct json_numbers *numbers, const char *text, size_t length)
{
	size_t size;

	*numbers = (struct json_numbers){ .text = text, .length = length };
	if (!next_hidden(text, text + length, &size))
		return true;
	choose_mark(numbers, text, length);
	if (hide_all(numbers, text, length)) {
		numbers->text = numbers->memory;
		return true;
	}
	json_numbers_free(numbers);
	return false;
}

/* Copy [FROM, END) to TO; returns its end there. */
static char *move(char *to, const char *from, const char *end)
{
	memmove(to, from, (size_t)(end - from));
	return to + (end - from);
}

void json_numbers_show(const struct json_numbers *numbers, char *text)
{
	const size_t length = strlen(numbers->mark);
	char *from = text, *to = text, *found;
	bool exact;

	while (numbers->memory && (found = strstr(from, numbers->mark))) {
		char *number = found + length, *end = number + strcspn(number, "\"");
		/* An escape may have made the mark of what was none. */
		const bool hidden = *number != '"' && number_length(number, end, &exact) ==
							      (size_t)(end - number);

		to = move(to, from, hidden ? found : end);
		if (hidden)
			to = move(to, number, end);
		from = end + hidden;
	}
	memmove(to, from, strlen(from) + 1);
}

void json_numbers_free(struct json_numbers *numbers)
{
	free(numbers->memory);
}
