/* SPDX-License-Identifier: MIT */
/* log_line.c - finds what a log puts around the lines of a program, and tells the programs
 * apart.
 *
 * No form of a log is known by its name but CRI's and JSON's.  The first line of a report or a
 * stack shows what its log puts in front: what is before it.  Of that, times may be others in
 * the next line; all else must be the same.
 */
#include "reports/log_line.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/report_start.h"
#include "reports/text_line.h"

enum { TIME = 1 }; /* of a pattern; a byte of the line that is so is itself */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The length of one of WORDS, three letters each, at TEXT, or 0. */
static size_t word_at(const char *text, const char *words)
{
	for (; *words; words += 3)
		if (strncmp(text, words, 3) == 0)
			return is_word(text[3]) ? 0 : 3;
	return 0;
}

/* "Nov 27", "Nov  3" or "Fri", perhaps with a comma. */
static size_t day_at(const char *text)
{
	size_t length = word_at(text, "MonTueWedThuFriSatSun");
	size_t digits;

	if (length > 0)
		return length + (text[length] == ',');
	length = word_at(text, "JanFebMarAprMayJunJulAugSepOctNovDec");
	if (length == 0)
		return 0;
	length += strspn(text + length, " ");
	digits = strspn(text + length, "0123456789");
	return digits == 1 || digits == 2 ? length + digits : 0;
}

/* Whether the LENGTH bytes at TEXT are a time by their form: with a colon, a date, seconds with
 * a fraction, or seconds of this century.  Other numbers are ids and addresses. */
static bool is_time(const char *text, size_t length)
{
	size_t dots = 0, colons = 0, dashes = 0, digits = 0;

	for (size_t i = 0; i < length; i++) {
		dots += text[i] == '.' || text[i] == ',';
		colons += text[i] == ':';
		dashes += text[i] == '-' || text[i] == '/';
		digits += is_digit(text[i]);
	}
	if (colons > 0)
		return digits >= 3;
	return (dashes == 2 && digits >= 6) || (dots == 1 && dashes == 0 && digits >= 3) ||
	       (dots + dashes == 0 && digits >= 10);
}

/* The length of a number at TEXT that is a time, or 0. */
static size_t clock_at(const char *text)
{
	size_t length = 0;

	if (!is_digit(*text))
		return 0;
	while (is_digit(text[length]) || (text[length] && strchr(":.,-/+", text[length])) ||
	       ((text[length] == 'T' || text[length] == 'Z') && length > 0 &&
		is_digit(text[length - 1])))
		length++;
	while (length > 0 && strchr(":.,-/+", text[length - 1]))
		length--;
	return !is_word(text[length]) && is_time(text, length) ? length : 0;
}

/* The length of a time at TEXT, behind the byte BEFORE, or 0.  Blanks that align it are its. */
static size_t time_at(const char *text, char before)
{
	const size_t blanks = strspn(text, " ");
	size_t length;

	if (is_word(before) || (before == '.' && blanks == 0))
		return 0;
	length = clock_at(text + blanks);
	return length > 0 ? blanks + length : blanks == 0 ? day_at(text) : 0;
}

/* CRI: F or P behind the stream's name, and perhaps more tags: whether the line is whole. */
static bool is_tag(const char *line, size_t at)
{
	return at >= 8 && (line[at] == 'F' || line[at] == 'P') &&
	       (line[at + 1] == ' ' || line[at + 1] == ':') &&
	       (memcmp(line + at - 8, " stdout ", 8) == 0 ||
		memcmp(line + at - 8, " stderr ", 8) == 0);
}

/* The pattern of the LENGTH bytes in front in LINE.  False where it is too long. */
static bool make_pattern(char *pattern, const char *line, size_t length)
{
	size_t used = 0;

	if (length > LOG_PREFIX)
		return false;
	for (size_t at = 0; at < length;) {
		const size_t time = time_at(line + at, at > 0 ? line[at - 1] : '\0');

		if (time > 0 && at + time <= length) {
			pattern[used++] = TIME;
			at += time;
		} else {
			pattern[used++] = is_tag(line, at) ? 'F' : line[at];
			at++;
		}
	}
	pattern[used] = '\0';
	return true;
}

