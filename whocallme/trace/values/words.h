/* SPDX-License-Identifier: MIT */
/* words.h (SAFE) - values as words, in a buffer of a fixed size.
 *
 *	char room[512];
 *	struct wcm_words words;
 *
 *	wcm__words_init(&words, room, sizeof(room));
 *	wcm__words_text(&words, "read(");
 *	wcm__words_id(&words, fd);
 *	...
 *	write(2, words.begin, wcm__words_length(&words));
 *
 * Nothing is ever put past the end.  What does not fit is cut behind a whole character,
 * and nothing follows it: a line says that it is cut, or is complete.  No zero byte ends
 * the text.
 *
 * Values in memory are read without faulting, so that any address may be given.  All of
 * it is async-signal-safe, and uses general registers only: a floating-point number is
 * given as the bits that it is made of.
 */
#ifndef WCM_VALUES_WORDS_H
#define WCM_VALUES_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WCM_WORDS_SHOWN = 32,       /* bytes of a string, or of data */
	WCM_WORDS_SHOWN_PATH = 512, /* bytes of a path */
};

struct wcm_words {
	char *begin, *at, *end;
	bool is_cut;      /* something did not fit */
	bool hides_data;  /* of strings, paths and data there are addresses alone (--no-data) */
};

static inline void wcm__words_init(struct wcm_words *words, char *room, size_t size)
{
	*words = (struct wcm_words){ .begin = room, .at = room, .end = room + size };
}

static inline size_t wcm__words_length(const struct wcm_words *words)
{
	return (size_t)(words->at - words->begin);
}

/* Put TEXT, or its first SIZE bytes, as it is. */
void wcm__words_text(struct wcm_words *words, const char *text);
void wcm__words_span(struct wcm_words *words, const char *text, size_t size);

/* Put NAME, which the program has chosen, as names are shown everywhere else: bytes that are
 * not to be shown, and backslashes, as \xNN. */
void wcm__words_name(struct wcm_words *words, const char *name);

/* In decimal with ' between thousands: 131'072, -1. */
void wcm__words_signed(struct wcm_words *words, int64_t value);
void wcm__words_unsigned(struct wcm_words *words, uint64_t value);

/* In decimal without: a descriptor, a process, a user, by which it is known elsewhere. */
void wcm__words_id(struct wcm_words *words, int64_t value);

/* 0x and hexadecimal digits, of one number or of two together; a leading 0 and octal digits. */
void wcm__words_hex(struct wcm_words *words, uint64_t value);
void wcm__words_wide_hex(struct wcm_words *words, uint64_t high, uint64_t low);
void wcm__words_octal(struct wcm_words *words, uint64_t value);

/* A pointer: NULL, or hexadecimal. */
void wcm__words_address(struct wcm_words *words, uintptr_t address);

/* A character constant: 'a', '\n', '\377'. */
void wcm__words_character(struct wcm_words *words, unsigned char character);

/* A number of IEEE 754 whose bits are BITS: the shortest decimal digits that give the same
 * number again.  0.1, 1e+23, -0, inf, nan. */
void wcm__words_double(struct wcm_words *words, uint64_t bits);
void wcm__words_float(struct wcm_words *words, uint32_t bits);

/* The zero-terminated string at ADDRESS: "abc\n", cut after WCM_WORDS_SHOWN bytes:
 * "abc"..., NULL, or the address where it cannot be read.  A path is cut later. */
void wcm__words_string(struct wcm_words *words, uintptr_t address);
void wcm__words_path(struct wcm_words *words, uintptr_t address);

/* SIZE bytes at ADDRESS: "abc" where those that are shown are text, else u"⌂ELF", a
 * character of code page 437 for each byte; cut after WCM_WORDS_SHOWN bytes. */
void wcm__words_data(struct wcm_words *words, uintptr_t address, uint64_t size);

/* The same of a string or data that have been read already: up to SIZE bytes at TEXT, of
 * which IS_ALL says whether these are all there are. */
void wcm__words_quoted(struct wcm_words *words, const char *text, size_t size, bool is_all);
void wcm__words_bytes(struct wcm_words *words, const char *bytes, size_t size, bool is_all);

/* A pointer to a function: &name where a function that is known begins at ADDRESS, else as
 * any address. */
void wcm__words_function(struct wcm_words *words, uintptr_t address);

#endif
