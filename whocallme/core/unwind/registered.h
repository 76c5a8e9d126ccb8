/* SPDX-License-Identifier: MIT */
/* registered.h (SAFE) - the frame descriptions that a run-time has registered with libgcc for
 * code that it has made. */
#ifndef WCM_UNWIND_REGISTERED_H
#define WCM_UNWIND_REGISTERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/modules/module.h"

/* From now on BEGIN is a table like .eh_frame, or, if it IS_LIST, words that each point to one, up
 * to a 0.  Nothing is read of it now.  One that finds no room is left out. */
void wcm__registered_add(uintptr_t begin, bool is_list);

/* No more. */
void wcm__registered_remove(uintptr_t begin);

/* The next table, from *SLOT on, that describes code around PC; *SLOT is 0 for the first, and is
 * moved on.  False where there is none.  The memory of all of them is the program's: it may be
 * gone, and is read with care. */
bool wcm__registered_find(struct wcm_unwind_table *table, uintptr_t pc, size_t *slot);

#endif
