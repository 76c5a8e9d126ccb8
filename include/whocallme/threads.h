/* SPDX-License-Identifier: MIT */
/* whocallme/threads.h - what is every thread doing?  Include <whocallme.h>
 * instead. */
#ifndef WHOCALLME_THREADS_H
#define WHOCALLME_THREADS_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* Write the stacks of all threads of this process to FD as text, the calling one
 * first, each below a line that tells its id and name.  The others are asked by a
 * real-time signal that nobody else uses, which may interrupt a system call of
 * theirs (signal(7), EINTR); one that does not answer within a tenth of a second,
 * or has blocked every signal, is listed as such.  Returns WCM_OK, or WCM_ESYSTEM
 * where the threads cannot be listed or FD does not take everything. */
WCM_API WCM_SIGSAFE enum wcm_status wcm_threads_write(int fd);

/* Write the stacks of all threads to stderr whenever SECONDS have passed since
 * the last wcm_watchdog_feed(), once until it is fed again.  The program goes on.
 * A second start changes SECONDS.  Returns WCM_OK, WCM_EINVAL for 0, or
 * WCM_ESYSTEM where no thread can be made. Thread-safe. */
WCM_API enum wcm_status wcm_watchdog_start(unsigned seconds);

/* All is well. */
WCM_API WCM_SIGSAFE void wcm_watchdog_feed(void);

/* End the watch.  Thread-safe. */
WCM_API void wcm_watchdog_stop(void);

WCM_END_DECLS

#endif
