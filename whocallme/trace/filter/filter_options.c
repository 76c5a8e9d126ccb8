/* SPDX-License-Identifier: MIT */
/* filter_options.c - turns the filter that is asked for into the one that hooks read.
 *
 * A filter is never freed, because a hook that runs long may still read it.
 */
#include "trace/filter/call_filter.h"

#include <stdlib.h>
#include <string.h>

#include "format/glob.h"
#include "format/line.h"
#include "load/lines_control.h"
#include "trace/engine/trace_stderr.h"

/* The latest; each leads to those before, which hooks that run long may still read. */
static const struct wcm_filter *latest;

static bool is_known(const struct wcm_trace_filter *wanted)
{
	static const struct wcm_trace_filter zero;

	return memcmp(wanted->reserved, zero.reserved, sizeof(zero.reserved)) == 0;
}

/* The lists of a filter: as options, and in what is asked for. */
static const struct {
	const char *option;
	size_t wanted;
} lists[WCM_LISTS] = {
#define LIST(option, field) { option, offsetof(struct wcm_trace_filter, field) }
	[WCM_LIST_FUNCTIONS] = LIST("functions", functions),
	[WCM_LIST_NOT_FUNCTIONS] = LIST("not-functions", not_functions),
	[WCM_LIST_MODULES] = LIST("modules", modules),
	[WCM_LIST_NOT_MODULES] = LIST("not-modules", not_modules),
	[WCM_LIST_SOURCES] = LIST("sources", sources),
	[WCM_LIST_NOT_SOURCES] = LIST("not-sources", not_sources),
	[WCM_LIST_THREADS] = LIST("threads", threads),
};

/* NULL: there is none, or nothing in it. */
static const char *list_of(const struct wcm_trace_filter *wanted, int which)
{
	const char *list = *(const char *const *)((const char *)wanted + lists[which].wanted);

	return list && *list ? list : NULL;
}

static bool is_any(const struct wcm_trace_filter *wanted)
{
	bool has_list = false;

	for (int i = 0; i < WCM_LISTS; i++)
		has_list |= list_of(wanted, i) != NULL;
	return has_list || wanted->depth > 0 || wanted->min_ns > 0;
}

/* False: no memory. */
static bool copy_lists(struct wcm_filter *filter, const struct wcm_trace_filter *wanted)
{
	bool is_whole = true;

	for (int i = 0; i < WCM_LISTS; i++) {
		const char *list = list_of(wanted, i);

		filter->list[i] = list ? strdup(list) : NULL;
		is_whole &= !list || filter->list[i];
	}
	return is_whole;
}

enum wcm_status wcm__filter_make(const struct wcm_trace_options *options,
				 struct wcm_filter **made)
{
	static const struct wcm_trace_filter none;
	const struct wcm_trace_filter *wanted = options->filter ? options->filter : &none;
	const bool no_functions = options->flags & WCM_TRACE_NO_FUNCTIONS;
	struct wcm_filter *filter;

	*made = NULL;
	if (!is_known(wanted))
		return WCM_EINVAL;
	if (!is_any(wanted) && !no_functions)
		return WCM_OK;
	filter = calloc(1, sizeof(*filter));
	if (!filter)
		return WCM_ENOMEM;
	filter->previous = latest;
	latest = filter;
	if (!copy_lists(filter, wanted))
		return WCM_ENOMEM;
	memset(wcm__filter_seen, 0, sizeof(wcm__filter_seen));
	memset(wcm__filter_had, 0, sizeof(wcm__filter_had));
	filter->depth = wanted->depth;
	filter->min_ns = wanted->min_ns;
	filter->keeps = filter->list[WCM_LIST_FUNCTIONS] || filter->list[WCM_LIST_MODULES] ||
			filter->list[WCM_LIST_SOURCES];
	filter->keeps_callees = options->flags & WCM_TRACE_KEEP_CALLEES;
	filter->no_functions = no_functions;
	filter->hides_callees = options->flags & WCM_TRACE_HIDE_CALLEES;
	if (filter->list[WCM_LIST_SOURCES] || filter->list[WCM_LIST_NOT_SOURCES])
		wcm__lines_prepare();
	*made = filter;
	return WCM_OK;
}

