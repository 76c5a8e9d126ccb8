/* SPDX-License-Identifier: MIT */
/* dispatch_tell.h (SAFE) - tells the trace of the system calls that are dispatched. */
#ifndef WCM_SYSTEM_DISPATCH_TELL_H
#define WCM_SYSTEM_DISPATCH_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arch/arch.h"
#include "trace/engine/kind.h"
#include "trace/system/system_call.h"

/* A call while it is made. */
struct wcm_making {
	struct wcm_dispatched at; /* as it is made */
	struct wcm_system_call call; /* as the program has it */
	struct wcm_told told;        /* and as the trace gets it */
	bool is_told;
	bool is_return; /* a handler's, from the frame of its signal */
	uint64_t begin; /* in a child that has this memory */
};

/* Whether the call NUMBER is traced. */
bool wcm__system_is_told(long number);

/* Before the call, and with its result; or both at once. */
void wcm__system_tell_begin(struct wcm_making *making);
void wcm__system_tell_end(struct wcm_making *making, long result);
void wcm__system_tell_whole(struct wcm_making *making, long result);

#endif
