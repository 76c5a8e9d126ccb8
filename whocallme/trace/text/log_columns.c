/* SPDX-License-Identifier: MIT */
/* log_columns.c - the columns of a line of the log: kind, thread, nanoseconds, stack, symbol.
 *
 * They are made from the last to the first, in the line's own room.
 */
#include "trace/text/log_columns.h"

#include <string.h>

#define SPACES_8 "        "
#define SPACES_64 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8

const char wcm__log_spaces[] = SPACES_64 SPACES_64 SPACES_64 SPACES_64 "&";

_Static_assert(sizeof(wcm__log_spaces) == 2 * WCM_LOG_DEEPEST + sizeof("&"), "two a depth");

/* The columns of a line, at most: three letters, 10 digits, 26 and 20, and what parts them. */
enum { COLUMNS = 64 };

static const char pairs[200] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

/* Two digits of VALUE before END; returns where they begin. */
static char *put_pair(char *end, unsigned value)
{
	return memcpy(end - 2, &pairs[2 * value], 2);
}

/* VALUE, less than 1,000, without zeros in front. */
static char *put_first(char *end, unsigned value)
{
	if (value >= 10) {
		end = put_pair(end, value % 100);
		value /= 100;
		if (value == 0)
			return end;
	}
	*--end = (char)('0' + value);
	return end;
}

/* VALUE with ' between thousands, which ends at END; returns where it begins. */
static char *put_grouped(char *end, uint64_t value)
{
	for (; value >= 1000; value /= 1000) {
		const unsigned three = (unsigned)(value % 1000);

		end = put_pair(end, three % 100);
		*--end = (char)('0' + three / 100);
		*--end = '\'';
	}
	return put_first(end, (unsigned)value);
}

char *wcm__log_number(char *end, uint64_t value)
{
	for (; value >= 1000; value /= 100)
		end = put_pair(end, (unsigned)(value % 100));
	return put_first(end, (unsigned)value);
}

/* Where a column begins that ends at END, and whose text does AT: it is WIDTH wide at least. */
static char *column(char *end, char *at, unsigned width)
{
	return (unsigned)(end - at) < width ? end - width : at;
}

void wcm__log_columns(struct wcm_line *line, const char *kind, int tid, uint64_t at,
		      uint64_t stack)
{
	size_t size;
	char *room = wcm__line_room(line, &size), *end = room + COLUMNS, *start = end - 1;

	memset(room, ' ', COLUMNS);
	start = column(start, stack == WCM_LOG_NO_STACK ? start : wcm__log_number(start, stack), 7);
	start--;
	start = column(start, put_grouped(start, at), 13);
	start--;
	start = column(start, wcm__log_number(start, (uint64_t)tid), 5);
	start = memcpy(start - 4, kind, 3);
	wcm__log_add(line, start, (size_t)(end - start));
	line->used += COLUMNS;
}

void wcm__log_time(struct wcm_line *line, const char *before, uint64_t ns)
{
	size_t size;
	char *room = wcm__line_room(line, &size), *end = room + 32;
	char *start = put_grouped(end, ns);

	wcm__line_text(line, before);
	wcm__log_add(line, start, (size_t)(end - start));
	line->used += 32;
	wcm__log_add(line, " ns", 3);
}
