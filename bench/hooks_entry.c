/* SPDX-License-Identifier: MIT */
/* hooks_entry.c - the least that keeps last calls: read the counter, store 16 bytes in a small
 * ring of the thread's where a function begins.  Nobody reads it. */
#include <stdint.h>

#include "core/arch/arch.h"
#include "hooks.h"

enum { ROOM = 64 };

static __thread struct {
	uint64_t at;
	struct {
		uint64_t ticks, func;
	} event[ROOM];
} ring __attribute__((tls_model("initial-exec")));

void __cyg_profile_func_enter(void *func, void *site)
{
	uint64_t at = ring.at++ % ROOM;

	(void)site;
	ring.event[at].ticks = wcm__arch_ticks();
	ring.event[at].func = (uintptr_t)func;
}

void __cyg_profile_func_exit(void *func, void *site)
{
	(void)func, (void)site;
}
