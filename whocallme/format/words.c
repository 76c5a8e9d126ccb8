/* SPDX-License-Identifier: MIT */
/* words.c (SAFE) - the one writer: puts text, escaped names and numbers into a buffer. */
#include "format/words.h"

#include <string.h>

#include "format/printable.h"

/* How much of the SIZE bytes at TEXT fits in ROOM, which is less, without a part of a character
 * of UTF-8: its other bytes begin with the bits 10. */
static size_t whole_characters(const char *text, size_t room)
{
	while (room > 0 && ((unsigned char)text[room] & 0xc0) == 0x80)
		room--;
	return room;
}

static void put(struct wcm_words *words, const char *text, size_t size)
{
	memcpy(words->at, text, size);
	words->at += size;
}

/* SIZE bytes are more than there is room for. */
__attribute__((noinline)) static void put_parts(struct wcm_words *words, const char *text,
						size_t size)
{
	size_t room;

	while (words->full && size > (room = (size_t)(words->end - words->at))) {
		put(words, text, room);
		text += room;
		size -= room;
		words->full(words);
		if (words->is_cut)
			return;
	}
	if (!words->full) {
		size = whole_characters(text, (size_t)(words->end - words->at));
		words->is_cut = true;
	}
	put(words, text, size);
}

void wcm__words_span(struct wcm_words *words, const char *text, size_t size)
{
	if (words->is_cut)
		return;
	if (size <= (size_t)(words->end - words->at))
		put(words, text, size);
	else
		put_parts(words, text, size);
}

bool wcm__words_finish(struct wcm_words *words)
{
	if (words->at == words->end) {
		words->is_cut = true;
		words->at -= 1;
	}
	*words->at = '\0';
	return !words->is_cut;
}

/* Numbers. */

const char wcm__format_pairs[200] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

size_t wcm__format_decimal(char *buf, int64_t value)
{
	struct wcm_words words;

	wcm__words_init(&words, buf, 20);
	wcm__words_id(&words, value);
	return wcm__words_length(&words);
}

size_t wcm__format_numbered(char *room, size_t size, const char *before, int64_t value,
			    const char *after)
{
	struct wcm_words words;

	wcm__words_init(&words, room, size);
	wcm__words_text(&words, before);
	wcm__words_id(&words, value);
	wcm__words_text(&words, after);
	wcm__words_finish(&words);
	return wcm__words_length(&words);
}

unsigned wcm__format_hex_digits(uint64_t value)
{
	unsigned digits = 1;

	while (value >>= 4)
		digits++;
	return digits;
}

void wcm__format_hex(char *buf, uint64_t value, unsigned width)
{
	for (; width > 0; value >>= 4)
		buf[--width] = "0123456789abcdef"[value & 15];
}

void wcm__words_digits(struct wcm_words *words, uint64_t value, unsigned base, unsigned width)
{
	char room[32], *const end = room + sizeof(room), *at = end;

	if (base == 10)
		at = wcm__format_before(end, value, 0);
	else
		do
			*--at = "0123456789abcdef"[value & (base - 1)];
		while (value >>= base == 16 ? 4 : 3);
	while ((size_t)(end - at) < width)
		*--at = '0';
	wcm__words_span(words, at, (size_t)(end - at));
}

static void put_decimal(struct wcm_words *words, uint64_t value, bool is_negative, char mark)
{
	char room[32], *const end = room + sizeof(room);
	char *at = wcm__format_before(end, is_negative ? -value : value, mark);

	if (is_negative)
		*--at = '-';
	wcm__words_span(words, at, (size_t)(end - at));
}

void wcm__words_signed(struct wcm_words *words, int64_t value)
{
	put_decimal(words, (uint64_t)value, value < 0, words->is_plain ? 0 : '\'');
}

void wcm__words_unsigned(struct wcm_words *words, uint64_t value)
{
	put_decimal(words, value, false, words->is_plain ? 0 : '\'');
}

