/* SPDX-License-Identifier: MIT */
/* words.h (SAFE) - the one writer: text, escaped names and numbers, in a buffer of a fixed size.
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
 * the text.  With FULL, which writes the buffer out, text may be of any length instead.
 *
 * Library and command write by it.  All of it is async-signal-safe, reads no memory but what
 * it is given, and uses general registers only: a floating-point number is given as the bits
 * that it is made of.
 */
#ifndef WCM_FORMAT_WORDS_H
#define WCM_FORMAT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_words {
	char *begin, *at, *end;
	bool is_cut;      /* something did not fit */
	bool hides_data;  /* of strings, paths and data there are addresses alone (--no-data) */
	bool shows_paths; /* and descriptors have those of their files (-y) */
	bool is_plain;    /* numbers have no ' between thousands */
	uint16_t shown;   /* bytes of a string, or of data; 0: as many as there are by default */
	void (*full)(struct wcm_words *words); /* empties the buffer, or sets IS_CUT */
};

static inline void wcm__words_init(struct wcm_words *words, char *room, size_t size)
{
	*words = (struct wcm_words){ .begin = room, .at = room, .end = room + size };
}

static inline size_t wcm__words_length(const struct wcm_words *words)
{
	return (size_t)(words->at - words->begin);
}

/* Put the first SIZE bytes of TEXT, or all of it, as it is.  Inline: compilers know how long a
 * literal is. */
void wcm__words_span(struct wcm_words *words, const char *text, size_t size);

static inline void wcm__words_text(struct wcm_words *words, const char *text)
{
	wcm__words_span(words, text, __builtin_strlen(text));
}

static inline void wcm__words_byte(struct wcm_words *words, char byte)
{
	if (words->at < words->end && !words->is_cut)
		*words->at++ = byte;
	else
		wcm__words_span(words, &byte, 1);
}

/* End the text with a zero byte, in the place of its last one where there is no room.  False: that,
 * or something before it, has cut the text. */
bool wcm__words_finish(struct wcm_words *words);

/* How text of any bytes is escaped, by what reads it.  Escaped are characters that
 * format/printable.h does not show, and those that words.c has in a table. */
enum wcm_escape {
	WCM_ESCAPE_NAME,      /* \xNN a byte; different names never look the same */
	WCM_ESCAPE_QUOTED,    /* the same between quotation marks */
	WCM_ESCAPE_TEXT,      /* \xNN a byte; backslashes stand for themselves */
	WCM_ESCAPE_SOURCE,    /* the same; so do tabs */
	WCM_ESCAPE_JSON,      /* a string of JSON: \uNNNN a character; invalid UTF-8 is U+FFFD */
	WCM_ESCAPE_JSON_TEXT, /* JSON, which has its own escapes already */
	WCM_ESCAPE_JSON_NAME, /* a string of JSON that is WCM_ESCAPE_NAME's when it is decoded */
	WCM_ESCAPE_DOT,       /* a string of Graphviz */
	WCM_ESCAPE_C,         /* a string of C: \n, or three octal digits a byte */
};

/* Put the SIZE bytes at TEXT, escaped. */
void wcm__words_escaped(struct wcm_words *words, enum wcm_escape how, const char *text,
			size_t size);

/* The start of what wcm__words_escaped() puts, for those who put it elsewhere: PLAIN bytes as they
 * are, then the MADE bytes of ROOM.  Returns how many bytes of TEXT these stand for. */
struct wcm_escaped {
	size_t plain, made;
	char room[12];
};

size_t wcm__escape_next(enum wcm_escape how, const char *text, size_t size,
			struct wcm_escaped *next);

/* How many bytes from NAME on, up to its zero byte, WCM_ESCAPE_NAME leaves as they are. */
size_t wcm__format_printable(const char *name);

/* Put NAME as names are shown everywhere else, by WCM_ESCAPE_NAME. */
void wcm__words_name(struct wcm_words *words, const char *name);

