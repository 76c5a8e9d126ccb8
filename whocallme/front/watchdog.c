/* SPDX-License-Identifier: MIT */
/* watchdog.c - reports what every thread does when the program has not fed the watchdog
 * for long.
 *
 * A thread sleeps until the program should have fed it, looks at the time of the last
 * feeding, and sleeps on or reports: feeding is one store.  A child of fork(2) has no
 * such thread, and knows that by the process id.
 */
#include "whocallme/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/os/clock.h"
#include "core/os/futex.h"
#include "core/os/owner.h"
#include "format/line.h"
#include "crash/files/descriptor.h"
#include "front/library_thread.h"
#include "front/watchdog_rest.h"

enum { STACK_SIZE = 128 * 1024 };

#define SECOND ((uint64_t)1000000000)

static uint64_t fed; /* of wcm__clock_ns() */
static unsigned limit; /* in seconds; 0: there is nothing to watch */
static unsigned resting; /* LIMIT meanwhile */
static uint32_t bell;  /* rung when LIMIT changes */
static struct wcm_descriptor noted;
static pthread_t watcher;
static pid_t owner; /* the process that WATCHER is a thread of; 0: there is none */
static struct wcm_owner changer; /* the thread that starts or stops it */

static void set_limit(unsigned seconds)
{
	__atomic_store_n(&limit, seconds, __ATOMIC_RELEASE);
	__atomic_add_fetch(&bell, 1, __ATOMIC_RELEASE);
	wcm__futex_wake(&bell, 1);
}

static void bark_to(int fd, uint64_t ns)
{
	struct wcm_line line;

	wcm__line_begin(&line, fd);
	wcm__line_text(&line, "the watchdog was not fed for ");
	wcm__line_decimal(&line, (int64_t)(ns / 1000000));
	wcm__line_text(&line, " ms\n");
	wcm__line_write(&line);
	wcm_threads_write(fd);
}

static void bark(uint64_t ns)
{
	int terminal;

	if (!wcm__descriptor_is_another(&noted)) {
		bark_to(STDERR_FILENO, ns);
		return;
	}
	terminal = wcm__descriptor_terminal();
	if (terminal < 0)
		return;
	bark_to(terminal, ns);
	close(terminal);
}

static void *watch(void *unused)
{
	uint64_t barked_at = 0; /* the feeding that was the last */

	prctl(PR_SET_NAME, "wcm-watchdog");
	for (;;) {
		uint32_t seen = __atomic_load_n(&bell, __ATOMIC_ACQUIRE);
		uint64_t time = __atomic_load_n(&limit, __ATOMIC_ACQUIRE) * SECOND;
		uint64_t last = __atomic_load_n(&fed, __ATOMIC_RELAXED);
		uint64_t now = wcm__clock_ns();

		if (time == 0)
			return unused;
		if (now < last + time) {
			wcm__futex_wait(&bell, seen, last + time - now);
			continue;
		}
		if (last != barked_at)
			bark(now - last);
		barked_at = last;
		/* Whoever feeds it from now on has as long again. */
		wcm__futex_wait(&bell, seen, time);
	}
}

/* False in a signal handler that has interrupted the change. */
static bool enter(void)
{
	return wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) == WCM_OWNED;
}

static void leave(void)
{
	wcm__owner_give_back(&changer);
}

static bool start(void)
{
	if (!wcm__library_thread_start(&watcher, watch, STACK_SIZE))
		return false;
	owner = getpid();
	return true;
}

enum wcm_status wcm_watchdog_start(unsigned seconds)
{
	const int kept = errno;
	enum wcm_status status = WCM_OK;

	if (seconds == 0)
		return WCM_EINVAL;
	if (!enter())
		return WCM_ESYSTEM;
	wcm_watchdog_feed();
	wcm__descriptor_note(&noted, STDERR_FILENO);
	set_limit(seconds);
	if (owner != getpid() && !start())
		status = WCM_ESYSTEM;
	leave();
	errno = kept;
	return status;
}

int wcm__watchdog_count(void)
{
	return owner != 0 && owner == getpid();
}

void wcm__watchdog_rest(void)
{
	if (wcm__watchdog_count() == 0 || !enter())
		return;
	resting = limit;
	set_limit(0);
	pthread_join(watcher, NULL);
	owner = 0;
}

void wcm__watchdog_go_on(void)
{
	if (resting == 0)
		return;
	set_limit(resting);
	resting = 0;
	start();
	leave();
}

void wcm_watchdog_feed(void)
{
	__atomic_store_n(&fed, wcm__clock_ns(), __ATOMIC_RELAXED);
}

void wcm_watchdog_stop(void)
{
	const int kept = errno;

	if (!enter())
		return;
	set_limit(0);
	if (owner == getpid())
		pthread_join(watcher, NULL);
	owner = 0;
	leave();
	errno = kept;
}
