/* SPDX-License-Identifier: MIT */
/* log.c - the calls of a part of a run, as they are made, with how long they took:
 *
 *	cc -finstrument-functions -o log log.c -lwhocallme
 *	./log
 */
#include <whocallme.h>

static int wait_a_little(int turns)
{
	while (turns > 0)
		turns--;
	return turns;
}

static int poll_often(void)
{
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += wait_a_little(10); /* one line for all but the first */
	return sum;
}

int main(void)
{
	const struct wcm_trace_options options = {
		.mode = WCM_TRACE_LOG, .flags = WCM_TRACE_EXITS,
	};
	int sum = poll_often(); /* not traced */

	if (wcm_trace_start(&options) != WCM_OK)
		return 1;
	sum += poll_often();
	wcm_trace_stop();
	return sum;
}