void wcm__words_id(struct wcm_words *words, int64_t value)
{
	put_decimal(words, (uint64_t)value, value < 0, 0);
}

void wcm__words_duration(struct wcm_words *words, uint64_t nanoseconds)
{
	static const char *const units[] = { " us", " ms", " s" };
	unsigned unit = 0;

	for (; unit < 2 && nanoseconds >= 1000000; unit++)
		nanoseconds /= 1000;
	wcm__words_unsigned(words, nanoseconds / 1000);
	wcm__words_byte(words, '.');
	wcm__words_digits(words, nanoseconds % 1000, 10, 3);
	wcm__words_text(words, units[unit]);
}

void wcm__words_seconds(struct wcm_words *words, uint64_t nanoseconds)
{
	enum { SECOND = 1000000000 };

	wcm__words_digits(words, nanoseconds / SECOND, 10, 1);
	wcm__words_byte(words, '.');
	wcm__words_digits(words, nanoseconds % SECOND, 10, 9);
}

void wcm__words_hex(struct wcm_words *words, uint64_t value)
{
	wcm__words_text(words, "0x");
	wcm__words_digits(words, value, 16, 1);
}

void wcm__words_wide_hex(struct wcm_words *words, uint64_t high, uint64_t low)
{
	wcm__words_hex(words, high);
	wcm__words_digits(words, low, 16, 16);
}

void wcm__words_octal(struct wcm_words *words, uint64_t value)
{
	if (value > 0)
		wcm__words_text(words, "0");
	wcm__words_digits(words, value, 8, 1);
}

void wcm__words_hex_bytes(struct wcm_words *words, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		wcm__words_digits(words, bytes[i], 16, 2);
}

void wcm__words_address(struct wcm_words *words, uintptr_t address)
{
	if (address == 0)
		wcm__words_text(words, "NULL");
	else
		wcm__words_hex(words, address);
}

/* Escapes. */

/* What becomes of a character. */
enum {
	AS_IS,
	MARKED,   /* a backslash stands before it */
	AS_BYTE,  /* \xNN, each byte by itself */
	AS_BYTE2, /* \\xNN */
	AS_C,
	AS_JSON,
};

/* What becomes of a quotation mark, of a backslash and of characters that are not to be shown;
 * SHOWN is one of these that stays. */
static const struct style {
	uint8_t quote, backslash, hidden;
	char shown;
} styles[] = {
	[WCM_ESCAPE_NAME] = { AS_IS, AS_BYTE, AS_BYTE, 0 },
	[WCM_ESCAPE_QUOTED] = { AS_BYTE, AS_BYTE, AS_BYTE, 0 },
	[WCM_ESCAPE_TEXT] = { AS_IS, AS_IS, AS_BYTE, 0 },
	[WCM_ESCAPE_SOURCE] = { AS_IS, AS_IS, AS_BYTE, '\t' },
	[WCM_ESCAPE_JSON] = { MARKED, MARKED, AS_JSON, 0 },
	[WCM_ESCAPE_JSON_TEXT] = { AS_IS, AS_IS, AS_JSON, 0 },
	[WCM_ESCAPE_JSON_NAME] = { MARKED, AS_BYTE2, AS_BYTE2, 0 },
	[WCM_ESCAPE_DOT] = { MARKED, MARKED, AS_BYTE2, 0 },
	[WCM_ESCAPE_C] = { MARKED, MARKED, AS_C, 0 },
};

static unsigned becomes(const struct style *style, char c)
{
	return c == '"' ? style->quote : c == '\\' ? style->backslash : style->hidden;
}

static size_t plain_length(const struct style *style, const char *text, size_t size)
{
	size_t at = 0, length;

	for (; at < size; at += length) {
		const char c = text[at];

		if ((c == '"' || c == '\\') && becomes(style, c) != AS_IS)
			break;
		length = (c >= ' ' && c <= '~') || (c == style->shown && c) ?
				 1 : wcm__printable_length(text + at, size - at);
		if (length == 0)
			break;
	}
	return at;
}

