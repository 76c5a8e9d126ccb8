/* SPDX-License-Identifier: MIT */
/* value_data.c - what a call is given and gives back, as data of a recording.
 *
 * A specification names the kind of each value by uftrace's letters, and where uftrace would find
 * it, by which it puts them in order: integers before floating point, each by its number.  What is
 * too much for the room is left zero: a reader knows the sizes by the specification.
 */
#include "trace/values/value_data.h"

#include <string.h>

#include "core/modules/module_read.h"
#include "core/os/read.h"
#include "format/digits.h"

enum { MOST_VALUES = 16, MOST_STRING = 32, LENGTH = sizeof(uint16_t) };

/* A kind of value: what uftrace calls it, and its bytes; 0: a string. */
struct kind {
	char code;
	uint8_t size;
	const char *name;
};

static const struct kind kinds[] = {
	{ 'a', 1, "d8" }, { 'h', 2, "d16" }, { 'i', 4, "d32" }, { 'l', 8, "d64" },
	{ 'A', 1, "u8" }, { 'H', 2, "u16" }, { 'I', 4, "u32" }, { 'L', 8, "u64" },
	{ 'b', 1, "u8" }, { 'c', 1, "c" }, { 'o', 4, "x32" }, { 's', 0, "s" },
	{ 'p', 8, "x64" }, { 'F', 8, "p" },
	{ 'f', 4, "32" }, { 'd', 8, "64" }, { 'e', 10, "80" },
};

static const struct kind *kind_of(char code)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].code == code)
			return &kinds[i];
	return NULL;
}

static bool is_floating(char code)
{
	return code == 'f' || code == 'd' || code == 'e';
}

/* What is behind the words of DATA, while it is made of bytes. */
struct writer {
	uint8_t *begin, *at, *end;
};

/* Each value begins at a multiple of 4. */
static void put(struct writer *to, const void *bytes, size_t size)
{
	const size_t whole = (size + 3) & ~(size_t)3;

	if (whole > (size_t)(to->end - to->at))
		return;
	memcpy(to->at, bytes, size);
	to->at += whole;
}

/* NULL is what four bytes of all ones are; what cannot be read is empty. */
static void put_string(struct writer *to, uintptr_t address)
{
	static const char cut[] = "...", null[] = "\377\377\377\377";
	char text[LENGTH + MOST_STRING + sizeof(cut)] = "";
	uint16_t size = sizeof(null) - 1;
	size_t length;

	if (address == 0) {
		memcpy(text + LENGTH, null, size);
	} else {
		const bool is_whole = wcm__read_string_by(wcm__read_constant, address,
							  text + LENGTH, MOST_STRING + 1,
							  &length);

		size = (uint16_t)length;
		if (!is_whole && length == MOST_STRING) {
			memcpy(text + LENGTH + length, cut, sizeof(cut) - 1);
			size = (uint16_t)(size + sizeof(cut) - 1);
		}
	}
	memcpy(text, &size, LENGTH);
	put(to, text, LENGTH + size);
}

static void put_value(struct writer *to, const struct wcm_value *value)
{
	const struct kind *kind = kind_of(value->code);
	static const uint64_t none[2];

	if (!kind)
		return;
	if (kind->size == 0 && value->words > 0)
		put_string(to, (uintptr_t)value->word[0]);
	else
		put(to, value->words > 0 ? value->word : none, kind->size ? kind->size : LENGTH);
}

static void finish(struct wcm_value_data *data, const struct writer *writer)
{
	data->count = ((size_t)(writer->at - writer->begin) + 7) / 8;
}

/* The words are zero where no value is. */
static struct writer begin(struct wcm_value_data *data)
{
	uint8_t *bytes = (uint8_t *)data->word;

	for (size_t i = 0; i < WCM_RECORD_MOST_DATA; i++)
		data->word[i] = 0;
	return (struct writer){ bytes, bytes, bytes + sizeof(data->word) };
}

void wcm__value_data_arguments(struct wcm_value_data *data, const char *codes,
			       struct wcm_passed passed)
{
	struct wcm_value value[MOST_VALUES];
	struct writer to = begin(data);
	const char *at = wcm__prototype_arguments(codes, &passed);
	size_t count = 0;

	while (count < MOST_VALUES && (at = wcm__prototype_next(at, &passed, &value[count])))
		count++;
	for (size_t i = 0; i < count; i++)
		if (!is_floating(value[i].code))
			put_value(&to, &value[i]);
	for (size_t i = 0; i < count; i++)
		if (is_floating(value[i].code))
			put_value(&to, &value[i]);
	finish(data, &to);
}

void wcm__value_data_result(struct wcm_value_data *data, const char *codes,
			    struct wcm_passed passed)
{
	struct writer to = begin(data);
	struct wcm_value value;

	if (wcm__prototype_next(codes, &passed, &value))
		put_value(&to, &value);
	finish(data, &to);
}

static char *add(char *at, const char *text)
{
	const size_t size = strlen(text);

	memcpy(at, text, size);
	return at + size;
}

/* The values of CODES that IS_FLOATING says of. */
static char *add_specs(char *at, const char *begin, const char *codes, bool floating)
{
	struct wcm_value value;
	unsigned number = 0, count = 0;

	for (; count < MOST_VALUES && (codes = wcm__prototype_skip(codes, &value)); count++) {
		const struct kind *kind = kind_of(value.code);

		if (!kind || is_floating(value.code) != floating)
			continue;
		at = add(at, at > begin ? "," : "");
		at = add(at, floating ? "fparg" : "arg");
		at += wcm__format_decimal(at, ++number);
		at = add(add(at, "/"), kind->name);
	}
	return at;
}

size_t wcm__value_spec_arguments(char text[WCM_VALUE_SPEC_ROOM], const char *codes)
{
	struct wcm_value result;
	const char *parameters = codes[0] == 'v' ? codes + 1 :
						   wcm__prototype_skip(codes, &result);
	char *at = add_specs(text, text, parameters, false);

	return (size_t)(add_specs(at, text, parameters, true) - text);
}

size_t wcm__value_spec_result(char text[WCM_VALUE_SPEC_ROOM], const char *codes)
{
	const struct kind *kind = kind_of(codes[0]);
	char *at = text;

	if (!kind)
		return 0;
	at = add(at, "retval/");
	at = add(at, is_floating(codes[0]) ? "f" : "");
	return (size_t)(add(at, kind->name) - text);
}
