/* SPDX-License-Identifier: MIT */
/* log_columns.c (SAFE) - the columns of a line of the log: kind, thread, time, stack, symbol.
 *
 * They are made from the last to the first, in the line's own room.
 */
#include "trace/log/log_columns.h"

#include <string.h>

#include "format/wall_time.h"
#include "format/words.h"
#include "trace/engine/gate.h"
#include "whocallme/trace.h"

#define SPACES_8 "        "
#define SPACES_64 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8 SPACES_8

const char wcm__log_spaces[] = SPACES_64 SPACES_64 SPACES_64 SPACES_64 "&";

_Static_assert(sizeof(wcm__log_spaces) == 2 * WCM_LOG_DEEPEST + sizeof("&"), "two a depth");

/* The columns of a line, at most: three letters, 10 digits, 30 and 20, and what parts them. */
enum { COLUMNS = 72 };

/* Where a column begins that ends at END, and whose text does AT: it is WIDTH wide at least. */
static char *column(char *end, char *at, unsigned width)
{
	return (unsigned)(end - at) < width ? end - width : at;
}

/* When the latest line was; its time may be later than that of one which another thread writes
 * now. */
static uint64_t latest;

void wcm__log_times_begin(void)
{
	latest = wcm__gate.start;
}

/* Between thousands: without any, numbers can be pasted. */
static inline char thousands(void)
{
	return wcm__gate.flags & WCM_TRACE_ARTICLE ? '\'' : 0;
}

static char *put_since_line(char *end, uint64_t at)
{
	const uint64_t before = __atomic_exchange_n(&latest, at, __ATOMIC_RELAXED);
	char *start = wcm__format_before(end, at < before ? before - at : at - before, thousands());

	if (at < before)
		*--start = '-';
	return start;
}

__attribute__((noinline)) static char *put_time_as_asked(char *end, uint64_t at)
{
	if (wcm__gate.flags & WCM_TRACE_DELTA_TIMES)
		return put_since_line(end, at);
	wcm__format_wall_time(end - WCM_WALL_TIME, wcm__gate.wall + (at - wcm__gate.start));
	return end - WCM_WALL_TIME;
}

static inline char *put_time(char *end, uint64_t at)
{
	const uint32_t how = WCM_TRACE_ABSOLUTE_TIMES | WCM_TRACE_DELTA_TIMES;

	return __builtin_expect(wcm__gate.flags & how, 0) ?
		       put_time_as_asked(end, at) :
		       wcm__format_before(end, at - wcm__gate.start, thousands());
}

void wcm__log_columns(struct wcm_line *line, const char *kind, int tid, uint64_t at,
		      uint64_t stack)
{
	size_t size;
	char *room = wcm__line_room(line, &size), *end = room + COLUMNS, *start = end - 1;

	memset(room, ' ', COLUMNS);
	if (stack != WCM_LOG_NO_STACK)
		start = wcm__format_before(start, stack, 0);
	start = column(end - 1, start, 7);
	start--;
	start = column(start, put_time(start, at), 13);
	start--;
	start = column(start, wcm__format_before(start, (uint64_t)tid, 0), 5);
	start = memcpy(start - 4, kind, 3);
	wcm__log_add(line, start, (size_t)(end - start));
	line->used += COLUMNS;
}

void wcm__log_time(struct wcm_line *line, const char *before, uint64_t ns)
{
	size_t size;
	char *room = wcm__line_room(line, &size), *end = room + 32;
	char *start = wcm__format_before(end, ns, thousands());

	wcm__line_text(line, before);
	wcm__log_add(line, start, (size_t)(end - start));
	line->used += 32;
	wcm__log_add(line, " ns", 3);
}
