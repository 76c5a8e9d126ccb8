/* SPDX-License-Identifier: MIT */
/* sled_enter.h - what the call in a sled comes to. */
#ifndef WCM_SLED_SLED_ENTER_H
#define WCM_SLED_SLED_ENTER_H

#include "core/arch/arch.h"

wcm_sled_hook wcm__sled_entered;

/* What it comes to first. */
wcm_sled_first wcm__sled_passed;
wcm_sled_return wcm__sled_returned;

/* Where the dynamic linker's call comes from instead, and what is called then. */
struct wcm_sled_linker {
	uintptr_t pc;
	void (*changed)(void);
};
extern struct wcm_sled_linker wcm__sled_linker __attribute__((visibility("hidden")));

#endif
