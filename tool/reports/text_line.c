/* SPDX-License-Identifier: MIT */
/* text_line.c - reads one line of a report or stack as text.
 *
 * The writers are whocallme/format/text.c, and form_text.c and thread_text.c of
 * whocallme/crash/report/.
 */
#include "reports/text_line.h"

#include <ctype.h>
#include <string.h>

#include "base/escape.h"
#include "format/own_line.h"

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

static const char ours[] = WCM_OWN_LINE;

/* PROGRAM: SIGNAL, IN WORDS: CAUSE.  Where the signal begins, or NULL; one without a
 * name is called so. */
static const char *find_signal(const char *said)
{
	const char *colon = strstr(said, ": SIG");

	if (!colon)
		colon = strstr(said, ": signal, ");
	return colon && strstr(colon + 2, ", ") ? colon + 2 : NULL;
}

/* What follows COUNT threads and a space at TEXT, or NULL. */
static const char *behind_count(const char *text)
{
	uint64_t count;

	text = behind_decimal(text, &count);
	return text ? behind(text, " threads ") : NULL;
}

/* COUNT threads NUMBER "NAME", ...: of a crash report, where each number may be a range. */
static bool is_threads(const char *text)
{
	uint64_t number;

	text = behind_count(text);
	text = text ? behind_decimal(text, &number) : NULL;
	if (text && *text == '-')
		text = behind_decimal(text + 1, &number);
	return text && behind(text, " \"");
}

/* thread NUMBER "NAME", or in the lines behind a crash report thread NUMBER: */
static bool is_thread(const char *text)
{
	uint64_t number;

	text = behind(text, "thread ");
	text = text ? behind_decimal(text, &number) : NULL;
	return text && (behind(text, " \"") || strcmp(text, ":") == 0);
}

/* ... COUNT more of NAME, or of several NAMES, in rounds of PERIOD */
bool text_read_fold(struct text_fold *fold, const char *line)
{
	static const char rounds[] = ", in rounds of ";
	const char *text = behind(line, "... ");

	text = text ? behind_decimal(text, &fold->count) : NULL;
	text = text ? behind(text, " more of ") : NULL;
	if (!text || fold->count == 0)
		return false;
	fold->period = 1;
	/* The last one: a name may hold the same. */
	while ((text = strstr(text, rounds))) {
		text += strlen(rounds);
		behind_decimal(text, &fold->period);
	}
	return fold->period > 0;
}

/* One without an address is that of a process that may not be dumped; behind a report
 * "in" may be the name of a function, and an address that of one without a name. */
static bool is_frame(const char *line)
{
	uint64_t number;

	line = *line == '#' ? behind_decimal(line + 1, &number) : NULL;
	return line && ((behind(line, " 0x") && strchr(line + 1, ' ')) ||
			behind(line, " <signal handler called>") ||
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
	struct text_fold fold;

	if (said)
		return is_thread(said) ? TEXT_ONE_OF_ALL
		       : find_signal(said) ? TEXT_HEAD
		       : strcmp(said, "source lines:") == 0 ? TEXT_LINES
							    : TEXT_OTHER;
	if (*line == '#')
		return is_frame(line) ? TEXT_FRAME
		       : is_line(line) ? TEXT_LINE
				       : TEXT_OTHER;
	if (is_thread(line) || is_threads(line))
		return TEXT_THREAD;
	if (text_read_fold(&fold, line))
		return TEXT_FOLD;
	if (*line == '(')
		return TEXT_REMARK;
	if (strcmp(line, "modules:") == 0)
		return TEXT_MODULES;
	if (behind(line, "  0x") && strstr(line, " bias 0x"))
		return TEXT_MODULE;
	if (line[0] == '\t' ||
	    (behind(line, "   ") && line[3] && !isspace((unsigned char)line[3])))
		return TEXT_LOCATION;
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
	const char *several = behind_count(line);
	uint64_t number = 0;

	if (several)
		line = several;
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

void text_read_location(struct text_location *location, char *text)
{
	char *file;

	*location = (struct text_location){ .inlined = split_last(text, " (inlined)") };
	file = split_last(text, " at ");
	if (file) {
		location->column = cut_number(file);
		location->line = cut_number(file);
		unescape(file);
		location->file = file;
	} else {
		split_last(text, "+0x");
	}
	if (location->line == 0) {
		location->line = location->column;
		location->column = 0;
	}
	unescape(text);
	location->function = strcmp(text, "??") == 0 ? NULL : text;
}

/* Cut +0xOFFSET off the end of TEXT.  False where there is none. */
static bool cut_offset(char *text, uint64_t *offset)
{
	char *plus = NULL;
	const char *end;

	for (char *at = text; (at = strstr(at, "+0x")); at++)
		plus = at;
	if (!plus || !address_number(plus + 1, offset, &end) || *end)
		return false;
	*plus = '\0';
	return true;
}

/* What is behind NAME+0xOFFSET and " (", where NAME is cut: the last such, for a name may
 * hold anything.  NULL: there is none. */
static char *split_name(struct report_frame *frame, char *text)
{
	char *path = NULL, *plus = NULL;

	for (char *at = text; (at = strstr(at, "+0x")); at++) {
		const char *end;
		uint64_t number;

		if (!address_number(at + 1, &number, &end) || !behind(end, " ("))
			continue;
		plus = at;
		frame->offset = number;
		path = at + (end - at) + 2;
	}
	if (!plus)
		return NULL;
	*plus = '\0';
	frame->cold = plus - text > 7 && strcmp(plus - 7, " [cold]") == 0;
	cut_end(text, " [cold]");
	cut_end(text, " [part]");
	unescape(text);
	frame->name = text;
	return path;
}

bool text_read_frame(struct report_frame *frame, char *line)
{
	const char *after;
	char *text, *path;

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
	path = behind(text, "?? (") ? text + 4 : split_name(frame, text);
	if (!path)
		return false;
	cut_end(path, ", unloaded");
	frame->has_module_offset = cut_offset(path, &frame->module_offset);
	unescape(path);
	frame->path = path;
	return frame->name || frame->has_module_offset;
}

/* 0xLO-0xHI bias 0xBIAS build-id BYTES PATH */
bool text_read_module(struct loaded *module, char *line)
{
	struct address address = { 0 };
	const char *at = line + 2;
	size_t digits;

	memset(module, 0, sizeof(*module));
	if (!address_number(at, &module->start, &at) || *at != '-' ||
	    !address_number(at + 1, &module->end, &at) ||
	    !(at = behind(at, " bias ")) ||
	    !address_number(at, &module->bias, &at) ||
	    !(at = behind(at, " build-id ")))
		return false;
	digits = strcspn(at, " ");
	if (at[digits] != ' ')
		return false;
	if (address_build_id(&address, at, digits))
		module->build_id = at;
	line += at - line;
	line[digits] = '\0';
	unescape(line + digits + 1);
	module->path = line + digits + 1;
	return true;
}
