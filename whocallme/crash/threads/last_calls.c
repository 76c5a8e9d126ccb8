/* SPDX-License-Identifier: MIT */
/* last_calls.c (SAFE) - the last calls of a thread, as whoever keeps them tells of them.
 *
 * Tracing keeps them, which stands above the crash report: it says so here.
 */
#include "crash/threads/last_calls.h"

#include <stddef.h>
#include <string.h>

#include "format/line.h"
#include "format/wall_time.h"
#include "format/words.h"

static const struct wcm_last_calls_keeper *keeper;

void wcm__last_calls_keep(const struct wcm_last_calls_keeper *by)
{
	__atomic_store_n(&keeper, by, __ATOMIC_RELEASE);
}

static enum wcm_last_calls_times shown;

void wcm__last_calls_show(enum wcm_last_calls_times times)
{
	__atomic_store_n(&shown, times, __ATOMIC_RELAXED);
}

bool wcm__last_calls_are_kept(void)
{
	return __atomic_load_n(&keeper, __ATOMIC_ACQUIRE) != NULL;
}

uint64_t wcm__last_calls_now(void)
{
	const struct wcm_last_calls_keeper *by = __atomic_load_n(&keeper, __ATOMIC_ACQUIRE);

	return by ? by->now() : 0;
}

bool wcm__last_calls_visit(int tid, uint64_t now, wcm_last_call_visitor *visit, void *data)
{
	const struct wcm_last_calls_keeper *by = __atomic_load_n(&keeper, __ATOMIC_ACQUIRE);

	return by && by->visit(tid, now, visit, data);
}

bool wcm__last_call_symbol(struct wcm_last_call *call, struct wcm_symbol *symbol)
{
	if (wcm__dlopen_names_peek_for_report(NULL, call->address, symbol) != WCM_OK)
		return false;
	call->address -= symbol->offset;
	symbol->module_offset -= symbol->offset;
	symbol->offset = 0;
	return true;
}

/* NS after the SIGN, grouped by thousands, which ends at END; returns where it begins. */
static char *put_grouped(char *end, char sign, uint64_t ns)
{
	end = wcm__format_before(end, ns, '\'');
	*--end = sign;
	return end;
}

/* The report is later than a call, which so has a negative time, as in a countdown. */
static char *put_time(char *end, const struct wcm_last_call *call)
{
	switch (__atomic_load_n(&shown, __ATOMIC_RELAXED)) {
	case WCM_CALLS_WALL:
		wcm__format_wall_time(end - WCM_WALL_TIME, call->wall);
		return end - WCM_WALL_TIME;
	case WCM_CALLS_SINCE:
		return call->since < 0 ? put_grouped(end, '-', -(uint64_t)call->since) :
					 put_grouped(end, '+', (uint64_t)call->since);
	default:
		return call->before < 0 ? put_grouped(end, '+', -(uint64_t)call->before) :
					  put_grouped(end, '-', (uint64_t)call->before);
	}
}

/* A question mark stands for a time that the counter does not tell.  No line begins with less than
 * two spaces, by which those who read reports know it. */
static void add_time(struct wcm_line *line, const struct wcm_last_call *call)
{
	enum { WIDTH = 16, MOST = 40, LEAST_SPACES = 2 };
	char text[MOST], *end = text + sizeof(text), *at = end - 1, *start;
	size_t size, room, spaces = LEAST_SPACES;

	*at = '?';
	if (call->has_time)
		at = put_time(end, call);
	while (end - at < WIDTH || spaces > 0) {
		*--at = ' ';
		spaces -= spaces > 0;
	}
	size = (size_t)(end - at);
	start = wcm__line_room(line, &room);
	memcpy(start, at, size);
	wcm__line_use_room(line, size);
}

bool wcm__last_call_write(const struct wcm_last_calls_text *text,
			  const struct wcm_last_call *told)
{
	enum { DEEPEST_INDENT = 32 };
	static const char spaces[] =
		"                                                                ";
	const uint32_t indent = told->depth < DEEPEST_INDENT ? told->depth : DEEPEST_INDENT;
	struct wcm_last_call call = *told;
	struct wcm_symbol symbol;
	struct wcm_line line;

	wcm__last_call_symbol(&call, &symbol);
	wcm__line_init(&line, text->fd);
	add_time(&line, &call);
	wcm__line_text(&line, "  ");
	wcm__line_span(&line, spaces, 2 * (size_t)indent);
	if (symbol.name || symbol.module || text->has_addresses)
		wcm__text_symbol(&line, call.address, &symbol, text->write_name);
	else
		wcm__line_text(&line, "??");
	wcm__line_text(&line, "\n");
	return wcm__line_write(&line);
}

bool wcm__last_calls_head(int fd)
{
	static const char *const units[] = {
		[WCM_CALLS_BEFORE] = "nanoseconds",
		[WCM_CALLS_SINCE] = "nanoseconds since the one before",
		[WCM_CALLS_WALL] = "time of day, UTC",
	};
	struct wcm_line line;

	wcm__line_init(&line, fd);
	wcm__line_text(&line, "last calls of this thread (");
	wcm__line_text(&line, units[__atomic_load_n(&shown, __ATOMIC_RELAXED)]);
	wcm__line_text(&line, ", newest last):\n");
	return wcm__line_write(&line);
}

struct writing {
	const struct wcm_last_calls_text *text;
	bool has_head, failed;
};

static bool write_call(const struct wcm_last_call *call, void *data)
{
	struct writing *writing = data;

	if (!writing->has_head)
		writing->failed = !wcm__last_calls_head(writing->text->fd);
	writing->has_head = true;
	writing->failed = writing->failed || !wcm__last_call_write(writing->text, call);
	return !writing->failed;
}

bool wcm__last_calls_write(const struct wcm_last_calls_text *text, int tid, uint64_t now)
{
	struct writing writing = { .text = text };

	wcm__last_calls_visit(tid, now, write_call, &writing);
	return !writing.failed;
}