size_t wcm__format_printable(const char *name)
{
	return plain_length(&styles[WCM_ESCAPE_NAME], name, SIZE_MAX);
}

static size_t make_c(char *to, unsigned char byte)
{
	to[0] = '\\';
	if (byte >= '\a' && byte <= '\r') {
		to[1] = "abtnvfr"[byte - '\a'];
		return 2;
	}
	/* Always three digits: one that follows is not part of them. */
	to[1] = (char)('0' + (byte >> 6));
	to[2] = (char)('0' + (byte >> 3 & 7));
	to[3] = (char)('0' + (byte & 7));
	return 4;
}

/* JSON counts in units of UTF-16. */
static size_t make_json(char *to, uint32_t character)
{
	size_t made = 0;

	if (character >= 0x10000) {
		made = make_json(to, 0xd7c0 + (character >> 10));
		character = 0xdc00 + (character & 0x3ff);
	}
	memcpy(to + made, "\\u", 2);
	wcm__format_hex(to + made + 2, character, 4);
	return made + 6;
}

size_t wcm__escape_next(enum wcm_escape how, const char *text, size_t size,
			struct wcm_escaped *next)
{
	const struct style *style = &styles[how];
	uint32_t character = 0xfffd;
	size_t length = 1, marks = 1;
	char *to = next->room;

	next->made = 0;
	next->plain = plain_length(style, text, size);
	if (next->plain == size)
		return size;
	text += next->plain;
	switch (becomes(style, *text)) {
	case MARKED:
		to[0] = '\\';
		to[1] = *text;
		next->made = 2;
		break;
	case AS_JSON:
		length = wcm__utf8_length(text, size - next->plain, &character);
		next->made = make_json(to, length > 0 ? character : 0xfffd);
		length += length == 0;
		break;
	case AS_C:
		next->made = make_c(to, (unsigned char)*text);
		break;
	case AS_BYTE2:
		marks = 2;
		/* fallthrough */
	default:
		memcpy(to, "\\\\", 2);
		to[marks] = 'x';
		wcm__format_hex(to + marks + 1, (unsigned char)*text, 2);
		next->made = marks + 3;
	}
	return next->plain + length;
}

void wcm__words_escaped(struct wcm_words *words, enum wcm_escape how, const char *text,
			size_t size)
{
	struct wcm_escaped next;
	size_t used;

	for (; size > 0 && !words->is_cut; text += used, size -= used) {
		used = wcm__escape_next(how, text, size, &next);
		wcm__words_span(words, text, next.plain);
		wcm__words_span(words, next.room, next.made);
	}
}

void wcm__words_name(struct wcm_words *words, const char *name)
{
	wcm__words_escaped(words, WCM_ESCAPE_NAME, name, strlen(name));
}

/* Strings and data, as C has them. */

void wcm__words_character(struct wcm_words *words, unsigned char character)
{
	const char c = (char)character;

	wcm__words_text(words, "'");
	if (c == '"')
		wcm__words_text(words, "\"");
	else if (c == '\'')
		wcm__words_text(words, "\\'");
	else
		wcm__words_escaped(words, WCM_ESCAPE_C, &c, 1);
	wcm__words_text(words, "'");
}

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

/* Whether the first character at TEXT is cut off by the end of the SIZE bytes there. */
static bool is_part(const char *text, size_t size)
{
	const unsigned char first = (unsigned char)*text;
	const size_t whole = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	return first < 0xf5 && size < whole;
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
	wcm__words_escaped(words, WCM_ESCAPE_C, text, is_all ? size : without_part(text, size));
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
			wcm__words_escaped(words, WCM_ESCAPE_C, bytes + i, 1);
		else
			put_character(words, screen_character((unsigned char)bytes[i]));
	put_end(words, is_all);
}
