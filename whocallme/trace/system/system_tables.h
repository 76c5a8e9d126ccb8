/* SPDX-License-Identifier: MIT */
/* system_tables.h (SAFE) - what is known of system calls, made at build time of
 * system_calls.list. */
#ifndef WCM_VALUES_SYSTEM_TABLES_H
#define WCM_VALUES_SYSTEM_TABLES_H

#include <stdint.h>

#include "trace/system/system_call.h"
#include "trace/system/system_kinds.h"

/* Where a call's name begins, 0 where there is none, and its codes: the kind of its result, those
 * of its arguments, and 0.  A group's number follows WCM_KIND_group.  And where the names of its
 * classes begin, with blanks in between. */
struct wcm_system_entry {
	uint16_t name, codes, classes;
};

extern const struct wcm_system_entry wcm__system_calls[WCM_SYSTEM_CALLS]
	__attribute__((visibility("hidden")));
extern const uint8_t wcm__system_codes[] __attribute__((visibility("hidden")));
extern const char wcm__system_names[] __attribute__((visibility("hidden")));

/* A group's rows: each a value and where its name begins.  One without a name is the mask of the
 * bits that the values after it are compared in; 0: each in its own. */
struct wcm_system_group {
	uint16_t first, count;
};

extern const struct wcm_system_group wcm__system_groups[] __attribute__((visibility("hidden")));
extern const uint64_t wcm__system_values[] __attribute__((visibility("hidden")));
extern const uint16_t wcm__system_value_names[] __attribute__((visibility("hidden")));

/* The flag of an action that has a restorer; 0: the kernel's struct sigaction has none. */
extern const unsigned long wcm__system_restorer __attribute__((visibility("hidden")));

/* The number of a group of the list. */
#define WCM_GROUP(name) \
	extern const uint8_t wcm__group_##name __attribute__((visibility("hidden")))

#endif
