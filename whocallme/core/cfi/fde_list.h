/* SPDX-License-Identifier: MIT */
/* fde_list.h (SAFE) - lists the frame descriptions of a table that no linker has listed. */
#ifndef WCM_CFI_FDE_LIST_H
#define WCM_CFI_FDE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cfi/fde.h"

struct wcm_fde_list {
	struct wcm_fde_pair *pair; /* the caller's: room for as many as ENTRIES, or as all */
	size_t count;
	size_t entries;     /* how many entries may yet be looked at */
	uintptr_t lo, hi;   /* FDEs of code outside are left out */
	uintptr_t code_end; /* of the code of those that are listed */
	bool is_unsorted;
};

/* Add the FDEs of TABLE, from its start on.  Returns where its entries end. */
uintptr_t wcm__fde_list(struct wcm_fde_list *list, const struct wcm_unwind_table *table);

/* By their code, as a table's INDEX is. */
void wcm__fde_list_sort(struct wcm_fde_list *list);

#endif
