/* SPDX-License-Identifier: MIT */
/* fde.h (SAFE) - find the frame description of a pc in .eh_frame or .debug_frame. */
#ifndef WCM_CFI_FDE_H
#define WCM_CFI_FDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cfi/cursor.h"
#include "core/modules/modules.h"

/* A Frame Description Entry with what its CIE says (LSB, "Exception Frames";
 * DWARF 5, section 6.4.1).  The instructions are addresses in mapped memory. */
struct wcm_fde {
	uintptr_t start, end; /* the code it describes */
	uintptr_t common_at, common_end; /* the CIE's instructions */
	uintptr_t at, instructions_end;  /* the FDE's own */
	uintptr_t common_id_at, id_at; /* where both begin, behind their lengths */
	uint64_t code_align;
	int64_t data_align;
	uint32_t ra_column;
	uintptr_t lsda_at; /* the pointer to the language's own table, or 0 */
	uint8_t encoding; /* of pointers, as DW_EH_PE_* */
	uint8_t lsda_encoding; /* of that pointer */
	bool is_signal;   /* 'S': the caller was interrupted, not called from */
	bool has_data;    /* 'z': augmentation data precede the instructions */
	bool held;        /* as the table */
	struct wcm_pointer_bases bases;
};

/* The FDE of TABLE that describes PC.  False where none does, or where the table
 * cannot be read. */
bool wcm__fde_find(struct wcm_fde *fde, const struct wcm_unwind_table *table,
		   uintptr_t pc);

/* The entry of TABLE at *AT, which is moved on to the next one; of what is no FDE, or cannot be
 * read, START and END are 0.  False where the entries end. */
bool wcm__fde_next(struct wcm_fde *fde, uintptr_t *at, const struct wcm_unwind_table *table);

/* fde_list.c: lists the frame descriptions of a table that no linker has listed. */

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
