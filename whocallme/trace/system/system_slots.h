/* SPDX-License-Identifier: MIT */
/* system_slots.h (SAFE) - has a system call be a function with an address and a name. */
#ifndef WCM_NAMES_SYSTEM_SLOTS_H
#define WCM_NAMES_SYSTEM_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/system/system_words.h"

/* A word for each number. */
extern const uintptr_t wcm__system_slot[WCM_SYSTEM_CALLS] __attribute__((visibility("hidden")));

/* The address by which the call NUMBER, which is known, is told of. */
static inline uintptr_t wcm__system_address(long number)
{
	return (uintptr_t)&wcm__system_slot[number];
}

/* Whether FUNC is such an address. */
static inline bool wcm__is_system_address(uintptr_t func)
{
	return func - (uintptr_t)wcm__system_slot < sizeof(wcm__system_slot);
}

/* Its call's name. */
static inline const char *wcm__system_name_at(uintptr_t func)
{
	return wcm__system_name((long)((func - (uintptr_t)wcm__system_slot) / sizeof(func)));
}

/* Have all of them be named.  False: no memory. */
bool wcm__system_slots_name(void);

#endif
