/* SPDX-License-Identifier: MIT */
/* whocallme/threads.h - what is every thread doing?  Include <whocallme.h>
 * instead. */
#ifndef WHOCALLME_THREADS_H
#define WHOCALLME_THREADS_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* Write the stacks of all threads of this process to FD as text, the calling one
 * first and the others by their ids, each below a line that tells its id and name:
 *
 *	<whocallme>: thread 4711 "worker"
 *	#0 0x000055d0c0ffee12 in test_a+0x12 (/usr/bin/prog+0xe12)
 *	<whocallme>: thread 4712 "logger" did not answer: has blocked signals
 *
 * At most 96 frames of each are shown, and below them its last calls, where
 * wcm_flight_start() has them kept.  The others are asked by a real-time signal
 * that nobody else uses, the highest that is at its default action, which may
 * interrupt a system call of theirs (signal(7), EINTR: pause(2), sleep(3),
 * poll(2)).  One that does not answer within a tenth of a second is listed as such;
 * one that sleeps with its signals blocked, or waits for it in sigwait(3), is not
 * asked.  Once wcm_crash_install() has been called, whoever is asked gets its
 * alternate stack, too: the way for threads that a static program creates after
 * the install, and those that were not made by pthread_create(3).  Two callers
 * take turns; the second waits 5 seconds at most.  Returns WCM_OK, or WCM_ESYSTEM
 * where the threads cannot be listed (/proc is needed) or FD does not take
 * everything.  Thread-safe. */
WCM_API WCM_SIGSAFE enum wcm_status wcm_threads_write(int fd);

/* Write the stacks of all threads to stderr, as wcm_threads_write() does, whenever
 * SECONDS have passed since the last wcm_watchdog_feed(), once until it is fed
 * again, below a line that says how long ago that was.  The program goes on.  The
 * start feeds it; a second start changes SECONDS.  The watch is kept by a thread
 * named "wcm-watchdog", which blocks all signals and keeps the process alive until
 * the watch ends, exit(3) is called or main returns; a child of fork(2) is watched
 * when it starts a watch of its own.  Returns WCM_OK, WCM_EINVAL for 0, or
 * WCM_ESYSTEM where no thread can be made.  Thread-safe. */
WCM_API enum wcm_status wcm_watchdog_start(unsigned seconds);

/* All is well. */
WCM_API WCM_SIGSAFE void wcm_watchdog_feed(void);

/* End the watch; what is being written is finished first.  Thread-safe. */
WCM_API void wcm_watchdog_stop(void);

WCM_END_DECLS

#endif
