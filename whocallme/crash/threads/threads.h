/* SPDX-License-Identifier: MIT */
/* threads.h - the stacks of all threads but our own. */
#ifndef WCM_CRASH_THREADS_H
#define WCM_CRASH_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "whocallme/stack.h"

enum { WCM_THREAD_FRAMES = 96, WCM_THREAD_NAME = 16 };

struct wcm_thread {
	int tid;
	char name[WCM_THREAD_NAME];
	bool answered; /* else it has no frames */
	bool blocked;  /* it has not been asked: it has blocked signals */
	size_t count;
	enum wcm_stop stop;
	struct wcm_frame frames[WCM_THREAD_FRAMES]; /* innermost first */
};

/* Behind the name of a thread that did not answer. */
#define WCM_NO_ANSWER " did not answer"
#define WCM_NO_ANSWER_BLOCKED WCM_NO_ANSWER ": has blocked signals"

/* Ready the signal by which threads are asked; idempotent.  False where there is
 * none to be had.  The signal may be another than before, if the program has taken
 * it: wcm__threads_visit() does this, too. */
bool wcm__threads_prepare(void);

/* Give an alternate stack to every thread that there is now, and from now on to
 * those that are asked for their stack and, where pthread_create(3) is interposed,
 * to those that are created. */
void wcm__threads_arm(void);

/* Ask every other thread of the process for its stack and pass it to VISIT, which
 * ends the visits by returning false, in the order of their ids.  No thread is waited
 * for longer than a tenth of a second, none beyond DEADLINE (of wcm__clock_ns());
 * what did not answer is visited as such.  False where threads cannot be listed. */
typedef bool wcm_thread_visitor(const struct wcm_thread *thread, void *data);
bool wcm__threads_visit(uint64_t deadline, wcm_thread_visitor *visit, void *data);

/* The name of thread TID, empty where it is not to be had. */
void wcm__thread_name(int tid, char name[WCM_THREAD_NAME]);

#endif
