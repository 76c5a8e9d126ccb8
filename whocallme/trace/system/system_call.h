/* SPDX-License-Identifier: MIT */
/* system_call.h (SAFE) - a system call, before it is made or when it is over. */
#ifndef WCM_VALUES_SYSTEM_CALL_H
#define WCM_VALUES_SYSTEM_CALL_H

#include <limits.h>

/* The result of a call that has none. */
#define WCM_SYSTEM_NEVER LONG_MIN

/* Numbers of system calls are below this.  Those that a CPU begins elsewhere have no names. */
#define WCM_SYSTEM_CALLS 512

enum { WCM_SYSTEM_ARGUMENTS = 6 };

struct wcm_system_call {
	long number;                         /* as the kernel's, of this CPU */
	long argument[WCM_SYSTEM_ARGUMENTS];
	long result;                         /* of the kernel: -4095..-1 are negated errnos, or
				      * WCM_SYSTEM_NEVER */
	unsigned told;                       /* arguments that wcm__system_words_given() has told */
};

#endif
