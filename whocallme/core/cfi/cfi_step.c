/* SPDX-License-Identifier: MIT */
/* cfi_step.c (SAFE) - applies a row: every register of the caller, or a compact rule. */
#include "core/cfi/cfi.h"

#include "core/arch/arch.h"

/* Symmetric, so that a negated offset fits as well. */
static bool fits(int64_t value, int64_t most)
{
	return value >= -most && value <= most;
}

/* Where the call has left it. */
static bool is_in_link_register(const struct wcm_saved *ra)
{
	return WCM_HAS_LINK_REGISTER && ra->kind == WCM_REG_SAME_VALUE;
}

/* A compact rule speaks of the CFA, the return address and the frame pointer, and takes for
 * granted that all else is SAME_VALUE or unknown.  So a row that moves the stack pointer in a
 * way of its own has none; rows that save other registers do, since the walk follows those by
 * whole rows, from the last frame where it knew them. */
bool wcm__cfi_compact(struct wcm_rule *rule, const struct wcm_row *row,
		      const struct wcm_fde *fde)
{
	const struct wcm_saved *cfa = &row->cfa,
			       *fp = &row->saved[WCM_COLUMN_FP],
			       *ra = &row->saved[WCM_COLUMN_RA];

	*rule = (struct wcm_rule){ 0 };
	if (fde->is_signal || fde->ra_column != WCM_COLUMN_RA)
		return false;
	if (ra->kind == WCM_REG_UNDEFINED)
		return true; /* base NONE: the outermost frame */
	if (cfa->kind != WCM_REG_REGISTER ||
	    (cfa->column != WCM_COLUMN_SP && cfa->column != WCM_COLUMN_FP) ||
	    !fits(cfa->offset, INT32_MAX) ||
	    (ra->kind != WCM_REG_OFFSET && !is_in_link_register(ra)) ||
	    !fits(ra->offset, INT16_MAX) || wcm__cfi_behind(ra) != 0 ||
	    row->saved[WCM_COLUMN_SP].kind != WCM_REG_SAME_VALUE ||
	    (fp->kind != WCM_REG_SAME_VALUE && fp->kind != WCM_REG_OFFSET) ||
	    !fits(fp->offset, INT16_MAX))
		return false;
	*rule = (struct wcm_rule){
		.base = cfa->column == WCM_COLUMN_SP ? WCM_BASE_SP
						     : WCM_BASE_FP,
		.cfa_off = (int32_t)cfa->offset,
		.ra_saved = ra->kind == WCM_REG_OFFSET,
		.ra_off = (int16_t)ra->offset,
		.fp_saved = fp->kind == WCM_REG_OFFSET,
		.fp_off = (int16_t)fp->offset,
	};
	return true;
}

/* A register that the CFA is relative to behind a call is one that the compiler knows the callee
 * not to change, whatever the ABI lets it do, as a function that aligns its stack calls the thunk
 * that tells it where it is. */
static bool get_base(const struct wcm_registers *registers, unsigned column, uintptr_t *base)
{
	if (wcm__register_get(registers, column, base))
		return true;
	if (column >= WCM_COLUMNS || !(registers->passed >> column & 1))
		return false;
	*base = registers->value[column];
	return true;
}

/* DWARF 5, 6.4.1: the CFA is a register with an offset, or an expression that starts with an
 * empty stack, where those of registers start with the CFA on it. */
static bool compute_cfa(uintptr_t *cfa, const struct wcm_saved *rule,
			const struct wcm_registers *registers,
			const struct wcm_span *stack)
{
	uintptr_t base;

	if (rule->kind == WCM_REG_VAL_EXPRESSION)
		return wcm__expr_evaluate(rule->at, rule->at + rule->size,
					  registers, stack, NULL, cfa);
	if (rule->kind != WCM_REG_REGISTER ||
	    !get_base(registers, rule->column, &base))
		return false;
	*cfa = base + (uintptr_t)rule->offset;
	return true;
}

/* The caller's value of COLUMN.  False where it is UNDEFINED, or depends on a register that is
 * not known, or lies in memory that is not the stack's.  All of the rules see the registers of
 * the callee: the caller's are collected apart, and none of them is used before the step is
 * complete. */
static bool recover(uintptr_t *value, unsigned column,
		    const struct wcm_saved *rule, uintptr_t cfa,
		    const struct wcm_registers *registers,
		    const struct wcm_span *stack)
{
	uintptr_t at = cfa + (uintptr_t)rule->offset;

	switch (rule->kind) {
	/* Few rows say where the stack pointer goes: its value in the caller is the CFA, by the
	 * definition of the CFA in all ABIs here. */
	case WCM_REG_SAME_VALUE:
		if (column == WCM_COLUMN_SP) {
			*value = cfa;
			return true;
		}
		return wcm__register_get(registers, column, value);
	case WCM_REG_OFFSET:
		return wcm__read_word(stack, at, value);
	case WCM_REG_VAL_OFFSET:
		*value = at;
		return true;
	case WCM_REG_REGISTER:
		return wcm__register_get(registers, rule->column, value);
	case WCM_REG_EXPRESSION:
		return wcm__expr_evaluate(rule->at, rule->at + rule->size,
					  registers, stack, &cfa, &at) &&
		       wcm__read_word(stack, at, value);
	case WCM_REG_VAL_EXPRESSION:
		return wcm__expr_evaluate(rule->at, rule->at + rule->size,
					  registers, stack, &cfa, value);
	}
	return false;
}

