/* SPDX-License-Identifier: MIT */
/* line.c (SAFE) - gathers a line of text in parts, and writes it at once.
 *
 * writev(2) takes the parts where they are, so that lines of several threads do not mix
 * and a long name needs no buffer.
 */
#include "format/line.h"

#include <string.h>

#include "core/os/output.h"
#include "format/own_line.h"
#include "format/words.h"

void wcm__line_init(struct wcm_line *line, int fd)
{
	line->fd = fd;
	line->sink = NULL;
	line->count = 0;
	line->used = 0;
	line->failed = false;
	line->colours = false;
}

void wcm__line_begin(struct wcm_line *line, int fd)
{
	wcm__line_init(line, fd);
	wcm__line_text(line, WCM_OWN_LINE);
}

static void flush(struct wcm_line *line)
{
	if (!(line->sink ? line->sink(line->to, line->part, line->count)
			 : wcm__output_write(line->fd, line->part, line->count)))
		line->failed = true;
	line->count = 0;
	line->used = 0;
}

static void add_part(struct wcm_line *line, const char *text, size_t size)
{
	if (size == 0)
		return;
	if (line->count == WCM_LINE_PARTS)
		flush(line);
	line->part[line->count++] = (struct iovec){ (void *)text, size };
}

/* Room for SIZE bytes that live as long as the line. */
static char *scratch(struct wcm_line *line, size_t size)
{
	char *room;

	if (sizeof(line->scratch) - line->used < size ||
	    line->count == WCM_LINE_PARTS)
		flush(line);
	room = line->scratch + line->used;
	line->used += size;
	return room;
}

void wcm__line_span(struct wcm_line *line, const char *text, size_t size)
{
	add_part(line, text, size);
}

static void add_escaped(struct wcm_line *line, enum wcm_escape how, const char *name)
{
	size_t size = strlen(name), used;
	struct wcm_escaped next;

	for (; size > 0; name += used, size -= used) {
		used = wcm__escape_next(how, name, size, &next);
		add_part(line, name, next.plain);
		if (next.made > 0)
			add_part(line, memcpy(scratch(line, next.made), next.room, next.made),
				 next.made);
	}
}

void wcm__line_name(struct wcm_line *line, const char *name)
{
	add_escaped(line, WCM_ESCAPE_NAME, name);
}

void wcm__line_quoted(struct wcm_line *line, const char *name)
{
	wcm__line_text(line, "\"");
	add_escaped(line, WCM_ESCAPE_QUOTED, name);
	wcm__line_text(line, "\"");
}

void wcm__line_hex(struct wcm_line *line, uint64_t value, unsigned digits)
{
	unsigned needed = wcm__format_hex_digits(value);
	unsigned width = needed > digits ? needed : digits;
	char *room = scratch(line, width + 2);

	room[0] = '0';
	room[1] = 'x';
	wcm__format_hex(room + 2, value, width);
	add_part(line, room, width + 2);
}

void wcm__line_decimal(struct wcm_line *line, int64_t value)
{
	enum { LONGEST = 20 };
	char *room = scratch(line, LONGEST);

	add_part(line, room, wcm__format_decimal(room, value));
}

/* Select Graphic Rendition (ECMA-48, 8.3.117). */
static void add_rendition(struct wcm_line *line, const char *sequence)
{
	if (line->colours)
		wcm__line_text(line, sequence);
}

void wcm__line_dim(struct wcm_line *line)
{
	add_rendition(line, "\033[2m");
}

void wcm__line_alarm(struct wcm_line *line)
{
	add_rendition(line, "\033[1;31m");
}

void wcm__line_bold(struct wcm_line *line)
{
	add_rendition(line, "\033[1m");
}

void wcm__line_location(struct wcm_line *line)
{
	add_rendition(line, "\033[36m");
}

void wcm__line_plain(struct wcm_line *line)
{
	add_rendition(line, "\033[0m");
}

void wcm__line_bytes(struct wcm_line *line, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char *room = scratch(line, 2);

		wcm__format_hex(room, bytes[i], 2);
		if (line->count > 0 &&
		    (char *)line->part[line->count - 1].iov_base +
				    line->part[line->count - 1].iov_len ==
			    room)
			line->part[line->count - 1].iov_len += 2;
		else
			add_part(line, room, 2);
	}
}

char *wcm__line_room(struct wcm_line *line, size_t *size)
{
	if (line->count == WCM_LINE_PARTS)
		flush(line);
	*size = sizeof(line->scratch) - line->used;
	return line->scratch + line->used;
}

void wcm__line_use_room(struct wcm_line *line, size_t used)
{
	add_part(line, line->scratch + line->used, used);
	line->used += used;
}

bool wcm__line_write(struct wcm_line *line)
{
	flush(line);
	return !line->failed;
}

void wcm__line_say(int fd, const char *before, const char *name, const char *after)
{
	struct wcm_line line;

	wcm__line_begin(&line, fd);
	wcm__line_text(&line, before);
	if (name)
		wcm__line_name(&line, name);
	wcm__line_text(&line, after);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}
