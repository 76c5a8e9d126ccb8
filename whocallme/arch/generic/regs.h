/* SPDX-License-Identifier: MIT */
/* generic/regs.h - a CPU without a port: no rule leads further up. */
#ifndef WCM_ARCH_REGS_H
#define WCM_ARCH_REGS_H

#include <errno.h>

static inline uintptr_t wcm__arch_strip(uintptr_t ra)
{
	return (uintptr_t)__builtin_extract_return_addr((void *)ra);
}

static const struct wcm_rule wcm__arch_frame_rule = { .base = WCM_BASE_NONE };
static const struct wcm_rule wcm__arch_call_rule = { .base = WCM_BASE_NONE };

__attribute__((always_inline)) static inline void
wcm__arch_registers_here(struct wcm_registers *registers)
{
	registers->pc = 0;
	registers->known = 0;
}

static inline bool wcm__arch_call_on(void *top, void (*function)(void *argument),
				     void *argument)
{
	(void)top, (void)function, (void)argument;
	return false;
}

static inline long wcm__arch_clone(long flags, void *top,
				   long (*function)(void *argument),
				   void *argument)
{
	(void)flags, (void)top, (void)function, (void)argument;
	return -ENOSYS;
}

#endif
