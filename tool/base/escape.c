/* SPDX-License-Identifier: MIT */
/* escape.c - escapes text of any bytes for a line of text or for JSON, and undoes it. */
#include "base/escape.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A writer to FILE. */
struct output {
	struct wcm_words words; /* the first member */
	FILE *file;
	char room[1024];
};

static void write_out(struct wcm_words *words)
{
	fwrite(words->begin, 1, wcm__words_length(words), ((struct output *)words)->file);
	words->at = words->begin;
}

void escape(FILE *file, enum wcm_escape how, const char *text, size_t size)
{
	struct output output;

	wcm__words_init(&output.words, output.room, sizeof(output.room));
	output.words.full = write_out;
	output.file = file;
	wcm__words_escaped(&output.words, how, text, size);
	write_out(&output.words);
}

void escape_name(FILE *file, const char *name, size_t most)
{
	const size_t length = strnlen(name, most);

	escape(file, WCM_ESCAPE_NAME, name, length);
	if (name[length])
		fputs("...", file);
}

char *escaped_name(const char *name, size_t most)
{
	const size_t length = strnlen(name, most);
	const size_t size = (sizeof("\\xNN") - 1) * length + sizeof("...");
	char *text = malloc(size);
	struct wcm_words words;

	if (!text)
		return NULL;
	wcm__words_init(&words, text, size);
	wcm__words_escaped(&words, WCM_ESCAPE_NAME, name, length);
	wcm__words_text(&words, name[length] ? "..." : "");
	wcm__words_finish(&words);
	return text;
}

void escape_text(FILE *file, const char *text)
{
	escape(file, WCM_ESCAPE_TEXT, text, strlen(text));
}

void escape_lines(FILE *file, const char *text, size_t size)
{
	while (size > 0) {
		const char *end = memchr(text, '\n', size);
		const size_t part = end ? (size_t)(end - text) : size;

		escape(file, WCM_ESCAPE_SOURCE, text, part);
		if (end)
			putc('\n', file);
		text += part + (end != NULL);
		size -= part + (end != NULL);
	}
}

void words_to_stdout(struct wcm_words *words)
{
	fwrite(words->begin, 1, wcm__words_length(words), stdout);
	words->at = words->begin;
}

/* The byte that TEXT stands for, 0 where it is no escape. */
static char escaped_byte(const char *text)
{
	char digits[3] = "";

	if (text[0] != '\\' || text[1] != 'x' ||
	    !isxdigit((unsigned char)text[2]) || !isxdigit((unsigned char)text[3]))
		return '\0';
	memcpy(digits, text + 2, 2);
	return (char)strtoul(digits, NULL, 16);
}

void unescape(char *text)
{
	char *to = text, byte;

	for (; *text; text += byte ? 4 : 1) {
		byte = escaped_byte(text);
		*to++ = byte ? byte : *text;
	}
	*to = '\0';
}
