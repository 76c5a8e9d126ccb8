/* SPDX-License-Identifier: MIT */
/* stop.c - ends a report that does not end by itself.
 *
 * Every loop of a report looks at the clock; a callback, a file server or a driver does
 * not.  The first timer's signal lets the process die of what it would have died of;
 * the second, SIGKILL, is for a thread that takes no signal.
 */
#include "crash/signals/stop.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "core/os/clock.h"
#include "core/os/missing.h"
#include "core/os/self.h"
#include "syscall.h"

enum { GRACE_NS = 500000000, SECOND_NS = 1000000000 };

/* Ids as the kernel has them; -1: none. */
static int timers[2] = { -1, -1 };

/* From now on, not at a time: where the clock cannot be read, that has passed. */
static int start(const struct sigevent *event, uint64_t left)
{
	const struct itimerspec at = {
		.it_value = { .tv_sec = (time_t)(left / SECOND_NS),
			      .tv_nsec = (long)(left % SECOND_NS) },
	};
	int timer = -1;

	if (wcm__syscall(SYS_timer_create, CLOCK_MONOTONIC, (long)event,
			 (long)&timer, 0, 0, 0) < 0)
		return -1;
	wcm__syscall(SYS_timer_settime, timer, 0, (long)&at, 0, 0, 0);
	return timer;
}

void wcm__stop_arm(int signal, uint64_t deadline)
{
	const uint64_t now = wcm__clock_ns();
	const uint64_t left = deadline > now ? deadline - now : 0;
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = signal;
	event.sigev_notify_thread_id = wcm__thread_id();
	timers[0] = start(&event, left + GRACE_NS);
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = SIGKILL;
	timers[1] = start(&event, left + 2 * GRACE_NS);
}

void wcm__stop_disarm(void)
{
	for (int i = 0; i < 2; i++) {
		if (timers[i] >= 0)
			wcm__syscall(SYS_timer_delete, timers[i], 0, 0, 0, 0, 0);
		timers[i] = -1;
	}
}
