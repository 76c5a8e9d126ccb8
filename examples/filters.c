/* SPDX-License-Identifier: MIT */
/* filters.c - some calls of many: what draw() calls, but no helper of its, in a log.
 * The same from outside, for a program that knows nothing of it:
 *
 *	whocallme trace -F draw -k -N 'helper*' ./filters
 */
#include <whocallme.h>

static void helper_of_all(void)
{
}

static void line(void)
{
	helper_of_all();
}

static void draw(void)
{
	line();
	line();
	helper_of_all();
}

int main(void)
{
	const struct wcm_trace_filter filter = { .functions = "draw",
						 .not_functions = "helper*" };
	const struct wcm_trace_options options = {
		.mode = WCM_TRACE_LOG,
		.flags = WCM_TRACE_KEEP_CALLEES,
		.filter = &filter,
	};

	if (wcm_trace_start(&options) != WCM_OK)
		return 1;
	line();
	draw();
	return 0;
}
