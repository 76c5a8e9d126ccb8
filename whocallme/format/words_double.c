/* SPDX-License-Identifier: MIT */
/* words_double.c (SAFE) - makes the digits of floating-point numbers, without registers for them.
 *
 * Signal handlers and hooks touch no registers of floating point, and what reads a number
 * back is to get the same one.  So the digits are made exactly, with whole numbers as large as
 * it takes, until what is left is less than half the distance to the neighbouring number
 * (Steele and White's way of 1990): no other digits that are fewer would do.
 *
 * The number is REST / SCALE, and numbers from LOW / SCALE below it to HIGH / SCALE above
 * are read back as it.
 */
#include "format/words.h"

#include <string.h>

enum {
	WORDS = 37,       /* of 32 bits: 10 to the 324th, and some bits more */
	MOST_DIGITS = 17,
	POSITIONAL = 17,  /* digits before the point that are written without an exponent */
};

struct large {
	uint32_t word[WORDS]; /* lowest first */
	unsigned used;
};

/* What a format of IEEE 754 has. */
struct format {
	unsigned fraction_bits, exponent_bits;
};

struct digits {
	char digit[MOST_DIGITS + 1];
	unsigned count;
	int point; /* how many digits stand before it */
};

struct quotient {
	struct large rest, scale, low, high;
	bool is_even; /* a number half way to the neighbour is read back as this one */
};

static void times(struct large *large, uint32_t factor)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < large->used; i++) {
		carry += (uint64_t)large->word[i] * factor;
		large->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry > 0 && large->used < WORDS)
		large->word[large->used++] = (uint32_t)carry;
}

static void shift(struct large *large, unsigned bits)
{
	for (; bits >= 31; bits -= 31)
		times(large, UINT32_C(1) << 31);
	times(large, UINT32_C(1) << bits);
}

static struct large made(uint64_t value, unsigned bits)
{
	struct large large = { .word = { (uint32_t)value, (uint32_t)(value >> 32) }, .used = 2 };

	shift(&large, bits);
	while (large.used > 0 && large.word[large.used - 1] == 0)
		large.used--;
	return large;
}

/* Less than, equal to, or greater than 0, as A + MORE is to B; MORE is 0 where it is NULL. */
static int compare(const struct large *a, const struct large *more, const struct large *b)
{
	uint64_t carry = 0;
	int result = 0;

	for (unsigned i = 0; i < WORDS; i++) {
		const uint32_t of_b = i < b->used ? b->word[i] : 0;

		carry += i < a->used ? a->word[i] : 0;
		carry += more && i < more->used ? more->word[i] : 0;
		if ((uint32_t)carry != of_b)
			result = (uint32_t)carry < of_b ? -1 : 1;
		carry >>= 32;
	}
	return carry > 0 ? 1 : result;
}

/* B is not greater than A. */
static void subtract(struct large *a, const struct large *b)
{
	uint64_t borrow = 0;

	for (unsigned i = 0; i < a->used; i++) {
		const uint64_t taken = borrow + (i < b->used ? b->word[i] : 0);

		borrow = a->word[i] < taken;
		a->word[i] -= (uint32_t)taken;
	}
	while (a->used > 0 && a->word[a->used - 1] == 0)
		a->used--;
}

static void times_ten(struct quotient *quotient)
{
	times(&quotient->rest, 10);
	times(&quotient->low, 10);
	times(&quotient->high, 10);
}

/* Whether digits that end here are too great by less than what is read back as the number. */
static bool reaches(const struct quotient *quotient)
{
	const int order = compare(&quotient->rest, &quotient->high, &quotient->scale);

	return quotient->is_even ? order >= 0 : order > 0;
}

static bool is_near(const struct quotient *quotient)
{
	const int order = compare(&quotient->rest, NULL, &quotient->low);

	return quotient->is_even ? order <= 0 : order < 0;
}

/* Have the number be at least a tenth and less than 1.  Returns how often it was divided by
 * ten. */
static int normalise(struct quotient *quotient)
{
	int point = 0;

	for (; reaches(quotient); point++)
		times(&quotient->scale, 10);
	for (;;) {
		struct quotient next = *quotient;

		times_ten(&next);
		if (reaches(&next))
			return point;
		*quotient = next;
		point--;
	}
}

static char next_digit(struct quotient *quotient)
{
	char digit = '0';

	times_ten(quotient);
	for (; compare(&quotient->rest, NULL, &quotient->scale) >= 0; digit++)
		subtract(&quotient->rest, &quotient->scale);
	return digit;
}

static bool rounds_up(const struct quotient *quotient)
{
	return compare(&quotient->rest, &quotient->rest, &quotient->scale) >= 0;
}

static void make_digits(struct digits *digits, struct quotient *quotient)
{
	bool is_low = false, is_high = false;

	digits->count = 0;
	digits->point = normalise(quotient);
	while (!is_low && !is_high && digits->count < MOST_DIGITS) {
		digits->digit[digits->count++] = next_digit(quotient);
		is_low = is_near(quotient);
		is_high = reaches(quotient);
	}
	if (is_high && (!is_low || rounds_up(quotient)))
		digits->digit[digits->count - 1]++;
}

