/* SPDX-License-Identifier: MIT */
/* value_text.c - writes what calls were given and gave back, as uftrace does, or, of recordings by
 * this library, as its log has it.
 *
 * Each value is in the least multiple of 4 bytes that has room for it; a string has its length in 2
 * bytes before it.  Numbers that are large are in hexadecimal.
 */
#include "recording/value_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "recording/value_specs.h"
#include "trace/values/enumeration.h"
#include "trace/values/value_words.h"

enum { MOST = 1024, LARGE = 100000, CUT_LENGTH = WCM_WORDS_SHOWN + 3, WORDS_ROOM = 8192 };

/* What is left of the data of a call. */
struct rest {
	const unsigned char *at, *end;
};

/* Where it was made, for the names of functions. */
struct scene {
	struct recording *recording;
	const struct session *session;
};

void value_text_init(struct value_text *text, struct recording *recording)
{
	text->recording = recording;
	value_file_init(&text->file);
}

void value_text_close(struct value_text *text)
{
	value_file_close(&text->file);
}

static uint64_t number_of(const unsigned char *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = size < 8 ? size : 8; i-- > 0;)
		value = value << 8 | bytes[i];
	return value;
}

static int64_t signed_of(uint64_t value, size_t size)
{
	return (int64_t)wcm__value_widen(value, size < 8 ? size : 8, true);
}

static void put_hex(FILE *to, uint64_t value)
{
	fprintf(to, "%#" PRIx64, value);
}

/* What may be of any size is mostly an int, whose sign has not reached the upper half. */
static bool is_small_int(char format, uint64_t value, size_t size)
{
	return format == 'd' && size > 4 && value > 0xffff0000 && value <= UINT32_MAX;
}

static void put_decimal(FILE *to, char format, uint64_t value, size_t size)
{
	const int64_t with_sign =
		signed_of(value, is_small_int(format, value, size) ? 4 : size);

	if (format == 'i')
		fprintf(to, "%" PRId64, with_sign);
	else if (format == 'u' ? value > LARGE : with_sign > LARGE || with_sign < -LARGE)
		put_hex(to, value);
	else if (format == 'u')
		fprintf(to, "%" PRIu64, value);
	else
		fprintf(to, "%" PRId64, with_sign);
}

static void put_floating(FILE *to, const unsigned char *bytes, size_t size)
{
	float narrow;
	double usual;
	long double wide = 0;

	if (size == sizeof(narrow)) {
		memcpy(&narrow, bytes, sizeof(narrow));
		fprintf(to, "%f", (double)narrow);
	} else if (size == sizeof(usual)) {
		memcpy(&usual, bytes, sizeof(usual));
		fprintf(to, "%f", usual);
	} else {
		memcpy(&wide, bytes, size < sizeof(wide) ? size : sizeof(wide));
		fprintf(to, "%Lf", wide);
	}
}

/* The letter that C has for a control CHARACTER; 0: there is none. */
static char letter_of(unsigned char character)
{
	return character >= '\a' && character <= '\r' ? "abtnvfr"[character - '\a'] : 0;
}

static void put_character(FILE *to, unsigned char character)
{
	if (isprint(character))
		fprintf(to, "'%c'", character);
	else if (character == 0 || letter_of(character))
		fprintf(to, "'\\%c'", character ? letter_of(character) : '0');
	else
		fprintf(to, "'\\x%02x'", character);
}

static void put_pointer(FILE *to, const struct scene *scene, uint64_t address)
{
	const struct function *function =
		scene->session ? session_function_at(scene->session, &scene->recording->functions,
						     address) : NULL;

	if (function)
		fprintf(to, "&%s", function->name);
	else
		put_hex(to, address);
}

/* What has no name at all is a number, else the rest is behind a plus sign. */
static void put_names(FILE *to, const struct enumeration *names, int32_t value)
{
	const char format = names && enumeration_is_listed(names) ? 'd' : 'i';
	const char *name, *before = "";
	size_t begin = 0;

	while (names && (name = enumeration_next(names, &value, &begin))) {
		fputs(before, to);
		escape_name(to, name, SIZE_MAX);
		before = "|";
	}
	if (!*before)
		put_decimal(to, format, (uint32_t)value, sizeof(value));
	else if (value != 0)
		fprintf(to, "+%#" PRIx32, (uint32_t)value);
}

