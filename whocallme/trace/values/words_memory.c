/* SPDX-License-Identifier: MIT */
/* words_memory.c - strings and functions at an address.
 *
 * Another thread may change what is read, and the address may be anything.  So bytes are
 * copied once, by core/os/read.h or where a module has its constants, and all that is said of
 * them is said of the copy.
 */
#include "trace/values/words.h"

#include <string.h>

#include "core/modules/module_read.h"
#include "core/os/read.h"
#include "core/symbols/dlopen_names.h"
#include "format/printable.h"

/* Put BYTE as C escapes it within the marks QUOTE.  Always three octal digits: a digit that
 * follows is not part of them. */
static void put_escape(struct wcm_words *words, unsigned char byte)
{
	static const char plain[] = "abtnvfr"; /* of 7 to 13 */
	char escape[4] = { '\\' };
	size_t size = 2;

	if (byte >= '\a' && byte <= '\r') {
		escape[1] = plain[byte - '\a'];
	} else if (byte == '"' || byte == '\'' || byte == '\\') {
		escape[1] = (char)byte;
	} else {
		for (; size > 0; size--)
			escape[3 - size] = (char)('0' + (byte >> 3 * size & 7));
		escape[3] = (char)('0' + (byte & 7));
		size = sizeof(escape);
	}
	wcm__words_span(words, escape, size);
}

void wcm__words_character(struct wcm_words *words, unsigned char character)
{
	const char plain = (char)character;

	wcm__words_text(words, "'");
	if (character < 0x20 || character >= 0x7f || character == '\'' || character == '\\')
		put_escape(words, character);
	else
		wcm__words_span(words, &plain, 1);
	wcm__words_text(words, "'");
}

/* How many of the SIZE bytes at TEXT are those of its first character; 0: it must be escaped. */
static size_t shown_length(const char *text, size_t size)
{
	return *text == '"' || *text == '\\' ? 0 : wcm__printable_length(text, size);
}

/* Whether the first character at TEXT is cut off by the end of the SIZE bytes there. */
static bool is_part(const char *text, size_t size)
{
	const unsigned char first = (unsigned char)*text;
	const size_t whole = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	return first < 0xf5 && size < whole;
}

static void put_text(struct wcm_words *words, const char *text, size_t size)
{
	size_t length;

	for (; size > 0 && !words->is_cut; text += length, size -= length) {
		length = shown_length(text, size);
		if (length > 0) {
			wcm__words_span(words, text, length);
		} else {
			put_escape(words, (unsigned char)*text);
			length = 1;
		}
	}
}

/* SIZE, or less: without a character that is cut off. */
static size_t without_part(const char *text, size_t size)
{
	for (size_t back = 1; back <= 3 && back <= size; back++)
		if (((unsigned char)text[size - back] & 0xc0) != 0x80)
			return is_part(text + size - back, back) ? size - back : size;
	return size;
}

/* SIZE bytes of a string, which IS_ALL says whether these are all there are. */
static void put_quoted(struct wcm_words *words, const char *text, size_t size, bool is_all)
{
	wcm__words_text(words, "\"");
	put_text(words, text, is_all ? size : without_part(text, size));
	wcm__words_text(words, is_all ? "\"" : "\"...");
}

void wcm__words_string(struct wcm_words *words, uintptr_t address)
{
	char text[WCM_WORDS_SHOWN + 2]; /* one more than are shown, and the zero byte */
	size_t length;
	bool is_whole;

	if (address == 0) {
		wcm__words_address(words, address);
		return;
	}
	is_whole = wcm__read_string_by(wcm__read_constant, address, text, sizeof(text), &length);
	if (!is_whole && length < sizeof(text) - 1) {
		wcm__words_address(words, address);
		return;
	}
	is_whole = is_whole && length <= WCM_WORDS_SHOWN;
	put_quoted(words, text, is_whole ? length : WCM_WORDS_SHOWN, is_whole);
}

void wcm__words_function(struct wcm_words *words, uintptr_t address)
{
	struct wcm_symbol symbol;

	if (address != 0) {
		wcm__dlopen_names_peek(address, &symbol);
		if (symbol.name && symbol.offset == 0) {
			wcm__words_text(words, "&");
			wcm__words_name(words, symbol.name);
			return;
		}
	}
	wcm__words_address(words, address);
}
