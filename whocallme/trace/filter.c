/* SPDX-License-Identifier: MIT */
/* filter.c - what is asked for, as hooks read it. */
#include "trace/filter.h"

#include <stdlib.h>
#include <string.h>

#include "load/lines_control.h"

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
	const struct wcm_trace_filter *wanted = options->filter;
	struct wcm_filter *filter;

	*made = NULL;
	if (!wanted)
		return WCM_OK;
	if (!is_known(wanted))
		return WCM_EINVAL;
	if (!is_any(wanted))
		return WCM_OK;
	filter = calloc(1, sizeof(*filter));
	if (!filter)
		return WCM_ENOMEM;
	filter->previous = latest;
	latest = filter;
	if (!copy_lists(filter, wanted))
		return WCM_ENOMEM;
	filter->depth = wanted->depth;
	filter->min_ns = wanted->min_ns;
	filter->keeps = filter->functions || filter->modules || filter->sources;
	filter->keeps_callees = options->flags & WCM_TRACE_KEEP_CALLEES;
	filter->hides_callees = options->flags & WCM_TRACE_HIDE_CALLEES;
	if (filter->sources || filter->not_sources)
		wcm__lines_prepare();
	*made = filter;
	return WCM_OK;
}
