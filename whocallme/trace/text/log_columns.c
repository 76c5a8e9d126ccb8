/* SPDX-License-Identifier: MIT */
/* log_columns.c - the columns of a line of the log: kind, thread, nanoseconds, stack, symbol.
 *
 * They are made from the last to the first, in the line's own room.
 */
#include "trace/text/log_columns.h"

#include <string.h>

#define SPACES_8 "        "
#define SPACES_64 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8

enum { DEEPEST_INDENT = 128 };

/* Three digits of VALUE before END; returns where they begin. */
static char *put_three(char *end, unsigned value)
{
	end[-1] = (char)('0' + value % 10);
	end[-2] = (char)('0' + value / 10 % 10);
	end[-3] = (char)('0' + value / 100);
	return end - 3;
}

/* VALUE with ' between thousands, right-aligned to END; returns where it begins. */
static char *put_grouped(char *end, uint64_t value, unsigned width)
{
	char *at = end;

	for (; value >= 1000; value /= 1000) {
		at = put_three(at, (unsigned)(value % 1000));
		*--at = '\'';
	}
	at = put_three(at, (unsigned)value);
	while (*at == '0' && at + 1 < end && at[1] != '\'')
		at++;
	while ((unsigned)(end - at) < width)
		*--at = ' ';
	return at;
}

char *wcm__log_number(char *end, uint64_t value, unsigned width)
{
	char *at = end;

	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	while ((unsigned)(end - at) < width)
		*--at = ' ';
	return at;
}

void wcm__log_add(struct wcm_line *line, const char *text, size_t size)
{
	line->part[line->count++] = (struct iovec){ (void *)text, size };
}

void wcm__log_columns(struct wcm_line *line, const char *kind, int tid, uint64_t at,
		      uint64_t stack)
{
	size_t size;
	char *room = wcm__line_room(line, &size), *end = room + 96, *start = end;

	*--start = ' ';
	if (stack == WCM_LOG_NO_STACK)
		start = memset(start - 7, ' ', 7);
	else
		start = wcm__log_number(start, stack, 7);
	*--start = ' ';
	start = put_grouped(start, at, 13);
	*--start = ' ';
	start = wcm__log_number(start, (uint64_t)tid, 5);
	*--start = ' ';
	for (int i = 3; i-- > 0;)
		*--start = kind[i];
	wcm__log_add(line, start, (size_t)(end - start));
	line->used += 96;
}

/* No deeper than DEEPEST_INDENT, twice which is what SPACES has. */
void wcm__log_indent(struct wcm_line *line, uint32_t depth, bool is_function)
{
	static const char spaces[] = SPACES_64 SPACES_64 SPACES_64 SPACES_64 "&";
	const uint32_t shown = depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT;

	wcm__log_add(line, spaces + 2 * (DEEPEST_INDENT - shown), 2 * shown + is_function);
}

void wcm__log_time(struct wcm_line *line, const char *before, uint64_t ns)
{
	size_t size;
	char *room = wcm__line_room(line, &size), *end = room + 32;
	char *start = put_grouped(end, ns, 0);

	wcm__line_text(line, before);
	wcm__log_add(line, start, (size_t)(end - start));
	line->used += 32;
	wcm__log_add(line, " ns", 3);
}
