/* SPDX-License-Identifier: MIT */
/* filter_options.c - turns the filter that is asked for into the one that hooks read.
 *
 * A filter is never freed, because a hook that runs long may still read it.
 */
#include "trace/filter/filter_options.h"

#include <stdlib.h>
#include <string.h>

#include "core/report/line.h"
#include "format/glob.h"
#include "load/lines_control.h"
#include "trace/engine/trace_stderr.h"

/* The latest; each leads to those before, which hooks that run long may still read. */
static const struct wcm_filter *latest;

static bool is_known(const struct wcm_trace_filter *wanted)
{
	static const struct wcm_trace_filter zero;

	return memcmp(wanted->reserved, zero.reserved, sizeof(zero.reserved)) == 0;
}

static bool is_list(const char *list)
{
	return list && *list;
}

static bool is_any(const struct wcm_trace_filter *wanted)
{
	return is_list(wanted->functions) || is_list(wanted->not_functions) ||
	       is_list(wanted->modules) || is_list(wanted->not_modules) ||
	       is_list(wanted->sources) || is_list(wanted->not_sources) ||
	       is_list(wanted->threads) || wanted->depth > 0 ||
	       wanted->min_ns > 0;
}

/* False: no memory. */
static bool copy_list(const char **copy, const char *list)
{
	*copy = is_list(list) ? strdup(list) : NULL;
	return *copy || !is_list(list);
}

static bool copy_lists(struct wcm_filter *filter,
		       const struct wcm_trace_filter *wanted)
{
	return copy_list(&filter->functions, wanted->functions) &&
	       copy_list(&filter->not_functions, wanted->not_functions) &&
	       copy_list(&filter->modules, wanted->modules) &&
	       copy_list(&filter->not_modules, wanted->not_modules) &&
	       copy_list(&filter->sources, wanted->sources) &&
	       copy_list(&filter->not_sources, wanted->not_sources) &&
	       copy_list(&filter->threads, wanted->threads);
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
	filter->keeps = filter->functions || filter->modules || filter->sources;
	filter->keeps_callees = options->flags & WCM_TRACE_KEEP_CALLEES;
	filter->no_functions = no_functions;
	filter->hides_callees = options->flags & WCM_TRACE_HIDE_CALLEES;
	if (filter->sources || filter->not_sources)
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

static void tell_unseen(const char *option, const char *list, uint64_t seen)
{
	wcm__globs_tell_unseen("no function that was called", option, list, seen);
}

/* Sources are asked for only of what the other lists leave, and what is hidden with its
 * caller is asked about by none. */
static void tell_unseen_of_functions(const struct wcm_filter *filter)
{
	const uint64_t *seen = wcm__filter_seen;
	const bool others = filter->functions || filter->modules ||
			    filter->not_functions || filter->not_modules;

	tell_unseen("functions", filter->functions, seen[WCM_LIST_FUNCTIONS]);
	tell_unseen("modules", filter->modules, seen[WCM_LIST_MODULES]);
	if (!others)
		tell_unseen("sources", filter->sources, seen[WCM_LIST_SOURCES]);
	if (filter->hides_callees)
		return;
	tell_unseen("not-functions", filter->not_functions,
		    seen[WCM_LIST_NOT_FUNCTIONS]);
	tell_unseen("not-modules", filter->not_modules, seen[WCM_LIST_NOT_MODULES]);
	if (!others)
		tell_unseen("not-sources", filter->not_sources,
			    seen[WCM_LIST_NOT_SOURCES]);
}

/* Whether LIST is given and has nothing, which a line about it says. */
static bool has_nothing(const char *list, uint64_t seen)
{
	return list && seen == 0;
}

static void add_option(struct wcm_line *line, const char *option, const char *list)
{
	if (!list)
		return;
	wcm__line_text(line, " --");
	wcm__line_text(line, option);
	wcm__line_text(line, "=");
	wcm__line_name(line, list);
}

/* WHAT was called and is hidden throughout. */
static void tell_none_left(const struct wcm_filter *filter, const char *what)
{
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, what);
	wcm__line_text(&line, " were called, and the filter leaves none:");
	add_option(&line, "functions", filter->functions);
	add_option(&line, "not-functions", filter->not_functions);
	add_option(&line, "modules", filter->modules);
	add_option(&line, "not-modules", filter->not_modules);
	add_option(&line, "sources", filter->sources);
	add_option(&line, "not-sources", filter->not_sources);
	add_option(&line, "threads", filter->threads);
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
	const uint64_t *seen = wcm__filter_seen;
	const bool has_no_threads = has_nothing(filter->threads, seen[WCM_LIST_THREADS]);

	if (has_function() && !filter->no_functions)
		tell_unseen_of_functions(filter);
	wcm__globs_tell_unseen("nothing that was called", "threads", filter->threads,
			       seen[WCM_LIST_THREADS]);
	if (is_none_left(WCM_KIND_FUNCTION) && !filter->no_functions && !has_no_threads &&
	    !has_nothing(filter->functions, seen[WCM_LIST_FUNCTIONS]) &&
	    !has_nothing(filter->modules, seen[WCM_LIST_MODULES]) &&
	    !has_nothing(filter->sources, seen[WCM_LIST_SOURCES]) &&
	    seen[WCM_LIST_SOURCES] != UINT64_MAX) /* nobody has answered, as was said */
		tell_none_left(filter, "functions");
	if (is_none_left(WCM_KIND_CHOSEN) && !has_no_threads)
		tell_none_left(filter, "library calls, system calls or probes");
}
