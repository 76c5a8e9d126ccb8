/* SPDX-License-Identifier: MIT */
/* words.c (SAFE) - puts values as words into a buffer of a fixed size: numbers, names. */
#include "trace/values/words.h"

#include <string.h>

#include "format/digits.h"

/* How much of the SIZE bytes at TEXT fits in ROOM, which is less, without a part of a character
 * of UTF-8: its other bytes begin with the bits 10. */
static size_t whole_characters(const char *text, size_t room)
{
	while (room > 0 && ((unsigned char)text[room] & 0xc0) == 0x80)
		room--;
	return room;
}

void wcm__words_span(struct wcm_words *words, const char *text, size_t size)
{
	const size_t room = (size_t)(words->end - words->at);

	if (words->is_cut)
		return;
	if (size > room) {
		size = whole_characters(text, room);
		words->is_cut = true;
	}
	memcpy(words->at, text, size);
	words->at += size;
}

void wcm__words_text(struct wcm_words *words, const char *text)
{
	wcm__words_span(words, text, strlen(text));
}

void wcm__words_name(struct wcm_words *words, const char *name)
{
	char escape[4] = "\\x";

	while (*name && !words->is_cut) {
		const size_t plain = wcm__format_printable(name);

		wcm__words_span(words, name, plain);
		name += plain;
		if (*name) {
			wcm__format_hex(escape + 2, (unsigned char)*name++, 2);
			wcm__words_span(words, escape, sizeof(escape));
		}
	}
}

/* Put VALUE to the base BASE with MARK, unless it is 0, between thousands. */
static void put_digits(struct wcm_words *words, uint64_t value, unsigned base, char mark)
{
	char room[32], *const end = room + sizeof(room), *at = end;
	unsigned count = 0;

	do {
		if (mark && count > 0 && count % 3 == 0)
			*--at = mark;
		*--at = "0123456789abcdef"[value % base];
		value /= base;
		count++;
	} while (value > 0);
	wcm__words_span(words, at, (size_t)(end - at));
}

static void put_signed(struct wcm_words *words, int64_t value, char mark)
{
	if (value < 0)
		wcm__words_text(words, "-");
	put_digits(words, value < 0 ? -(uint64_t)value : (uint64_t)value, 10, mark);
}

void wcm__words_signed(struct wcm_words *words, int64_t value)
{
	put_signed(words, value, '\'');
}

void wcm__words_unsigned(struct wcm_words *words, uint64_t value)
{
	put_digits(words, value, 10, '\'');
}

void wcm__words_id(struct wcm_words *words, int64_t value)
{
	put_signed(words, value, 0);
}

void wcm__words_hex(struct wcm_words *words, uint64_t value)
{
	wcm__words_text(words, "0x");
	put_digits(words, value, 16, 0);
}

void wcm__words_wide_hex(struct wcm_words *words, uint64_t high, uint64_t low)
{
	wcm__words_hex(words, high);
	for (unsigned unused = 60; unused > 0 && low >> unused == 0; unused -= 4)
		wcm__words_text(words, "0");
	put_digits(words, low, 16, 0);
}

void wcm__words_octal(struct wcm_words *words, uint64_t value)
{
	if (value > 0)
		wcm__words_text(words, "0");
	put_digits(words, value, 8, 0);
}

void wcm__words_address(struct wcm_words *words, uintptr_t address)
{
	if (address == 0)
		wcm__words_text(words, "NULL");
	else
		wcm__words_hex(words, address);
}
