/* SPDX-License-Identifier: MIT */
/* fde.h (SAFE) - find the frame description of a pc in .eh_frame or .debug_frame. */
#ifndef WCM_CFI_FDE_H
#define WCM_CFI_FDE_H

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

#endif