/* How many bytes of LINE the PATTERN matches; 0: it does not. */
static size_t match(const char *pattern, const char *line, bool *is_part)
{
	size_t at = 0;

	*is_part = false;
	for (; *pattern; pattern++) {
		if (*pattern == TIME && line[at] != TIME) {
			const size_t time =
				time_at(line + at, at > 0 ? line[at - 1] : '\0');

			if (time == 0)
				return 0;
			at += time;
		} else if (line[at] == *pattern && line[at]) {
			at++;
		} else if (*pattern == 'F' && line[at] == 'P' && is_tag(line, at)) {
			*is_part = true;
			at++;
		} else {
			return 0;
		}
	}
	return at;
}

/* Whether TEXT is the first line of what is to be found, or one that is found by itself. */
static bool is_start(const char *text)
{
	const enum text_kind kind = text_kind(text);

	return kind == TEXT_HEAD || kind == TEXT_ONE_OF_ALL || kind == TEXT_FRAME ||
	       report_starts(text);
}

/* Where such a line begins behind what a log puts in front; 0: nowhere. */
static size_t find_start(const char *line)
{
	for (size_t at = 1; *line && line[at] && at <= LOG_PREFIX; at++)
		if (strchr("<#{", line[at]) && !is_word(line[at - 1]) && is_start(line + at))
			return at;
	return 0;
}

static size_t find_stream(struct log_streams *streams, const char *line, struct log_line *log)
{
	size_t best = 0;

	for (size_t i = 1; i < streams->count; i++) {
		const struct log_stream *stream = &streams->stream[i];
		bool is_part;
		/* What is in front of a wrapped line is in front of others, too. */
		size_t length = stream->is_wrapped ? 0 : match(stream->pattern, line, &is_part);

		/* A log may align the lines of one message. */
		if (length == 0 && stream->width > 0 && strspn(line, " ") >= stream->width) {
			length = stream->width;
			is_part = false;
		}
		if (length > log->before) {
			best = i;
			log->before = length;
			log->is_part = is_part;
		}
	}
	return best;
}

static size_t same_stream(const struct log_streams *streams, const char *pattern, bool is_wrapped)
{
	for (size_t i = 1; i < streams->count; i++)
		if (streams->stream[i].is_wrapped == is_wrapped &&
		    strcmp(streams->stream[i].pattern, pattern) == 0)
			return i;
	return 0;
}

/* A stream of PATTERN: of as many as there may be, the one that was used least takes its place. */
static size_t add_stream(struct log_streams *streams, const char *pattern, struct log_line *log)
{
	size_t i = same_stream(streams, pattern, log->is_wrapped);

	if (i > 0)
		return i;
	if (streams->count == 0)
		streams->count = 1;
	if (streams->count < LOG_STREAMS) {
		i = streams->count++;
	} else {
		i = 1;
		for (size_t other = 2; other < LOG_STREAMS; other++)
			if (streams->stream[other].used < streams->stream[i].used)
				i = other;
		log->taken_from = i;
		streams->stream[i].part_size = streams->stream[i].width = 0;
	}
	strcpy(streams->stream[i].pattern, pattern);
	streams->stream[i].is_wrapped = log->is_wrapped;
	return i;
}

static bool make_room(char **memory, size_t *room, size_t size)
{
	char *grown = *room >= size ? *memory : realloc(*memory, size + size / 2);

	if (!grown)
		return false;
	if (*room < size)
		*room = size + size / 2;
	*memory = grown;
	return true;
}

/* CRI: a time, the stream's name, the tags; the length of that in front of LINE, or 0. */
static size_t cri_length(const char *line)
{
	const size_t time = time_at(line, '\0');
	size_t at = time + 8;

	if (time == 0 || (strncmp(line + time, " stdout ", 8) != 0 &&
			  strncmp(line + time, " stderr ", 8) != 0) ||
	    !is_tag(line, at))
		return 0;
	at += strcspn(line + at, " ");
	return line[at] == ' ' && at < LOG_PREFIX ? at + 1 : 0;
}

/* What the member KEY, in quotes, has in LINE, with or without blanks around the colon; NULL: there
 * is none. */
static const char *value_of(const char *line, const char *key)
{
	while ((line = strstr(line, key))) {
		line += strlen(key);
		line += strspn(line, " \t");
		if (*line == ':')
			return line + 1 + strspn(line + 1, " \t");
	}
	return NULL;
}

/* Where the string begins that has the program's line, in the object at LINE; 0: there is none. */
static size_t string_at(const char *line)
{
	static const char *const keys[] = {
		"\"log\"", "\"MESSAGE\"", "\"message\"", "\"msg\"", "\"line\"", "\"body\"",
		"\"event\"", "\"textPayload\"", "\"short_message\"", "\"_raw\"", "\"text\"",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *found = value_of(line, keys[i]);

		if (found && *found == '"')
			return (size_t)(found - line) + 1;
	}
	return 0;
}

