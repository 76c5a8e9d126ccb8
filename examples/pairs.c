/* SPDX-License-Identifier: MIT */
/* pairs.c - a part of a program, each call in a line with its caller:
 *
 *	cc -finstrument-functions -o pairs pairs.c -lwhocallme && ./pairs
 */
#include <stdio.h>
#include <whocallme.h>

static int twice(int number)
{
	return 2 * number;
}

static int more(int number)
{
	return twice(number) + 1;
}

static int part(int number)
{
	return twice(more(number));
}

int main(void)
{
	const struct wcm_trace_options options = { .mode = WCM_TRACE_PAIRS };
	int sum = part(1); /* not traced */

	if (wcm_trace_start(&options) != WCM_OK)
		return 1;
	sum += part(2);
	wcm_trace_stop();
	sum += part(3); /* nor is this */
	printf("%d\n", sum);
	return 0;
}
