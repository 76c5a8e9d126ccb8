/* SPDX-License-Identifier: MIT */
/* cfi.h (SAFE) - run a frame description's program up to a pc. */
#ifndef WCM_CFI_CFI_H
#define WCM_CFI_CFI_H

#include "core/arch/registers.h"
#include "core/arch/rule.h"
#include "core/cfi/cursor.h"
#include "core/cfi/fde.h"
#include "core/modules/modules.h"
#include "core/os/read.h"
#include "whocallme/stack.h"

/* The register rules of DWARF 5, 6.4.1: where the caller's value of a register, or the CFA,
 * is.  SAME_VALUE is 0: a zeroed row is right for what a function must preserve. */
enum wcm_register_rule {
	WCM_REG_SAME_VALUE,     /* still in the register */
	WCM_REG_UNDEFINED,      /* nowhere */
	WCM_REG_OFFSET,         /* in memory at CFA + offset */
	WCM_REG_VAL_OFFSET,     /* it is CFA + offset */
	WCM_REG_REGISTER,       /* it is register + offset */
	WCM_REG_EXPRESSION,     /* in memory where the expression says */
	WCM_REG_VAL_EXPRESSION, /* it is what the expression says */
};

/* Small, for a program that remembers states does so on the caller's stack. */
struct wcm_saved {
	uint8_t kind;    /* enum wcm_register_rule */
	uint16_t column; /* of a REGISTER */
	uint32_t size;   /* of an expression, in bytes */
	union {
		int64_t offset;
		uintptr_t at; /* of an expression */
	};
};

/* A row of the table that a frame description stands for. */
struct wcm_row {
	struct wcm_saved cfa; /* REGISTER or VAL_EXPR */
	struct wcm_saved saved[WCM_COLUMNS];
};

/* How much of a row's frame lies behind the CFA.  Where a call leaves the return address in a
 * register, nothing is saved in the caller's frame: if it is, then code was entered with a pair
 * pushed that its description does not count, as is _dl_runtime_resolve() in glibc 2.36,
 * and what the row takes for the caller's stack pointer is too low by that. */
static inline uintptr_t wcm__cfi_behind(const struct wcm_saved *ra)
{
	enum { PAIR = 2 * sizeof(uintptr_t) };

	return WCM_HAS_LINK_REGISTER && ra->kind == WCM_REG_OFFSET && ra->offset >= 0 &&
	       ra->offset < PAIR ? PAIR : 0;
}

/* The row of FDE at PC.  False where the program is damaged. */
bool wcm__cfi_row(struct wcm_row *row, const struct wcm_fde *fde, uintptr_t pc);

/* ROW as a compact rule, where it fits one. */
bool wcm__cfi_compact(struct wcm_rule *rule, const struct wcm_row *row,
		      const struct wcm_fde *fde);

/* Move REGISTERS, of a frame on STACK, to the caller as ROW says, following
 * every register. */
enum wcm_stop wcm__cfi_step(struct wcm_registers *registers,
			    const struct wcm_row *row,
			    const struct wcm_fde *fde,
			    const struct wcm_span *stack);

/* expr.c: evaluate a DWARF expression. */

/* The value of the expression in [at, end) (DWARF 5, section 2.5) for a frame
 * with REGISTERS on STACK; INITIAL, unless NULL, is pushed first.  False where it
 * uses what call frame information may not, an unknown register, memory that
 * cannot be read, or too many steps. */
bool wcm__expr_evaluate(uintptr_t at, uintptr_t end,
			const struct wcm_registers *registers,
			const struct wcm_span *stack, const uintptr_t *initial,
			uintptr_t *value);

/* plain.c: the compact rule of a pc, straight from the bytes of a table. */

/* Find in TABLE, which is held, the rule of PC.  False where a part of what describes PC is
 * not of the kinds read here: fde.h and cfi.h have the answer then. */
bool wcm__plain_rule(struct wcm_rule *rule, const struct wcm_unwind_table *table,
		     uintptr_t pc);

/* lsda.c: finds where an exception lands that leaves a call. */

/* What awaits exceptions at a landing pad: a bit for each type, by its number in the
 * function's table, and these. */
#define WCM_LANDS_CLEANUP 0x0001u
#define WCM_LANDS_ANY     0x8000u /* every type, or more than there are bits for */

/* How a call of a function stands in its table of call sites. */
enum wcm_landing_kind {
	WCM_LANDING_UNKNOWN, /* not at all: it throws nothing */
	WCM_LANDING_NONE,    /* what it throws leaves the function */
	WCM_LANDING_PAD,
};

struct wcm_landing {
	enum wcm_landing_kind kind;
	uintptr_t pad;  /* of NONE: the nearest one that begins before the call, or 0 */
	uint32_t lands; /* WCM_LANDS_* there */
};

/* Where exceptions of the call at PC, inside FDE's code, land.  TABLE is where the FDE
 * was found, which holds the function's own table, too. */
struct wcm_landing wcm__lsda_find(const struct wcm_fde *fde,
				  const struct wcm_unwind_table *table, uintptr_t pc);

#endif
