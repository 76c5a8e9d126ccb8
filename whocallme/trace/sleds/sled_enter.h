/* SPDX-License-Identifier: MIT */
/* sled_enter.h (SAFE) - what the call in a sled comes to. */
#ifndef WCM_SLED_SLED_ENTER_H
#define WCM_SLED_SLED_ENTER_H

#include "core/arch/arch.h"
#include "trace/flight/flight_ring.h"
#include "trace/sleds/sled_module.h"

wcm_sled_hook wcm__sled_entered;

/* What it comes to first. */
wcm_sled_first wcm__sled_passed;
wcm_sled_return wcm__sled_returned;

/* The same where what calls hand over is asked for. */
wcm_sled_given wcm__sled_given;
wcm_sled_given_back wcm__sled_given_back;

/* See arch.h. */
wcm_sled_take wcm__sled_stand_aside;

/* Have sleds' calls come to these. */
void wcm__sled_prepare(void);

/* Where the dynamic linker's call comes from instead, and what is called then. */
struct wcm_sled_linker {
	uintptr_t pc;
	void (*changed)(void);
};
extern struct wcm_sled_linker wcm__sled_linker __attribute__((visibility("hidden")));

/* What is told of calls into libraries: of all while some thread WAITS for its next, else of those
 * that the first stage leaves. */
struct wcm_sled_library {
	uint32_t waits;
	void (*called)(const struct wcm_sled *sled);
};
extern struct wcm_sled_library wcm__sled_library __attribute__((visibility("hidden")));

/* Of SLED's call, for the flight recorder.  A return address that is changed already is of
 * a function that has jumped here, from the same place. */
static inline uint64_t wcm__sled_place(const struct wcm_sled *sled, uintptr_t *frame,
				       const struct wcm_regs *at)
{
	uintptr_t returns = 0;

	if (!WCM_FLIGHT_HAS_RETURNS)
		return wcm__flight_place(at->sp, 0);
	if (sled->at_entry)
		returns = *wcm__arch_sled_return(frame, at->sp + WCM_CALL_PUSHES);
	else if (at->fp == at->sp)
		returns = ((const uintptr_t *)at->fp)[1];
	return wcm__flight_place(at->sp, wcm__arch_trampoline_of(returns) < 0 ? returns : 0);
}

#endif