/* SAME_VALUE is also what a row says that says nothing.  Of a register that a callee may change,
 * that is no news, and its value in the caller is unknown; a signal changes none.  A callee that
 * returns by another register than the ABI's has not touched that one: routines that save the
 * registers of the function which calls them. */
static bool is_kept(unsigned column, const struct wcm_saved *rule,
		    const struct wcm_fde *fde)
{
	return fde->is_signal || rule->kind != WCM_REG_SAME_VALUE ||
	       (WCM_COLUMNS_PRESERVED >> column & 1) ||
	       (column == WCM_COLUMN_RA && fde->ra_column != WCM_COLUMN_RA);
}

static void put(struct wcm_registers *caller, unsigned column, uintptr_t value, bool kept)
{
	wcm__register_set(caller, column, value);
	if (kept)
		return;
	wcm__register_forget(caller, column);
	caller->passed |= UINT32_C(1) << column;
}

/* A caller's frame lies above its callee's; but one whose return address is in a register may
 * own no stack, and neither need one that has just given it back, nor one that returns by another
 * column than the ABI's.  A row that says itself where the caller's stack is, as those of longjmp
 * and setcontext do, leads to a place that may lie anywhere, and the walk counts how often it
 * falls. */
static bool moves_up(const struct wcm_registers *registers,
		     const struct wcm_registers *caller,
		     const struct wcm_row *row, const struct wcm_fde *fde)
{
	const struct wcm_saved *ra = &row->saved[fde->ra_column];
	uintptr_t from, to;

	return row->saved[WCM_COLUMN_SP].kind != WCM_REG_SAME_VALUE ||
	       !wcm__register_get(registers, WCM_COLUMN_SP, &from) ||
	       !wcm__register_get(caller, WCM_COLUMN_SP, &to) || to > from ||
	       (to == from && (ra->kind == WCM_REG_REGISTER || is_in_link_register(ra) ||
			       fde->ra_column != WCM_COLUMN_RA ||
			       (wcm__cfi_behind(ra) != 0 && /* only of the innermost */
				wcm__register_get(registers, WCM_COLUMN_RA, &from))));
}

enum wcm_stop wcm__cfi_step(struct wcm_registers *registers,
			    const struct wcm_row *row,
			    const struct wcm_fde *fde,
			    const struct wcm_span *stack)
{
	struct wcm_registers caller = { 0 };
	const struct wcm_saved *ra;
	uintptr_t cfa, value;

	if (fde->ra_column >= WCM_COLUMNS)
		return WCM_STOP_NO_RULE;
	ra = &row->saved[fde->ra_column];
	if (ra->kind == WCM_REG_UNDEFINED)
		return WCM_STOP_OUTERMOST;
	/* Expressions read the pc from it, those of PLT stubs to begin with. */
	if (!WCM_HAS_LINK_REGISTER)
		wcm__register_set(registers, fde->ra_column, registers->pc);
	if (!compute_cfa(&cfa, &row->cfa, registers, stack))
		return WCM_STOP_UNREADABLE;
	/* A value that cannot be had leaves its register unknown: it stops the walk only if it
	 * is the return address, or when a later row needs it. */
	for (unsigned column = 0; column < WCM_COLUMNS; column++)
		if (recover(&value, column, &row->saved[column], cfa, registers, stack))
			put(&caller, column, value, is_kept(column, &row->saved[column], fde));
	if (wcm__cfi_behind(ra) != 0 && row->saved[WCM_COLUMN_SP].kind == WCM_REG_SAME_VALUE)
		wcm__register_set(&caller, WCM_COLUMN_SP, cfa + wcm__cfi_behind(ra));
	if (!(is_kept(fde->ra_column, ra, fde) || is_in_link_register(ra)) ||
	    !recover(&value, fde->ra_column, ra, cfa, registers, stack))
		return WCM_STOP_UNREADABLE;
	/* The call has changed a register, and a signal has not. */
	if (WCM_HAS_LINK_REGISTER && !fde->is_signal)
		wcm__register_forget(&caller, fde->ra_column);
	/* The frame of a signal may lie on another stack, above or below. */
	if (!fde->is_signal && !moves_up(registers, &caller, row, fde))
		return WCM_STOP_BAD_FRAME;
	caller.pc = wcm__arch_strip(value);
	if (caller.pc == 0)
		return WCM_STOP_OUTERMOST;
	/* A step that fails changes nothing but the column of the pc. */
	*registers = caller;
	return WCM_STOP_NONE;
}
