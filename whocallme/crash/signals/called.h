/* SPDX-License-Identifier: MIT */
/* called.h (SAFE) - knows the faults that handlers of the program's are called for, and whether
 * these still run. */
#ifndef WCM_SIGNALS_CALLED_H
#define WCM_SIGNALS_CALLED_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/unwind/walk.h"

/* A call of a handler: it lies in the frame of the function that makes it. */
struct wcm_called {
	uint64_t mark;
	int process;
	bool is_reported;
	siginfo_t *info; /* what the handler is given */
	void *ucontext;
};

/* Around the call.  IS_REPORTED: the fault has its report already; returns whether it has one
 * now. */
void wcm__called_begin(struct wcm_called *called, siginfo_t *info, void *ucontext,
		       bool is_reported);
bool wcm__called_end(struct wcm_called *called);

/* Whether a handler has ever been called. */
bool wcm__called_ever(void);

/* The outermost call of this process's, by the function at CALLER, that leads to where WALK stands;
 * NULL: none does. */
struct wcm_called *wcm__called_around(struct wcm_walk *walk, uintptr_t caller);

#endif