/* In decimal with ' between thousands, unless WORDS are plain: 131'072, -1. */
void wcm__words_signed(struct wcm_words *words, int64_t value);
void wcm__words_unsigned(struct wcm_words *words, uint64_t value);

/* In decimal without: a descriptor, a process, a user, by which it is known elsewhere. */
void wcm__words_id(struct wcm_words *words, int64_t value);

/* To the base 8, 10 or 16, with zeros in front up to WIDTH digits, 20 at most. */
void wcm__words_digits(struct wcm_words *words, uint64_t value, unsigned base, unsigned width);

/* Nanoseconds: "1.234 us", or ms or s. */
void wcm__words_duration(struct wcm_words *words, uint64_t nanoseconds);

/* The same as seconds, a point and nine digits. */
void wcm__words_seconds(struct wcm_words *words, uint64_t nanoseconds);

/* 0x and hexadecimal digits, of one number or of two together; a leading 0 and octal digits. */
void wcm__words_hex(struct wcm_words *words, uint64_t value);
void wcm__words_wide_hex(struct wcm_words *words, uint64_t high, uint64_t low);
void wcm__words_octal(struct wcm_words *words, uint64_t value);

/* Two hexadecimal digits for each of the SIZE BYTES: a build-id. */
void wcm__words_hex_bytes(struct wcm_words *words, const uint8_t *bytes, size_t size);

/* A pointer: NULL, or hexadecimal. */
void wcm__words_address(struct wcm_words *words, uintptr_t address);

/* A character constant: 'a', '\n', '\377'. */
void wcm__words_character(struct wcm_words *words, unsigned char character);

/* A number of IEEE 754 whose bits are BITS: the shortest decimal digits that give the same
 * number again.  0.1, 1e+23, -0, inf, nan. */
void wcm__words_double(struct wcm_words *words, uint64_t bits);
void wcm__words_float(struct wcm_words *words, uint32_t bits);

/* The string of which up to SIZE bytes are at TEXT: "abc\n"; IS_ALL says whether these are all
 * there are, else "abc"... */
void wcm__words_quoted(struct wcm_words *words, const char *text, size_t size, bool is_all);

/* Data: the same where what is shown is text, else u"⌂ELF", a character of code page 437 for
 * each byte. */
void wcm__words_bytes(struct wcm_words *words, const char *bytes, size_t size, bool is_all);

/* Two digits each, from 0 to 99. */
extern const char wcm__format_pairs[200] __attribute__((visibility("hidden")));

static inline char *wcm__format_pair(char *end, unsigned value)
{
	return (char *)__builtin_memcpy(end - 2, &wcm__format_pairs[2 * value], 2);
}

/* Numbers where there are no words: VALUE in decimal, with MARK between thousands unless that is
 * 0, as the 26 bytes at most that lie before END.  Returns where it begins.  Inline: a line of the
 * log has three. */
static inline char *wcm__format_before(char *end, uint64_t value, char mark)
{
	unsigned first;

	for (; value >= 1000; value /= 1000) {
		first = (unsigned)(value % 1000);
		end = wcm__format_pair(end, first % 100);
		*--end = (char)('0' + first / 100);
		end[-1] = mark;
		end -= mark != 0;
	}
	first = (unsigned)value;
	if (first >= 10) {
		end = wcm__format_pair(end, first % 100);
		first /= 100;
		if (first == 0)
			return end;
	}
	*--end = (char)('0' + first);
	return end;
}

/* Write BEFORE, VALUE in decimal, AFTER and a zero byte to ROOM, of SIZE bytes; returns the
 * length. */
size_t wcm__format_numbered(char *room, size_t size, const char *before, int64_t value,
			    const char *after);

/* How many hexadecimal digits VALUE needs, at least 1. */
unsigned wcm__format_hex_digits(uint64_t value);

/* Write the WIDTH low digits of VALUE to BUF; no zero byte follows. */
void wcm__format_hex(char *buf, uint64_t value, unsigned width);

/* Write VALUE in decimal to BUF, of 20 bytes at least; returns the length. */
size_t wcm__format_decimal(char *buf, int64_t value);

#endif
