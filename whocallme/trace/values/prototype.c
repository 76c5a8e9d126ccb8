/* SPDX-License-Identifier: MIT */
/* prototype.c (SAFE) - takes the values of a call, one after the other, by its function's
 * prototype.
 *
 * The codes say what a value is, the port where it is.
 */
#include "trace/values/prototype.h"

#include <string.h>

/* Bytes of a word, and of a long double and what else is aligned like it. */
enum { WORD = 8, PAIR = 16 };

static const struct wcm_value_kind kinds[128] = {
	['a'] = { 1, WCM_VALUE_SIGNED, "d8" }, ['h'] = { 2, WCM_VALUE_SIGNED, "d16" },
	['i'] = { 4, WCM_VALUE_SIGNED, "d32" }, ['l'] = { 8, WCM_VALUE_SIGNED, "d64" },
	['A'] = { 1, WCM_VALUE_WORD, "u8" }, ['H'] = { 2, WCM_VALUE_WORD, "u16" },
	['I'] = { 4, WCM_VALUE_WORD, "u32" }, ['L'] = { 8, WCM_VALUE_WORD, "u64" },
	['b'] = { 1, WCM_VALUE_WORD, "u8" }, ['c'] = { 1, WCM_VALUE_SIGNED, "c" },
	['o'] = { 4, WCM_VALUE_WORD, "x32" }, ['p'] = { 8, WCM_VALUE_WORD, "x64" },
	['F'] = { 8, WCM_VALUE_WORD, "p" }, ['s'] = { 8, WCM_VALUE_WORD, "s" },
	['f'] = { 4, WCM_VALUE_FLOATING, "32" }, ['d'] = { 8, WCM_VALUE_FLOATING, "64" },
	['e'] = { 10, WCM_VALUE_EXTENDED, "80" },
	['q'] = { 16, WCM_VALUE_OTHER, "t" }, ['Q'] = { 16, WCM_VALUE_OTHER, "t" },
	['E'] = { 8, WCM_VALUE_OTHER, "e" }, ['{'] = { 16, WCM_VALUE_OTHER, "t" },
	['m'] = { 8, WCM_VALUE_OTHER, "t" }, ['}'] = { 8, WCM_VALUE_OTHER, "t" },
	['w'] = { 0, WCM_VALUE_OTHER, "s" },
};

const struct wcm_value_kind *wcm__value_kind(char code)
{
	return &kinds[code & 127];
}

/* Bytes of an integer of CODE; 0: it is none. */
static unsigned integer_size(char code)
{
	const struct wcm_value_kind *kind = wcm__value_kind(code);

	return kind->form == WCM_VALUE_WORD || kind->form == WCM_VALUE_SIGNED ? kind->size : 0;
}

/* The codes of a struct in registers, with what closes them. */
static size_t struct_length(const char *codes)
{
	const char close = codes[0] == '{' ? '}' : ']';
	size_t length = 1;

	while (codes[length] == 'l' || codes[length] == 'd')
		length++;
	return length <= 3 && codes[length] == close ? length + 1 : 0;
}

static size_t enumeration_length(const char *codes)
{
	size_t length = 1;

	while (codes[length] >= '0' && codes[length] <= '9' && length < 10)
		length++;
	return length > 1 && integer_size(codes[length]) > 0 ? length + 1 : 0;
}

/* How many codes that of CODES is; 0: it is none. */
static size_t length_of(const char *codes)
{
	switch (codes[0]) {
	case '{': case '[':
		return struct_length(codes);
	case 'E':
		return enumeration_length(codes);
	case 'm': case 'M':
		return codes[1] > '0' ? 2 : 0;
	case 'v': case 'f': case 'd': case 'e': case 'q': case 'Q': case 'w': case '.':
		return 1;
	default:
		return integer_size(codes[0]) > 0;
	}
}