static const char *string_end(const char *text)
{
	while (*text && *text != '"')
		text += *text == '\\' && text[1] ? 2 : 1;
	return *text ? text : NULL;
}

/* The pattern of a wrapped LINE: what is in front of its OBJECT, and the values that tell one
 * writer from another. */
static bool wrapped_pattern(char *pattern, const char *line, size_t object)
{
	static const char *const keys[] = {
		"\"stream\"", "\"_PID\"", "\"pid\"", "\"container_id\"",
		"\"container_name\"", "\"CONTAINER_NAME\"", "\"_SYSTEMD_UNIT\"",
	};
	size_t used;

	if (object >= LOG_PREFIX || !make_pattern(pattern, line, object))
		return false;
	used = strlen(pattern);
	pattern[used++] = '{';
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *value = value_of(line + object, keys[i]);
		const size_t length = value ? strcspn(value, ",}") : 0;

		if (!value || length > 64 || used + length > LOG_PREFIX)
			continue;
		memcpy(pattern + used, value, length);
		used += length;
	}
	pattern[used] = '\0';
	return true;
}

/* The four hexadecimal digits at TEXT, before END, or -1.  sscanf(3) would look for the string's
 * end, for each of them. */
static int code_at(const char *text, const char *end)
{
	int code = 0;

	if (end - text < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *found = strchr(digits, tolower((unsigned char)text[i]));

		if (!found || !*found)
			return -1;
		code = code * 16 + (int)(found - digits);
	}
	return code;
}

/* Decode the string [TEXT, END) of JSON to TO, which has as much room.  Returns its length. */
static size_t decode(char *to, const char *text, const char *end)
{
	static const char letters[] = "nrtbf", meant[] = "\n\r\t\b\f";
	char *const start = to;

	while (text < end) {
		const char *letter;
		if (*text != '\\' || text + 1 == end) {
			*to++ = *text++;
		} else if (text[1] == 'u') {
			const int code = code_at(text + 2, end);

			*to++ = code > 0 && code < 128 ? (char)code : '?';
			text += 6;
		} else {
			letter = strchr(letters, text[1]);
			*to++ = letter ? meant[letter - letters] : text[1];
			text += 2;
		}
	}
	return (size_t)(to - start);
}

/* Where the JSON object of a log begins in LINE: behind a time, and words, as fluentd and CRI have
 * it, or at the start.  SIZE_MAX: there is none. */
static size_t object_at(const char *line)
{
	const char *object = *line == '{' ? line : time_at(line, '\0') > 0 ?
			     strchr(line, '{') : NULL;

	while (object && object > line &&
	       ((object[-1] != ' ' && object[-1] != '\t') ||
		object[1 + strspn(object + 1, " \t")] != '"'))
		object = strchr(object + 1, '{');
	if (!object)
		return SIZE_MAX;
	return report_starts(object) ? SIZE_MAX : (size_t)(object - line);
}

/* docker's own: a line that it has cut has no newline.  END is its string's. */
static bool is_cut(const char *object, const char *end, bool has_newline)
{
	static const char first[] = "\"log\"";

	object += 1 + strspn(object + 1, " \t");
	return !has_newline && strncmp(object, first, strlen(first)) == 0 &&
	       value_of(end, "\"stream\"") && value_of(end, "\"time\"");
}

/* A line that is a JSON object of a log: docker's, the journal's and others'. */
static bool read_wrapped(struct log_streams *streams, const char *line, size_t length,
			 struct log_line *log)
{
	const size_t object = object_at(line);
	const size_t string = object != SIZE_MAX ? string_at(line + object) : 0;
	const size_t begin = string > 0 ? object + string : 0;
	const char *end = begin > 0 ? string_end(line + begin) : NULL;
	const struct log_line plain = *log;
	char pattern[LOG_PREFIX + 1];

	if (!end || !wrapped_pattern(pattern, line, object) ||
	    !make_room(&streams->text, &streams->room, length + 1))
		return false;
	log->length = decode(streams->text, line + begin, end);
	log->has_newline = log->length > 0 && streams->text[log->length - 1] == '\n';
	log->length -= log->has_newline;
	log->is_part = object == 0 && is_cut(line, end, log->has_newline);
	streams->text[log->length] = '\0';
	log->length = text_strip_colours(streams->text, log->length);
	/* Arguments in a report may look like an object of a log that nothing begins in. */
	if (object > 0 && same_stream(streams, pattern, true) == 0 && !is_start(streams->text)) {
		*log = plain;
		return false;
	}
	log->text = streams->text;
	log->is_wrapped = true;
	log->before = begin;
	log->after = length - (size_t)(end - line);
	log->stream = add_stream(streams, pattern, log);
	return true;
}

