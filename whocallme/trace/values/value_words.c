/* SPDX-License-Identifier: MIT */
/* value_words.c (SAFE) - puts what a call is given and gives back into words. */
#include "trace/values/value_words.h"

#include "trace/values/enumeration.h"

enum { BIAS = 16383, DOUBLE_BIAS = 1023, FRACTION = 52, MOST_EXPONENT = 2047 };

/* The bits of the double that is nearest to the extended number of MANTISSA and EXPONENT, which
 * has the sign; what is too small for a normal one is zero. */
static uint64_t double_of(uint64_t mantissa, uint64_t exponent)
{
	const uint64_t sign = (exponent & 0x8000) << 48;
	const uint64_t rest = mantissa << 1;
	int64_t scale = (int64_t)(exponent & 0x7fff) - BIAS + DOUBLE_BIAS;
	uint64_t bits;

	if ((exponent & 0x7fff) == 0x7fff)
		return sign | (uint64_t)MOST_EXPONENT << FRACTION | rest >> (64 - FRACTION);
	if (scale <= 0)
		return sign;
	if (scale >= MOST_EXPONENT)
		return sign | (uint64_t)MOST_EXPONENT << FRACTION;
	/* A carry of rounding goes on into the exponent, as it should. */
	bits = (uint64_t)scale << FRACTION | rest >> (64 - FRACTION);
	return sign | (bits + (rest >> (63 - FRACTION) & 1));
}

static void put_struct(struct wcm_words *words, const struct wcm_value *value)
{
	wcm__words_text(words, "{");
	for (unsigned i = 0; i < value->words; i++) {
		wcm__words_text(words, i > 0 ? ", " : "");
		wcm__words_hex(words, value->word[i]);
	}
	wcm__words_text(words, "}");
}

/* In decimal where a word is enough. */
static void put_pair(struct wcm_words *words, const struct wcm_value *value)
{
	const uint64_t low = value->word[0], high = value->word[1];

	if (high == 0)
		wcm__words_unsigned(words, low);
	else if (value->code == 'q' && high == UINT64_MAX && (int64_t)low < 0)
		wcm__words_signed(words, (int64_t)low);
	else
		wcm__words_wide_hex(words, high, low);
}

/* Without a name it is the number that it is. */
static void put_enumerator(struct wcm_words *words, const struct wcm_value *value)
{
	struct wcm_value plain = *value;

	plain.code = value->plain;
	if (!wcm__enumeration_words(words, value->number, (int64_t)value->word[0]))
		wcm__value_words_put(words, &plain);
}

void wcm__value_words_put(struct wcm_words *words, const struct wcm_value *value)
{
	const uint64_t word = value->word[0];

	if (value->words == 0) {
		wcm__words_text(words, "?");
		return;
	}
	switch (value->code) {
	case 'a': case 'h': case 'i': case 'l':
		wcm__words_signed(words, (int64_t)word);
		break;
	case 'b':
		wcm__words_text(words, word ? "true" : "false");
		break;
	case 'c':
		wcm__words_character(words, (unsigned char)word);
		break;
	case 'o':
		wcm__words_octal(words, word);
		break;
	case 'f':
		wcm__words_float(words, (uint32_t)word);
		break;
	case 'd':
		wcm__words_double(words, word);
		break;
	case 'e':
		wcm__words_double(words, double_of(word, value->word[1]));
		break;
	case 's':
		wcm__words_string(words, (uintptr_t)word);
		break;
	case 'p':
		wcm__words_address(words, (uintptr_t)word);
		break;
	case 'F':
		wcm__words_function(words, (uintptr_t)word);
		break;
	case 'q': case 'Q':
		put_pair(words, value);
		break;
	case 'E':
		put_enumerator(words, value);
		break;
	case '{':
		put_struct(words, value);
		break;
	case '}':
		wcm__words_text(words, "{}");
		break;
	case 'm':
		wcm__words_text(words, "{...}");
		break;
	default:
		wcm__words_unsigned(words, word);
	}
}

void wcm__value_words_arguments(struct wcm_words *words, const char *codes,
				struct wcm_passed passed)
{
	const char *at = wcm__prototype_arguments(codes, &passed), *next;
	struct wcm_value value;

	wcm__words_text(words, "(");
	for (; (next = wcm__prototype_next(at, &passed, &value)); at = next) {
		wcm__value_words_put(words, &value);
		wcm__words_text(words, *next ? ", " : "");
	}
	wcm__words_text(words, *at ? "...)" : ")");
}

void wcm__value_words_result(struct wcm_words *words, const char *codes,
			     struct wcm_passed passed)
{
	struct wcm_value value;

	if (!wcm__prototype_next(codes, &passed, &value))
		return;
	wcm__words_text(words, " → ");
	wcm__value_words_put(words, &value);
}