enum { MOST_TOLD = 255 /* bytes of a glob */ };

static void tell(const char *none, const char *option, const char *glob, size_t size)
{
	char text[MOST_TOLD + 1] = "";
	struct wcm_line line;

	memcpy(text, glob, size < MOST_TOLD ? size : MOST_TOLD);
	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, none);
	wcm__line_text(&line, " matches --");
	wcm__line_text(&line, option);
	wcm__line_text(&line, "=");
	wcm__line_name(&line, text);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

void wcm__globs_tell_unseen(const char *none, const char *option, const char *list, uint64_t seen)
{
	const char *glob;
	size_t size;

	for (int i = 0; list && i < 64 && (size = wcm__globs_first(list, &glob)) > 0; i++) {
		if (!(seen >> i & 1))
			tell(none, option, glob, size);
		list = glob + size;
	}
}

static void tell_unseen(const struct wcm_filter *filter, const char *none, int which)
{
	wcm__globs_tell_unseen(none, lists[which].option, filter->list[which],
			       wcm__filter_seen[which]);
}

/* Sources are asked for only of what the other lists leave, and what is hidden with its
 * caller is asked about by none. */
static void tell_unseen_of_functions(const struct wcm_filter *filter)
{
	static const int order[] = { WCM_LIST_FUNCTIONS, WCM_LIST_MODULES, WCM_LIST_SOURCES,
				     WCM_LIST_NOT_FUNCTIONS, WCM_LIST_NOT_MODULES,
				     WCM_LIST_NOT_SOURCES };
	const int count = filter->hides_callees ? 3 : 6;
	bool others = false;

	for (int i = WCM_LIST_FUNCTIONS; i <= WCM_LIST_NOT_MODULES; i++)
		others |= filter->list[i] != NULL;
	for (int i = 0; i < count; i++)
		if (!others || i % 3 < 2)
			tell_unseen(filter, "no function that was called", order[i]);
}

/* Whether a list is given and has nothing, which a line about it says. */
static bool has_nothing(const struct wcm_filter *filter, int which)
{
	return filter->list[which] && wcm__filter_seen[which] == 0;
}

/* WHAT was called and is hidden throughout. */
static void tell_none_left(const struct wcm_filter *filter, const char *what)
{
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, what);
	wcm__line_text(&line, " were called, and the filter leaves none:");
	for (int i = 0; i < WCM_LISTS; i++) {
		if (!filter->list[i])
			continue;
		wcm__line_text(&line, " --");
		wcm__line_text(&line, lists[i].option);
		wcm__line_text(&line, "=");
		wcm__line_name(&line, filter->list[i]);
	}
	if (filter->min_ns > 0) {
		wcm__line_text(&line, " --time-filter=");
		wcm__line_decimal(&line, (int64_t)filter->min_ns);
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

static bool is_none_left(enum wcm_filter_kind kind)
{
	return wcm__filter_had[kind].hidden && !wcm__filter_had[kind].shown;
}

static bool has_function(void)
{
	const struct wcm_filter_had *had = &wcm__filter_had[WCM_KIND_FUNCTION];

	return had->hidden || had->shown;
}

/* Lists of functions say nothing of a process that calls none, such as a shell whose programs
 * are traced. */
void wcm__filter_tell_unseen(const struct wcm_filter *filter)
{
	const bool has_no_threads = has_nothing(filter, WCM_LIST_THREADS);

	if (has_function() && !filter->no_functions)
		tell_unseen_of_functions(filter);
	tell_unseen(filter, "nothing that was called", WCM_LIST_THREADS);
	if (is_none_left(WCM_KIND_FUNCTION) && !filter->no_functions && !has_no_threads &&
	    !has_nothing(filter, WCM_LIST_FUNCTIONS) && !has_nothing(filter, WCM_LIST_MODULES) &&
	    !has_nothing(filter, WCM_LIST_SOURCES) &&
	    wcm__filter_seen[WCM_LIST_SOURCES] != UINT64_MAX) /* nobody has answered, as was said */
		tell_none_left(filter, "functions");
	if (is_none_left(WCM_KIND_CHOSEN) && !has_no_threads)
		tell_none_left(filter, "library calls, system calls or probes");
}
