/* SPDX-License-Identifier: MIT */
/* text_line.c - what does this line of a report or a stack say?
 *
 * The writers are whocallme/report/text.c, crash/form_text.c and crash/thread_text.c.
 */
#include "reports/text_line.h"

#include <ctype.h>
#include <string.h>

#include "escape.h"

size_t text_strip_colours(char *text, size_t length)
{
	char *to = text;

	for (const char *from = text, *end = text + length; from < end;) {
		size_t sequence = 0;

		if (end - from >= 3 && from[0] == '\033' && from[1] == '[') {
			sequence = 2 + strspn(from + 2, "0123456789;");
			sequence = from[sequence] == 'm' ? sequence + 1 : 0;
		}
		if (sequence > 0)
			from += sequence;
		else
			*to++ = *from++;
	}
	if (to > text && to[-1] == '\r')
		to--;
	*to = '\0';
	return (size_t)(to - text);
}

/* What follows PREFIX in LINE, or NULL. */
static const char *behind(const char *line, const char *prefix)
{
	const size_t length = strlen(prefix);

	return strncmp(line, prefix, length) == 0 ? line + length : NULL;
}

/* What follows a decimal number at TEXT, or NULL. */
static const char *behind_decimal(const char *text, uint64_t *number)
{
	enum { MOST_DIGITS = 18 };
	const size_t digits = strspn(text, "0123456789");

	if (digits == 0 || digits > MOST_DIGITS)
		return NULL;
	*number = 0;
	for (const char *end = text + digits; text < end; text++)
		*number = *number * 10 + (uint64_t)(*text - '0');
	return text;
}

static const char ours[] = "<whocallme>: ";

/* PROGRAM: SIGNAL, IN WORDS: CAUSE.  Where the signal begins, or NULL; one without a
 * name is called so. */
static const char *find_signal(const char *said)
{
	const char *colon = strstr(said, ": SIG");

	if (!colon)
		colon = strstr(said, ": signal, ");
	return colon && strstr(colon + 2, ", ") ? colon + 2 : NULL;
}

/* thread NUMBER "NAME", or in the lines behind a crash report thread NUMBER: */
static bool is_thread(const char *text)
{
	uint64_t number;

	text = behind(text, "thread ");
	text = text ? behind_decimal(text, &number) : NULL;
	return text && (behind(text, " \"") || strcmp(text, ":") == 0);
}

/* One without an address is that of a process that may not be dumped; behind a report
 * "in" may be the name of a function. */
static bool is_frame(const char *line)
{
	uint64_t number;

	line = *line == '#' ? behind_decimal(line + 1, &number) : NULL;
	return line && (behind(line, " 0x") || behind(line, " <signal handler called>") ||
			(behind(line, " in ") && !behind(line, " in at ")));
}

/* #NUMBER NAME */
static bool is_line(const char *line)
{
	uint64_t number;

	line = behind_decimal(line + 1, &number);
	return line && line[0] == ' ' && line[1];
}

enum text_kind text_kind(const char *line)
{
	const char *said = behind(line, ours);

	if (said)
		return is_thread(said) ? TEXT_ONE_OF_ALL
		       : find_signal(said) ? TEXT_HEAD
		       : strcmp(said, "source lines:") == 0 ? TEXT_LINES
							    : TEXT_OTHER;
	if (*line == '#')
		return is_frame(line) ? TEXT_FRAME
		       : is_line(line) ? TEXT_LINE
				       : TEXT_OTHER;
	if (is_thread(line))
		return TEXT_THREAD;
	if (*line == '(')
		return TEXT_REMARK;
	if (strcmp(line, "modules:") == 0)
		return TEXT_MODULES;
	if (behind(line, "  0x") && strstr(line, " bias 0x"))
		return TEXT_MODULE;
	if (line[0] == '\t' ||
	    (behind(line, "   ") && line[3] && !isspace((unsigned char)line[3])))
		return TEXT_PLACE;
	return TEXT_OTHER;
}

/* Cut END off TEXT. */
static void cut_end(char *text, const char *end)
{
	const size_t length = strlen(text), less = strlen(end);

	if (length >= less && strcmp(text + length - less, end) == 0)
		text[length - less] = '\0';
}

/* End TEXT before the last AT in it; what is behind AT, or NULL. */
static char *split_last(char *text, const char *at)
{
	char *found = NULL;

	for (char *next = text; (next = strstr(next, at)); next++)
		found = next;
	if (!found)
		return NULL;
	*found = '\0';
	return found + strlen(at);
}