/* Control characters by their letters, and all else as names are shown. */
static void put_text(FILE *to, char *text)
{
	while (*text) {
		char *end = text;
		char control;

		while (*end && !letter_of((unsigned char)*end))
			end++;
		control = *end;
		*end = '\0';
		escape_name(to, text, SIZE_MAX);
		if (control)
			fprintf(to, "\\%c", letter_of((unsigned char)control));
		text = end + (control != 0);
	}
}

/* Four bytes of all ones are NULL. */
static void put_string(FILE *to, const unsigned char *bytes, size_t length)
{
	char text[MOST + 1];

	if (length == 4 && number_of(bytes, 4) == UINT32_MAX) {
		fputs("NULL", to);
		return;
	}
	memcpy(text, bytes, length);
	text[length] = '\0';
	fputc('"', to);
	put_text(to, text);
	fputc('"', to);
}

/* What is in it is not told. */
static void put_struct(FILE *to, const struct value_spec *spec)
{
	if (spec->names)
		escape_name(to, enumeration_name(spec->names), SIZE_MAX);
	fputs(spec->size > 0 ? "{...}" : "{}", to);
}

static void put_value(FILE *to, const struct scene *scene, const struct value_spec *spec,
		      const unsigned char *bytes, size_t size)
{
	const uint64_t number = number_of(bytes, size);

	switch (spec->format) {
	case 's':
		put_string(to, bytes, size);
		break;
	case 'S':
		put_string(to, bytes, size);
		fputc('s', to);
		break;
	case 'f':
		put_floating(to, bytes, size);
		break;
	case 'c':
		put_character(to, *bytes);
		break;
	case 'p':
		put_pointer(to, scene, number);
		break;
	case 'e':
		put_names(to, spec->names, (int32_t)number);
		break;
	case 't':
		put_struct(to, spec);
		break;
	case 'x':
		put_hex(to, number);
		break;
	case 'o':
		fprintf(to, "%#" PRIo64, number);
		break;
	default:
		put_decimal(to, spec->format, number, size);
	}
}

/* Take a value of REST: *SIZE bytes at *BYTES.  False: they are not all there. */
static bool take(struct rest *rest, const struct value_spec *spec, const unsigned char **bytes,
		 size_t *size)
{
	const size_t before = value_spec_is_string(spec) ? VALUE_LENGTH : 0;
	const size_t left = (size_t)(rest->end - rest->at);
	size_t whole;

	if (left < before)
		return false;
	*size = before ? (size_t)number_of(rest->at, before) : spec->size;
	*bytes = rest->at + before;
	if (left - before < *size)
		return false;
	whole = value_spec_room(spec, rest->at);
	rest->at += whole < left ? whole : left;
	return true;
}

/* The address of a string that could not be read is behind a zero byte; a cut one is longer than
 * what is shown. */
static void word_string(struct wcm_words *words, const unsigned char *bytes, size_t size)
{
	const char *text = (const char *)bytes;

	if (size == 4 && number_of(bytes, 4) == UINT32_MAX)
		wcm__words_address(words, 0);
	else if (size > 8 && text[size - 9] == '\0')
		wcm__words_address(words, (uintptr_t)number_of(bytes + size - 8, 8));
	else if (size == CUT_LENGTH)
		wcm__words_quoted(words, text, WCM_WORDS_SHOWN, false);
	else
		wcm__words_quoted(words, text, size, true);
}

static void word_function(struct wcm_words *words, const struct scene *scene, uint64_t address)
{
	const struct function *function =
		scene->session ? session_function_at(scene->session, &scene->recording->functions,
						     address) : NULL;

	if (function && address != 0) {
		wcm__words_text(words, "&");
		wcm__words_name(words, function->name);
	} else {
		wcm__words_address(words, (uintptr_t)address);
	}
}

/* Up to a zero byte, if there is one. */
static void word_words(struct wcm_words *words, const unsigned char *bytes, size_t size)
{
	const char *text = (const char *)bytes;

	wcm__words_span(words, text, strnlen(text, size));
}

static void take_back(struct wcm_words *words, const char *text)
{
	const size_t size = strlen(text);

	if (wcm__words_length(words) >= size && memcmp(words->at - size, text, size) == 0)
		words->at -= size;
}

