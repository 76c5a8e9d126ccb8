/* SPDX-License-Identifier: MIT */
/* switch.c - two traces, one after the other, each in a mode of its own:
 *
 *	cc -finstrument-functions -o switch switch.c -lwhocallme
 *	./switch && cat sum.log && dot -Tsvg sort.dot >sort.svg
 */
#include <stdio.h>
#include <stdlib.h>
#include <whocallme.h>

enum { COUNT = 8 };
static int numbers[COUNT] = { 5, 3, 8, 1, 7, 2, 6, 4 };

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int sum(int count)
{
	return count > 0 ? numbers[count - 1] + sum(count - 1) : 0;
}

int main(void)
{
	struct wcm_trace_options options = { .mode = WCM_TRACE_LOG,
					     .output = "sum.log" };

	if (wcm_trace_start(&options) != WCM_OK)
		return 1;
	printf("%d\n", sum(COUNT));
	options.mode = WCM_TRACE_GRAPH; /* which ends the trace before */
	options.output = "sort.dot";
	if (wcm_trace_start(&options) != WCM_OK)
		return 1;
	qsort(numbers, COUNT, sizeof(*numbers), compare);
	wcm_trace_stop();
	printf("%d %d\n", numbers[0], numbers[COUNT - 1]);
	return 0;
}
