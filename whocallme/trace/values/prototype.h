/* SPDX-License-Identifier: MIT */
/* prototype.h (SAFE) - what a function is given and gives back, in codes of a character each.
 *
 * First is what it gives back, then each of its parameters:
 *
 *	v	nothing
 *	a h i l	an integer of 1, 2, 4, 8 bytes; A H I L without a sign
 *	q Q	the same of 16 bytes
 *	b c o	a bool, a character, the mode of a file
 *	f d e	float, double, long double
 *	s p F	a string, another pointer, a pointer to a function
 *	E7i	an integer with names for its values: of the list's enumeration 7, from 0 on
 *	{ll}	a struct of two words at most: l of integers, d of floating point
 *	m5	a larger one, of as many words as the character is behind '0'
 *	[ll] M5	the same, aligned to two words where they are in memory
 *	w	all values, in words that the log has for them: see worded_data.h
 *	.	what follows is not known
 */
#ifndef WCM_VALUES_PROTOTYPE_H
#define WCM_VALUES_PROTOTYPE_H

#include "core/arch/arch.h"

/* What a value of a code is: its bytes in the data of a recording, where a string has its own
 * length, and what uftrace calls it there; "": there is no such code. */
struct wcm_value_kind {
	uint8_t size;
	enum wcm_value_form {
		WCM_VALUE_OTHER,
		WCM_VALUE_EXTENDED, /* it has floating point, but not in a word */
		WCM_VALUE_WORD,
		WCM_VALUE_SIGNED,
		WCM_VALUE_FLOATING,
	} form;
	char name[4];
};

const struct wcm_value_kind *wcm__value_kind(char code);

/* Whether it is SIZE bytes of a word, or the string that one points to. */
static inline bool wcm__value_is_word(const struct wcm_value_kind *kind)
{
	return kind->form >= WCM_VALUE_WORD;
}

static inline bool wcm__value_is_string(const struct wcm_value_kind *kind)
{
	return kind->name[0] == 's';
}

/* The lower SIZE bytes of WORD, 8 at most: what is above them in a register is left over. */
static inline uint64_t wcm__value_widen(uint64_t word, size_t size, bool is_signed)
{
	const unsigned unused = 64 - 8 * (unsigned)size;

	word <<= unused;
	return is_signed ? (uint64_t)((int64_t)word >> unused) : word >> unused;
}

struct wcm_value {
	char code;       /* of a struct, '{' or 'm', of an empty one, '}' */
	char plain;      /* of an enumeration, that of the integer */
	uint8_t words;   /* that it has; 0: it could not be read */
	uint32_t number;  /* of an enumeration; the words of a struct in registers */
	uint64_t word[2]; /* an integer is as wide as that */
};

/* Have CODES' first parameter be what is taken of PASSED, its arguments.  Returns the code of
 * that. */
const char *wcm__prototype_arguments(const char *codes, struct wcm_passed *passed);

/* Take the value of CODES of PASSED.  Returns the codes behind it; NULL: there is none, or it is
 * not known. */
const char *wcm__prototype_next(const char *codes, struct wcm_passed *passed,
				struct wcm_value *value);

/* The same without taking anything: VALUE has its code, and NUMBER. */
const char *wcm__prototype_skip(const char *codes, struct wcm_value *value);

/* Whether CODES are such, of which a list by somebody else may have others. */
bool wcm__prototype_is_known(const char *codes);

#endif
