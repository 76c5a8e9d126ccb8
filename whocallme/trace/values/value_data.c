/* SPDX-License-Identifier: MIT */
/* value_data.c (SAFE) - what a call is given and gives back, as data of a recording.
 *
 * A specification names the kind of each value by uftrace's letters, in the order of the values.
 * What is too much for the room is left out.
 */
#include "trace/values/value_data.h"

#include <string.h>

#include "core/os/read.h"
#include "format/words.h"
#include "trace/values/enumeration.h"
#include "trace/values/read_value.h"

enum { MOST_VALUES = 20, MOST_STRING = 32, MOST_NAME = 128, LENGTH = sizeof(uint16_t) };

static const struct wcm_value_kind *kind_of(char code)
{
	const struct wcm_value_kind *kind = wcm__value_kind(code);

	return *kind->name ? kind : NULL;
}

static bool is_floating(const struct wcm_value_kind *kind)
{
	return kind->form == WCM_VALUE_FLOATING || kind->form == WCM_VALUE_EXTENDED;
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
	memset(to->at + whole - 4, 0, 4);
	memcpy(to->at, bytes, size);
	to->at += whole;
}

/* NULL is what four bytes of all ones are.  Behind what can be read of one that has no end are a
 * zero byte, at which uftrace ends it, and its address. */
static void put_string(struct writer *to, uintptr_t address)
{
	static const char cut[] = "...", null[] = "\377\377\377\377";
	char text[LENGTH + MOST_STRING + 1 + sizeof(uint64_t)] = "";
	const uint64_t wide = address;
	uint16_t size = sizeof(null) - 1;
	size_t length;

	if (address == 0) {
		memcpy(text + LENGTH, null, size);
	} else {
		const bool is_whole = wcm__read_string_by(wcm__read_value, address,
							  text + LENGTH, MOST_STRING + 1,
							  &length);

		size = (uint16_t)length;
		if (!is_whole && length == MOST_STRING) {
			memcpy(text + LENGTH + length, cut, sizeof(cut) - 1);
			size = (uint16_t)(size + sizeof(cut) - 1);
		} else if (!is_whole) {
			text[LENGTH + length] = '\0';
			memcpy(text + LENGTH + length + 1, &wide, sizeof(wide));
			size = (uint16_t)(size + 1 + sizeof(wide));
		}
	}
	memcpy(text, &size, LENGTH);
	put(to, text, LENGTH + size);
}

static void put_value(struct writer *to, const struct wcm_value *value)
{
	const struct wcm_value_kind *kind = kind_of(value->code);
	static const uint64_t none[2];

	if (!kind)
		return;
	if (value->words == 0)
		put(to, none, wcm__value_is_string(kind) ? LENGTH : kind->size);
	else if (wcm__value_is_string(kind))
		put_string(to, (uintptr_t)value->word[0]);
	else
		put(to, value->word, kind->size);
}

/* The last word may be half full. */
static void finish(struct wcm_value_data *data, const struct writer *writer)
{
	if (writer->end - writer->at >= 4)
		memset(writer->at, 0, 4);
	data->count = ((size_t)(writer->at - writer->begin) + 7) / 8;
}

static struct writer begin(struct wcm_value_data *data)
{
	uint8_t *bytes = (uint8_t *)data->word;

	return (struct writer){ bytes, bytes, bytes + sizeof(data->word) };
}

void wcm__value_data_arguments(struct wcm_value_data *data, const char *codes,
			       struct wcm_passed passed)
{
	struct wcm_value value;
	struct writer to = begin(data);
	const char *at = wcm__prototype_arguments(codes, &passed);

	for (unsigned i = 0;
	     i < MOST_VALUES && (at = wcm__prototype_next(at, &passed, &value)); i++)
		put_value(&to, &value);
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

/* What a value is, with the name of its enumeration. */
static void put_kind(struct wcm_words *words, const struct wcm_value_kind *kind,
		     const struct wcm_value *value)
{
	const struct wcm_enumeration *names =
		value->code == 'E' ? wcm__enumeration_get(value->number) : NULL;

	if (value->code == 'E' && (!names || strlen(names->name) > MOST_NAME)) {
		wcm__words_text(words, "d64");
		return;
	}
	wcm__words_text(words, kind->name);
	if (*kind->name == 't')
		wcm__words_id(words, kind->size);
	if (names) {
		wcm__words_byte(words, ':');
		wcm__words_text(words, names->name);
	}
}

/* NUMBER is how many values there are already, of each kind. */
static void put_spec(struct wcm_words *words, unsigned number[2], const struct wcm_value *value)
{
	const struct wcm_value_kind *kind = kind_of(value->code);
	const bool floating = kind && is_floating(kind);

	if (!kind)
		return;
	wcm__words_text(words, wcm__words_length(words) > 0 ? "," : "");
	wcm__words_text(words, floating ? "fparg" : "arg");
	wcm__words_id(words, ++number[floating]);
	wcm__words_byte(words, '/');
	put_kind(words, kind, value);
}

size_t wcm__value_spec_arguments(char text[WCM_VALUE_SPEC_ROOM], const char *codes)
{
	unsigned number[2] = { 0 };
	struct wcm_words words;
	struct wcm_value value;
	const char *at = codes[0] == 'v' ? codes + 1 : wcm__prototype_skip(codes, &value);

	wcm__words_init(&words, text, WCM_VALUE_SPEC_ROOM);
	for (unsigned i = 0; at && i < MOST_VALUES && (at = wcm__prototype_skip(at, &value)); i++)
		put_spec(&words, number, &value);
	return wcm__words_length(&words);
}

size_t wcm__value_spec_result(char text[WCM_VALUE_SPEC_ROOM], const char *codes)
{
	struct wcm_words words;
	struct wcm_value value;
	const struct wcm_value_kind *kind =
		wcm__prototype_skip(codes, &value) ? kind_of(value.code) : NULL;

	if (!kind)
		return 0;
	wcm__words_init(&words, text, WCM_VALUE_SPEC_ROOM);
	wcm__words_text(&words, is_floating(kind) ? "retval/f" : "retval/");
	put_kind(&words, kind, &value);
	return wcm__words_length(&words);
}