/* The struct of CODES is in registers, or all in memory. */
static bool take_struct(const char *codes, struct wcm_passed *passed, struct wcm_value *value)
{
	const bool is_floating[2] = { codes[1] == 'd', codes[2] == 'd' };

	value->words = value->number > 0 ? (uint8_t)value->number : 1;
	return value->number == 0 ||
	       wcm__arch_passed_words(passed, is_floating, value->number,
				      codes[0] == '[' ? PAIR : WORD, value->word);
}

static bool take_pair(struct wcm_passed *passed, struct wcm_value *value)
{
	static const bool is_floating[2];

	value->words = 2;
	return wcm__arch_passed_words(passed, is_floating, 2, PAIR, value->word);
}

/* As a result it is in a register of its own. */
static bool take_extended(struct wcm_passed *passed, struct wcm_value *value)
{
	value->words = 2;
	return passed->stack ? wcm__arch_passed_memory(passed, value->word, PAIR, PAIR) :
			       wcm__arch_passed_extended(value->word);
}

static bool take_word(char code, struct wcm_passed *passed, struct wcm_value *value)
{
	const struct wcm_value_kind *kind = wcm__value_kind(code);
	const bool is_floating = kind->form == WCM_VALUE_FLOATING;

	value->words = 1;
	if (!wcm__value_is_word(kind) ||
	    !wcm__arch_passed_words(passed, &is_floating, 1, WORD, value->word))
		return false;
	value->word[0] = wcm__value_widen(value->word[0], kind->size,
					  kind->form == WCM_VALUE_SIGNED);
	return true;
}

/* Of one that is in memory nothing is read: a result's address is in a register. */
static bool take_memory(const char *codes, struct wcm_passed *passed, struct wcm_value *value)
{
	const size_t size = (size_t)(codes[1] - '0') * WORD;
	uintptr_t at;

	value->words = 1;
	return passed->stack ? wcm__arch_passed_memory(passed, NULL, size,
						       codes[0] == 'M' ? PAIR : WORD) :
			       wcm__arch_passed_hidden(passed, &at);
}

static bool take(const char *codes, struct wcm_passed *passed, struct wcm_value *value)
{
	switch (codes[0]) {
	case '{': case '[':
		return take_struct(codes, passed, value);
	case 'm': case 'M':
		return take_memory(codes, passed, value);
	case 'q': case 'Q':
		return take_pair(passed, value);
	case 'e':
		return take_extended(passed, value);
	case 'E':
		return take_word(value->plain, passed, value);
	default:
		return take_word(codes[0], passed, value);
	}
}

const char *wcm__prototype_arguments(const char *codes, struct wcm_passed *passed)
{
	uintptr_t at;

	if (codes[0] == 'm' || codes[0] == 'M')
		wcm__arch_passed_hidden(passed, &at);
	return codes + length_of(codes);
}

const char *wcm__prototype_skip(const char *codes, struct wcm_value *value)
{
	const size_t length = length_of(codes);

	if (length == 0 || codes[0] == 'v' || codes[0] == '.')
		return NULL;
	*value = (struct wcm_value){ .code = codes[0] };
	if (codes[0] == '{' || codes[0] == '[') {
		value->number = (uint32_t)length - 2;
		value->code = length > 2 ? '{' : '}';
	} else if (codes[0] == 'M') {
		value->code = 'm';
	} else if (codes[0] == 'E') {
		for (size_t i = 1; i < length - 1; i++)
			value->number = 10 * value->number + (uint32_t)(codes[i] - '0');
		value->plain = codes[length - 1];
	}
	return codes + length;
}

const char *wcm__prototype_next(const char *codes, struct wcm_passed *passed,
				struct wcm_value *value)
{
	const char *next = wcm__prototype_skip(codes, value);

	if (next && !take(codes, passed, value))
		value->words = 0;
	return next;
}

bool wcm__prototype_is_known(const char *codes)
{
	size_t length = 0;

	do
		codes += length = length_of(codes);
	while (length > 0 && *codes);
	return length > 0;
}
