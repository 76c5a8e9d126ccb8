/* SPDX-License-Identifier: MIT */
/* log.c - a part of a program as a log, which says what happened when, in which call:
 *
 *	cc -finstrument-functions -o log log.c -lwhocallme && ./log
 */
#include <whocallme.h>

static int step(int number)
{
	return number % 2 ? 3 * number + 1 : number / 2;
}

static int steps_from(int number)
{
	int count = 0;

	for (; number != 1; number = step(number))
		count++;
	return count;
}

int main(void)
{
	const struct wcm_trace_options options = { .mode = WCM_TRACE_LOG,
						   .flags = WCM_TRACE_EXITS };

	steps_from(3); /* not traced */
	if (wcm_trace_start(&options) != WCM_OK)
		return 1;
	steps_from(6);
	wcm_trace_stop();
	return 0;
}
