/* SPDX-License-Identifier: MIT */
/* expr.h (SAFE) - evaluate a DWARF expression. */
#ifndef WCM_CFI_EXPR_H
#define WCM_CFI_EXPR_H

#include "core/arch/registers.h"
#include "core/cfi/cursor.h"
#include "core/os/read.h"

/* The value of the expression in [at, end) (DWARF 5, section 2.5) for a frame
 * with REGISTERS on STACK; INITIAL, unless NULL, is pushed first.  False where it
 * uses what call frame information may not, an unknown register, memory that
 * cannot be read, or too many steps. */
bool wcm__expr_evaluate(uintptr_t at, uintptr_t end,
			const struct wcm_registers *registers,
			const struct wcm_span *stack, const uintptr_t *initial,
			uintptr_t *value);

#endif