/* SIGNIFICAND times 2 to the EXPONENT.  Below a power of two numbers are twice as near. */
static struct quotient made_quotient(uint64_t significand, int exponent, bool is_power)
{
	const unsigned up = exponent > 0 ? (unsigned)exponent : 0;
	const unsigned down = exponent < 0 ? (unsigned)-exponent : 0;

	return (struct quotient){
		.rest = made(significand, up + 1 + is_power),
		.scale = made(1, down + 1 + is_power),
		.low = made(1, up),
		.high = made(1, up + is_power),
		.is_even = significand % 2 == 0,
	};
}

static void put_positional(struct wcm_words *words, const struct digits *digits)
{
	const unsigned whole = digits->point > 0 ? (unsigned)digits->point : 0;

	if (whole == 0)
		wcm__words_text(words, "0.");
	for (int at = digits->point; at < 0; at++)
		wcm__words_text(words, "0");
	for (unsigned i = 0; i < digits->count; i++) {
		if (i > 0 && i == whole)
			wcm__words_text(words, ".");
		wcm__words_span(words, digits->digit + i, 1);
	}
	for (unsigned i = digits->count; i < whole; i++)
		wcm__words_text(words, "0");
}

static void put_exponent(struct wcm_words *words, const struct digits *digits)
{
	const int exponent = digits->point - 1;

	wcm__words_span(words, digits->digit, 1);
	if (digits->count > 1)
		wcm__words_text(words, ".");
	wcm__words_span(words, digits->digit + 1, digits->count - 1);
	wcm__words_text(words, exponent < 0 ? "e-" : "e+");
	if (exponent > -10 && exponent < 10)
		wcm__words_text(words, "0");
	wcm__words_id(words, exponent < 0 ? -exponent : exponent);
}

/* Of a number that has few decimal digits itself these are the shortest: no two of so few are read
 * back alike.  FLT_DIG and DBL_DIG say how many.  False: it has more. */
static bool make_exact(struct digits *digits, uint64_t significand, int exponent,
		       const struct format *format)
{
	const uint64_t end = format->fraction_bits > 23 ? UINT64_C(1000000000000000) : 1000000;
	char reversed[MOST_DIGITS];
	unsigned count = 0;

	for (; significand % 2 == 0; exponent++)
		significand /= 2;
	digits->point = exponent < 0 ? exponent : 0;
	for (; exponent > 0 && significand < end; exponent--)
		significand *= 2;
	for (; exponent < 0 && significand < end; exponent++)
		significand *= 5;
	if (exponent != 0 || significand >= end)
		return false;
	for (; significand > 0; significand /= 10)
		reversed[count++] = (char)('0' + significand % 10);
	digits->point += (int)count;
	for (digits->count = 0; digits->count < count; digits->count++)
		digits->digit[digits->count] = reversed[count - 1 - digits->count];
	while (digits->digit[digits->count - 1] == '0')
		digits->count--;
	return true;
}

static void make_shortest(struct digits *digits, uint64_t significand, int exponent, bool is_power)
{
	struct quotient quotient = made_quotient(significand, exponent, is_power);

	make_digits(digits, &quotient);
}

static void put_number(struct wcm_words *words, uint64_t fraction, unsigned exponent,
		       const struct format *format)
{
	const int bias = (1 << (format->exponent_bits - 1)) - 1 + (int)format->fraction_bits;
	const uint64_t hidden = exponent > 0 ? UINT64_C(1) << format->fraction_bits : 0;
	const int power = (int)(exponent > 0 ? exponent : 1) - bias;
	struct digits digits;

	if (!make_exact(&digits, hidden | fraction, power, format))
		make_shortest(&digits, hidden | fraction, power, fraction == 0 && exponent > 1);
	if (digits.point > -4 && digits.point <= POSITIONAL)
		put_positional(words, &digits);
	else
		put_exponent(words, &digits);
}

static void put(struct wcm_words *words, uint64_t bits, const struct format *format)
{
	const uint64_t fraction = bits & ((UINT64_C(1) << format->fraction_bits) - 1);
	const unsigned largest = (1u << format->exponent_bits) - 1;
	const unsigned exponent = (unsigned)(bits >> format->fraction_bits) & largest;

	if (bits >> (format->fraction_bits + format->exponent_bits) & 1)
		wcm__words_text(words, "-");
	if (exponent == largest)
		wcm__words_text(words, fraction == 0 ? "inf" : "nan");
	else if (exponent == 0 && fraction == 0)
		wcm__words_text(words, "0");
	else
		put_number(words, fraction, exponent, format);
}

void wcm__words_double(struct wcm_words *words, uint64_t bits)
{
	put(words, bits, &(const struct format){ 52, 11 });
}

void wcm__words_float(struct wcm_words *words, uint32_t bits)
{
	put(words, bits, &(const struct format){ 23, 8 });
}
