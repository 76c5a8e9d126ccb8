/* SPDX-License-Identifier: MIT */
/* stop.c (SAFE) - ends a report that does not end by itself.
 *
 * Every loop of a report looks at the clock; a callback, a file server or a driver does
 * not.  The first timer's signal lets the process die of what it would have died of;
 * the second, SIGKILL, is for a thread that takes no signal.
 */
#include "crash/signals/stop.h"

#include <signal.h>
#include <string.h>

#include "core/os/clock.h"
#include "core/os/missing.h"
#include "core/os/self.h"

enum { GRACE_NS = 500000000 };

/* Ids as the kernel has them; -1: none. */
static int timers[2] = { -1, -1 };

void wcm__stop_arm(int signal, uint64_t deadline)
{
	const uint64_t now = wcm__clock_ns();
	const uint64_t left = deadline > now ? deadline - now : 0;
	struct sigevent event;

	/* From now on, not at a time: where the clock cannot be read, that has passed. */
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = signal;
	event.sigev_notify_thread_id = wcm__thread_id();
	timers[0] = wcm__timer_start(&event, left + GRACE_NS);
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = SIGKILL;
	timers[1] = wcm__timer_start(&event, left + 2 * GRACE_NS);
}

void wcm__stop_disarm(void)
{
	for (int i = 0; i < 2; i++) {
		if (timers[i] >= 0)
			wcm__timer_delete(timers[i]);
		timers[i] = -1;
	}
}