/* "#12 3.456", as BuildKit counts steps. */
static bool is_step(const char *text)
{
	const size_t digits = *text == '#' ? strspn(text + 1, "0123456789") : 0;

	return digits > 0 && text[1 + digits] == ' ' && clock_at(text + 2 + digits) > 0;
}

/* Whether TEXT may have a start behind what is in front of it: it is no line of a report, whose
 * arguments may hold anything.  Source text has a number between its tab and what it says. */
static bool may_begin(const char *text)
{
	const size_t tabs = strspn(text, "\t");

	return (tabs > 0 && is_start(text + tabs)) || is_step(text) ||
	       (text_kind(text) == TEXT_OTHER && strncmp(text, "arguments:", 10) != 0 &&
		strncmp(text, "program: ", 9) != 0);
}

/* Find the stream of LINE, which is no JSON object, and what is in front. */
static void read_prefixed(struct log_streams *streams, char *line, struct log_line *log)
{
	char pattern[LOG_PREFIX + 1];
	size_t start;

	if (is_start(line))
		return;
	start = cri_length(line);
	if (start == 0) {
		log->stream = find_stream(streams, line, log);
		if (may_begin(line + log->before))
			start = find_start(line);
		if (start <= log->before)
			start = 0;
	}
	if (start > 0 && make_pattern(pattern, line, start)) {
		log->stream = add_stream(streams, pattern, log);
		log->before = match(pattern, line, &log->is_part);
	}
	if (log->stream == 0 || log->before == 0) {
		log->stream = log->before = 0;
		return;
	}
	streams->stream[log->stream].width = log->before;
	/* As syslog writes a tab. */
	if (strncmp(line + log->before, "#011", 4) == 0) {
		memset(line + log->before, '\t', 4);
		log->before += 3;
	}
	log->text = line + log->before;
	log->length -= log->before;
}

/* Put the line's TEXT to those of its stream that it goes on from. */
static void join(struct log_streams *streams, struct log_line *log)
{
	enum { MOST = 8 << 20 };
	struct log_stream *stream = &streams->stream[log->stream];
	static char nothing[1];

	if (!log->is_part && stream->part_size == 0)
		return;
	if (stream->part_size + log->length > MOST ||
	    !make_room(&stream->part, &stream->part_room,
		       stream->part_size + log->length + 1)) {
		stream->part_size = 0;
		return;
	}
	memcpy(stream->part + stream->part_size, log->text, log->length + 1);
	stream->part_size += log->length;
	if (log->is_part) {
		log->text = nothing;
		log->length = 0;
		return;
	}
	log->text = stream->part;
	log->length = stream->part_size;
	log->was_parted = true;
	stream->part_size = 0;
}

void log_read(struct log_streams *streams, char *line, size_t length, struct log_line *log)
{
	*log = (struct log_line){ .text = line, .length = length };
	if (!read_wrapped(streams, line, length, log))
		read_prefixed(streams, line, log);
	if (log->stream == 0)
		return;
	streams->stream[log->stream].used = ++streams->lines;
	join(streams, log);
}

static void write_escaped(FILE *file, const char *text, size_t length)
{
	for (const char *end = text + length; text < end; text++)
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if (*text == '\t')
			fputs("\\t", file);
		else if ((unsigned char)*text < ' ')
			fprintf(file, "\\u%04x", *text);
		else
			fputc(*text, file);
}

void log_write(FILE *file, const struct log_line *log, const char *line, size_t length,
	       const char *text, size_t count)
{
	for (const char *end = text + count, *newline; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			newline = end;
		fwrite(line, 1, log->before, file);
		if (!log->is_wrapped) {
			fwrite(text, 1, (size_t)(newline - text), file);
		} else {
			write_escaped(file, text, (size_t)(newline - text));
			if (log->has_newline)
				fputs("\\n", file);
			fwrite(line + length - log->after, 1, log->after, file);
		}
		fputc('\n', file);
	}
}

void log_free(struct log_streams *streams)
{
	for (size_t i = 0; i < LOG_STREAMS; i++)
		free(streams->stream[i].part);
	free(streams->text);
}
