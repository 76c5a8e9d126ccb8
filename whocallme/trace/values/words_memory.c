/* SPDX-License-Identifier: MIT */
/* words_memory.c (SAFE) - shows strings, data and functions at an address, which may be any.
 *
 * Another thread may change what is read, and the address may be anything.  So bytes are
 * copied once, by core/os/read.h or where a module has its constants, and all that is said of
 * them is said of the copy.
 */
#include "trace/values/words.h"

#include <string.h>

#include "core/os/read.h"
#include "core/symbols/dlopen_names.h"
#include "format/printable.h"
#include "trace/values/read_value.h"

/* What the bytes up to 0x1f, that of 0x7f, and those from 0x80 on show on a screen that has the
 * IBM PC's characters, code page 437.  0 shows as nothing, and so does 0xff. */
static const uint16_t low_characters[32] = {
	0x0020, 0x263a, 0x263b, 0x2665, 0x2666, 0x2663, 0x2660, 0x2022,
	0x25d8, 0x25cb, 0x25d9, 0x2642, 0x2640, 0x266a, 0x266b, 0x263c,
	0x25ba, 0x25c4, 0x2195, 0x203c, 0x00b6, 0x00a7, 0x25ac, 0x21a8,
	0x2191, 0x2193, 0x2192, 0x2190, 0x221f, 0x2194, 0x25b2, 0x25bc,
};

static const uint16_t high_characters[128] = {
	0x00c7, 0x00fc, 0x00e9, 0x00e2, 0x00e4, 0x00e0, 0x00e5, 0x00e7,
	0x00ea, 0x00eb, 0x00e8, 0x00ef, 0x00ee, 0x00ec, 0x00c4, 0x00c5,
	0x00c9, 0x00e6, 0x00c6, 0x00f4, 0x00f6, 0x00f2, 0x00fb, 0x00f9,
	0x00ff, 0x00d6, 0x00dc, 0x00a2, 0x00a3, 0x00a5, 0x20a7, 0x0192,
	0x00e1, 0x00ed, 0x00f3, 0x00fa, 0x00f1, 0x00d1, 0x00aa, 0x00ba,
	0x00bf, 0x2310, 0x00ac, 0x00bd, 0x00bc, 0x00a1, 0x00ab, 0x00bb,
	0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556,
	0x2555, 0x2563, 0x2551, 0x2557, 0x255d, 0x255c, 0x255b, 0x2510,
	0x2514, 0x2534, 0x252c, 0x251c, 0x2500, 0x253c, 0x255e, 0x255f,
	0x255a, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256c, 0x2567,
	0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256b,
	0x256a, 0x2518, 0x250c, 0x2588, 0x2584, 0x258c, 0x2590, 0x2580,
	0x03b1, 0x00df, 0x0393, 0x03c0, 0x03a3, 0x03c3, 0x00b5, 0x03c4,
	0x03a6, 0x0398, 0x03a9, 0x03b4, 0x221e, 0x03c6, 0x03b5, 0x2229,
	0x2261, 0x00b1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00f7, 0x2248,
	0x00b0, 0x2219, 0x00b7, 0x221a, 0x207f, 0x00b2, 0x25a0, 0x00a0,
};

static uint32_t screen_character(unsigned char byte)
{
	if (byte < 0x20)
		return low_characters[byte];
	if (byte >= 0x80)
		return high_characters[byte - 0x80];
	return byte == 0x7f ? 0x2302 : byte;
}

/* Put CHARACTER, of 16 bits, as UTF-8. */
static void put_character(struct wcm_words *words, uint32_t character)
{
	char bytes[3];
	size_t size = 0;

	if (character < 0x80) {
		bytes[size++] = (char)character;
	} else if (character < 0x800) {
		bytes[size++] = (char)(0xc0 | character >> 6);
		bytes[size++] = (char)(0x80 | (character & 0x3f));
	} else {
		bytes[size++] = (char)(0xe0 | character >> 12);
		bytes[size++] = (char)(0x80 | (character >> 6 & 0x3f));
		bytes[size++] = (char)(0x80 | (character & 0x3f));
	}
	wcm__words_span(words, bytes, size);
}

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
	wcm__words_text(words, "'");
	if (character < 0x20 || character >= 0x7f || character == '\'' || character == '\\')
		put_escape(words, character);
	else
		put_character(words, character);
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

static void put_end(struct wcm_words *words, bool is_all)
{
	wcm__words_text(words, is_all ? "\"" : "\"...");
}

/* SIZE, or less: without a character that is cut off. */
static size_t without_part(const char *text, size_t size)
{
	for (size_t back = 1; back <= 3 && back <= size; back++)
		if (((unsigned char)text[size - back] & 0xc0) != 0x80)
			return is_part(text + size - back, back) ? size - back : size;
	return size;
}

void wcm__words_quoted(struct wcm_words *words, const char *text, size_t size, bool is_all)
{
	wcm__words_text(words, "\"");
	put_text(words, text, is_all ? size : without_part(text, size));
	put_end(words, is_all);
}

/* Whether a terminal shows BYTE, or is meant to obey it, in what people are to read. */
static bool is_of_text(char byte)
{
	return (byte >= '\a' && byte <= '\r') || byte == '\033' || byte == '"' || byte == '\\';
}

static bool is_text(const char *bytes, size_t size)
{
	size_t length;

	for (; size > 0; bytes += length, size -= length) {
		length = is_of_text(*bytes) ? 1 : wcm__printable_length(bytes, size);
		if (length == 0)
			return false;
	}
	return true;
}

void wcm__words_bytes(struct wcm_words *words, const char *bytes, size_t size, bool is_all)
{
	if (is_text(bytes, is_all ? size : without_part(bytes, size))) {
		wcm__words_quoted(words, bytes, size, is_all);
		return;
	}
	wcm__words_text(words, "u\"");
	for (size_t i = 0; i < size && !words->is_cut; i++)
		if (bytes[i] == '"' || bytes[i] == '\\')
			put_escape(words, (unsigned char)bytes[i]);
		else
			put_character(words, screen_character((unsigned char)bytes[i]));
	put_end(words, is_all);
}

void wcm__words_data(struct wcm_words *words, uintptr_t address, uint64_t size)
{
	char bytes[WCM_WORDS_SHOWN];
	const bool is_all = size <= sizeof(bytes);
	const size_t shown = is_all ? (size_t)size : sizeof(bytes);

	if (address == 0 || words->hides_data || !wcm__read_memory(address, bytes, shown))
		wcm__words_address(words, address);
	else
		wcm__words_bytes(words, bytes, shown, is_all);
}

/* The string at ADDRESS, in TEXT of ROOM bytes: one more than are shown, and the zero byte. */
static void put_string(struct wcm_words *words, uintptr_t address, char *text, size_t room)
{
	size_t length;
	bool is_whole;

	if (address == 0 || words->hides_data) {
		wcm__words_address(words, address);
		return;
	}
	is_whole = wcm__read_string_by(wcm__read_value, address, text, room, &length);
	if (!is_whole && length < room - 1) {
		wcm__words_address(words, address);
		return;
	}
	is_whole = is_whole && length <= room - 2;
	wcm__words_quoted(words, text, is_whole ? length : room - 2, is_whole);
}

void wcm__words_string(struct wcm_words *words, uintptr_t address)
{
	char text[WCM_WORDS_SHOWN + 2];

	put_string(words, address, text, sizeof(text));
}

void wcm__words_path(struct wcm_words *words, uintptr_t address)
{
	char text[WCM_WORDS_SHOWN_PATH + 2];

	put_string(words, address, text, sizeof(text));
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
