/* SPDX-License-Identifier: MIT */
/* generic/regs.h (SAFE) - a CPU without a port: no rule leads further up. */
#ifndef WCM_ARCH_REGS_H
#define WCM_ARCH_REGS_H

#include <errno.h>

#include "core/arch/generic/library_stub.h"
#include "core/arch/generic/no_sleds.h"

enum { WCM_PASSED_IS_KNOWN = 0 };

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

/* Frames grow down, and a callee's lies below: near enough to tell whose is gone. */
#define WCM_ARCH_CALLER()                                                     \
	((struct wcm_regs){                                                   \
		.pc = wcm__arch_strip((uintptr_t)__builtin_return_address(0)), \
		.sp = (uintptr_t)__builtin_frame_address(0),                  \
	})

static inline uint64_t wcm__arch_ticks(void)
{
	return 0;
}

static inline uint32_t wcm__arch_take_index(uint32_t *index)
{
	return (*index)++;
}

static inline bool wcm__arch_ticks_are_steady(void)
{
	return false;
}

static inline bool wcm__arch_call_on(void *top, void (*function)(void *argument),
				     void *argument)
{
	(void)top, (void)function, (void)argument;
	return false;
}

static inline uintptr_t wcm__arch_thread_pointer(void)
{
	return 0;
}

static inline long wcm__arch_spawn(long flags, void *top, void *tls,
				   void (*function)(void))
{
	(void)flags, (void)top, (void)tls, (void)function;
	return -ENOSYS;
}

static inline long wcm__arch_clone(long flags, void *top,
				   long (*function)(void *argument),
				   void *argument)
{
	(void)flags, (void)top, (void)function, (void)argument;
	return -ENOSYS;
}

#endif
