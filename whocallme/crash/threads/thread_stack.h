/* SPDX-License-Identifier: MIT */
/* thread_stack.h (SAFE) - the stack of one thread, as that thread has captured it. */
#ifndef WCM_THREADS_THREAD_STACK_H
#define WCM_THREADS_THREAD_STACK_H

#include <stdbool.h>
#include <stddef.h>

#include "crash/threads/tasks.h"
#include "whocallme/stack.h"

enum { WCM_THREAD_FRAMES = 96 };

struct wcm_thread {
	int tid;
	char name[WCM_THREAD_NAME];
	bool answered; /* else it has no frames */
	bool blocked;  /* it has not been asked: it has blocked signals */
	size_t count;
	enum wcm_stop stop;
	struct wcm_frame frames[WCM_THREAD_FRAMES]; /* innermost first */
};

#endif
