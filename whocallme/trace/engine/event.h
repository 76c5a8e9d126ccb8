/* SPDX-License-Identifier: MIT */
/* event.h (SAFE) - what a source hands over: a call that begins or ends. */
#ifndef WCM_PROBE_EVENT_H
#define WCM_PROBE_EVENT_H

#include <stdint.h>

#include "core/arch/arch.h"
#include "core/unwind/step.h"

struct wcm_probe_hit;
struct wcm_system_call;

/* What a hook is told, and where it was called from. */
struct wcm_event {
	uintptr_t func, site;
	struct wcm_regs at; /* in the function, behind the call of the hook */
	uint64_t now;
	const struct wcm_passed *passed; /* what the call hands over; NULL: nobody asks */
	struct wcm_system_call *system; /* that it is one of; or NULL */
	const struct wcm_probe_hit *probe; /* the same */
};

#endif