bool text_read_head(struct text_head *head, char *line)
{
	char *program = line + strlen(ours);
	char *signal = program + (find_signal(program) - program);
	char *words = strstr(signal, ", "), *cause = strstr(words + 2, ": ");

	if (!cause)
		return false;
	signal[-2] = words[0] = '\0';
	cause += 2;
	/* The words of a program may hold the same. */
	if (!behind(cause, "abort() was called")) {
		split_last(cause, ", at 0x");
		split_last(cause, ", by process ");
	}
	unescape(program);
	unescape(cause);
	*head = (struct text_head){ program, signal, cause };
	return true;
}

char *text_behind_number(char *line, uint64_t *number)
{
	const char *after = *line == '#' ? behind_decimal(line + 1, number) : NULL;

	return after && *after == ' ' ? line + (after - line) + 1 : NULL;
}

uint64_t text_thread(const char *line)
{
	uint64_t number = 0;

	behind_decimal(line + strcspn(line, "0123456789"), &number);
	return number;
}

/* Cut a colon and the number behind it off TEXT; 0: there is none. */
static unsigned cut_number(char *text)
{
	char *colon = strrchr(text, ':');
	const char *end = NULL;
	uint64_t number;

	if (colon)
		end = behind_decimal(colon + 1, &number);
	if (!end || *end || number > UINT32_MAX)
		return 0;
	*colon = '\0';
	return (unsigned)number;
}

void text_read_place(struct text_place *place, char *text)
{
	char *file;

	*place = (struct text_place){ .inlined = split_last(text, " (inlined)") };
	file = split_last(text, " at ");
	if (file) {
		place->column = cut_number(file);
		place->line = cut_number(file);
		unescape(file);
		place->file = file;
	} else {
		split_last(text, "+0x");
	}
	if (place->line == 0) {
		place->line = place->column;
		place->column = 0;
	}
	unescape(text);
	place->function = strcmp(text, "??") == 0 ? NULL : text;
}

/* NAME+0xOFFSET (PATH: the last such, for a name may hold anything. */
static char *find_offset(char *text, uint64_t *offset, char **path)
{
	char *found = NULL;

	for (char *at = text; (at = strstr(at, "+0x")); at++) {
		const char *end;
		uint64_t number;

		if (!address_number(at + 1, &number, &end) || !behind(end, " ("))
			continue;
		found = at;
		*offset = number;
		*path = at + (end - at) + 2;
	}
	return found;
}

/* ?? (PATH+0xOFFSET */
static bool read_unnamed(struct text_frame *frame, char *place)
{
	struct address address;

	if (*place != '(')
		return *place == '\0';
	if (!address_parse(&address, place + 1) || !address.path)
		return false;
	frame->path = address.path;
	frame->offset = address.address;
	return true;
}

static bool read_named(struct text_frame *frame, char *text)
{
	char *path = NULL, *plus = find_offset(text, &frame->offset, &path);

	if (!plus)
		return false;
	*plus = '\0';
	frame->cold = plus - text > 7 && strcmp(plus - 7, " [cold]") == 0;
	cut_end(text, " [cold]");
	cut_end(path, ", unloaded");
	unescape(text);
	unescape(path);
	frame->name = text;
	frame->path = path;
	return true;
}

bool text_read_frame(struct text_frame *frame, char *line)
{
	const char *after;
	char *text;

	memset(frame, 0, sizeof(*frame));
	after = text_behind_number(line, &frame->number);
	if (!after)
		return false;
	if (behind(after, "<signal")) {
		frame->is_signal = true;
		return true;
	}
	if (address_number(after, &frame->pc, &after) && *after++ != ' ')
		return false;
	if (!behind(after, "in "))
		return false;
	text = line + (after - line) + 3;
	cut_end(text, " ?");
	cut_end(text, ")");
	if (strcmp(text, "??") == 0)
		return true;
	return behind(text, "?? (") ? read_unnamed(frame, text + 3)
				    : read_named(frame, text);
}

/* 0xLO-0xHI bias 0xBIAS build-id BYTES PATH */
bool text_read_module(struct text_module *module, char *line)
{
	const char *at = line + 2;
	size_t digits;

	memset(module, 0, sizeof(*module));
	if (!address_number(at, &module->lo, &at) || *at != '-' ||
	    !address_number(at + 1, &module->hi, &at) ||
	    !(at = behind(at, " bias ")) ||
	    !address_number(at, &module->bias, &at) ||
	    !(at = behind(at, " build-id ")))
		return false;
	digits = strcspn(at, " ");
	address_build_id(&module->address, at, digits);
	if (at[digits] != ' ')
		return false;
	line += (at - line) + (ptrdiff_t)digits + 1;
	unescape(line);
	module->address.path = line;
	return true;
}
