/* SPDX-License-Identifier: MIT */
/* prototype.c - takes the values of a call, one after the other, by its function's prototype.
 *
 * The codes say what a value is, the port where it is.
 */
#include "trace/values/prototype.h"

#include <string.h>

enum { EXTENDED = 16 }; /* bytes of a long double, and their alignment */

/* Bytes of an integer of CODE; 0: it is none. */
static unsigned integer_size(char code)
{
	switch (code) {
	case 'a': case 'A': case 'b': case 'c':
		return 1;
	case 'h': case 'H':
		return 2;
	case 'i': case 'I': case 'o':
		return 4;
	case 'l': case 'L': case 's': case 'p': case 'F':
		return 8;
	default:
		return 0;
	}
}

static bool has_sign(char code)
{
	return code == 'a' || code == 'h' || code == 'i' || code == 'c';
}

/* WORD's lower SIZE bytes: what is above them in a register is left over. */
static uint64_t widen(uint64_t word, unsigned size, bool is_signed)
{
	const unsigned unused = 64 - 8 * size;

	word <<= unused;
	return is_signed ? (uint64_t)((int64_t)word >> unused) : word >> unused;
}

/* How many codes that of CODES is; 0: it is none. */
static size_t length_of(const char *codes)
{
	size_t length = 1;

	if (codes[0] == '{') {
		while (codes[length] == 'l' || codes[length] == 'd')
			length++;
		return length > 1 && length <= 3 && codes[length] == '}' ? length + 1 : 0;
	}
	if (codes[0] == 'm')
		return codes[1] > '0' ? 2 : 0;
	return memchr("vfde.", codes[0], 5) ? 1 : integer_size(codes[0]) > 0;
}

/* The struct of CODES, LENGTH with its braces, is in registers, or all in memory. */
static bool take_struct(const char *codes, size_t length, struct wcm_passed *passed,
			struct wcm_value *value)
{
	const unsigned words = (unsigned)length - 2;
	const bool is_floating[2] = { codes[1] == 'd', codes[2] == 'd' };

	value->words = (uint8_t)words;
	return wcm__arch_passed_words(passed, is_floating, words, value->word);
}

static bool take_word(char code, struct wcm_passed *passed, struct wcm_value *value)
{
	const bool is_floating = code == 'f' || code == 'd';
	const unsigned size = code == 'f' ? 4 : code == 'd' ? 8 : integer_size(code);

	value->words = 1;
	if (size == 0 || !wcm__arch_passed_words(passed, &is_floating, 1, value->word))
		return false;
	value->word[0] = widen(value->word[0], size, has_sign(code));
	return true;
}

static bool take(const char *codes, size_t length, struct wcm_passed *passed,
		 struct wcm_value *value)
{
	uintptr_t at = 0;
	bool is_taken;

	switch (codes[0]) {
	case '{':
		return take_struct(codes, length, passed, value);
	case 'm':
		is_taken = passed->stack ?
				   wcm__arch_passed_memory(passed, NULL,
							   (size_t)(codes[1] - '0') * 8, 8) :
				   wcm__arch_passed_hidden(passed, &at);
		value->words = 1;
		value->word[0] = at;
		return is_taken;
	case 'e':
		value->words = 2;
		return wcm__arch_passed_memory(passed, value->word, EXTENDED, EXTENDED);
	default:
		return take_word(codes[0], passed, value);
	}
}

const char *wcm__prototype_arguments(const char *codes, struct wcm_passed *passed)
{
	uintptr_t at;

	if (codes[0] == 'm')
		wcm__arch_passed_hidden(passed, &at);
	return codes + length_of(codes);
}

const char *wcm__prototype_skip(const char *codes, struct wcm_value *value)
{
	const size_t length = length_of(codes);

	if (length == 0 || codes[0] == 'v' || codes[0] == '.')
		return NULL;
	*value = (struct wcm_value){ .code = codes[0] };
	return codes + length;
}

const char *wcm__prototype_next(const char *codes, struct wcm_passed *passed,
				struct wcm_value *value)
{
	const char *next = wcm__prototype_skip(codes, value);

	if (next && !take(codes, (size_t)(next - codes), passed, value))
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