/* What is behind the zero byte of the string that DATA are takes the place of the dots that WORDS
 * end with, if those are words that have been given SIZE BYTES, the last of them zero. */
static void word_more(struct wcm_words *words, const unsigned char *bytes, size_t size,
		      struct rest data)
{
	static const struct value_spec string = { .format = 's' };
	const unsigned char *text;
	size_t length, before;

	if (!take(&data, &string, &text, &length))
		return;
	before = strnlen((const char *)text, length);
	if (before == length)
		return;
	if (size > 0 && bytes[size - 1] == '\0') {
		take_back(words, "...");
		take_back(words, ", ");
	}
	wcm__words_span(words, (const char *)text + before + 1, length - before - 1);
}

/* VALUE has its code; its SIZE bytes are BYTES. */
static void word_value(struct wcm_words *words, const struct scene *scene,
		       struct wcm_value *value, const unsigned char *bytes, size_t size)
{
	const uint64_t number = number_of(bytes, size);

	value->words = value->code == '{' && value->number > 0 ? (uint8_t)value->number : 1;
	value->word[0] = wcm__value_kind(value->code)->form == WCM_VALUE_SIGNED ?
				 (uint64_t)signed_of(number, size) : number;
	value->word[1] = size > 8 ? number_of(bytes + 8, size - 8) : 0;
	if (value->code == 'w')
		word_words(words, bytes, size);
	else if (value->code == 's')
		word_string(words, bytes, size);
	else if (value->code == 'F')
		word_function(words, scene, number);
	else
		wcm__value_words_put(words, value);
}

/* What REST has for KINDS' codes, as the log shows it; words go on in MORE. */
static void put_words(FILE *to, const struct scene *scene, const struct value_kinds *kinds,
		      bool is_back, struct rest *rest, struct rest more)
{
	char room[WORDS_ROOM];
	const char *at = kinds->codes, *next;
	const unsigned char *bytes;
	struct wcm_value value;
	struct wcm_words words;
	size_t size, i = 0;

	wcm__words_init(&words, room, sizeof(room) - 1);
	words.is_plain = true;
	wcm__enumerations_set(kinds->names);
	for (; (next = wcm__prototype_skip(at, &value)) && i < kinds->count; at = next) {
		if (!take(rest, &kinds->spec[i++], &bytes, &size))
			break;
		word_value(&words, scene, &value, bytes, size);
		if (is_back)
			break;
		if (value.code == 'w')
			word_more(&words, bytes, size, more);
		wcm__words_text(&words, *next ? ", " : "");
	}
	if (!is_back && *at)
		wcm__words_text(&words, "...");
	*words.at = '\0';
	escape_text(to, room);
}

static void put_values(FILE *to, const struct scene *scene, const struct value_kinds *kinds,
		       struct rest *rest)
{
	const unsigned char *bytes;
	size_t size;

	for (size_t i = 0; i < kinds->count; i++) {
		fputs(i > 0 ? ", " : "", to);
		if (!take(rest, &kinds->spec[i], &bytes, &size)) {
			fputs("...", to);
			break;
		}
		put_value(to, scene, &kinds->spec[i], bytes, size);
	}
}

bool value_text_put(struct value_text *text, FILE *to, const char *before,
		    const struct call_values *values)
{
	struct task *task = values->task;
	const struct value_kinds *kinds = &values->place.kinds;
	const struct scene scene = {
		text->recording, task->use_count > 0 ? task->uses[task->use].session : NULL,
	};
	const struct data_place end = { .begin = values->more, .size = MOST };
	unsigned char data[MOST], end_data[MOST];
	struct rest rest = { data, data }, more = { end_data, end_data };

	if (values->place.size == 0 ? !kinds->codes : kinds->count == 0)
		return false;
	rest.end += value_file_read(&text->file, task->file.path, &values->place, data,
				    sizeof(data));
	if (call_values_go_on(values))
		more.end += value_file_read(&text->file, task->file.path, &end, end_data,
					    sizeof(end_data));
	fputs(before, to);
	if (kinds->codes)
		put_words(to, &scene, kinds, values->is_back, &rest, more);
	else
		put_values(to, &scene, kinds, &rest);
	return true;
}
