/* SPDX-License-Identifier: MIT */
/* cfi.c - run a frame description's program up to a pc.
 *
 * Call frame instructions (DWARF 5, section 6.4.2) with the GNU ones of the LSB.
 * A program is no loop: each instruction takes at least a byte of it.
 */
#include "core/cfi/cfi.h"

#include "core/arch/arch.h"
#include "core/cfi/expr.h"
#include "core/cfi/opcodes.h"

enum { MAX_REMEMBERED = 8 };

struct machine {
	const struct wcm_fde *fde;
	struct wcm_cursor code;
	uintptr_t location, pc;
	struct wcm_row row, initial;
	struct wcm_row remembered[MAX_REMEMBERED];
	unsigned depth;
};

/* Registers that are not followed have no room in a row. */
static void set(struct machine *machine, uint64_t column, uint8_t kind,
		int64_t offset)
{
	if (column < WCM_COLUMNS)
		machine->row.saved[column] =
			(struct wcm_saved){ .kind = kind, .offset = offset };
}

/* A number that no register followed here has stays one that none has. */
static uint16_t clamped(uint64_t column)
{
	return column < UINT16_MAX ? (uint16_t)column : UINT16_MAX;
}

static void set_register(struct machine *machine, uint64_t column,
			 uint64_t other)
{
	set(machine, column, WCM_REG_REGISTER, 0);
	if (column < WCM_COLUMNS)
		machine->row.saved[column].column = clamped(other);
}

static uint64_t uleb(struct machine *machine)
{
	return wcm__cursor_uleb(&machine->code);
}

/* Offsets come factored by the CIE's data alignment. */
static int64_t factored(struct machine *machine, uint64_t offset)
{
	return (int64_t)(offset * (uint64_t)machine->fde->data_align);
}

static int64_t factored_uleb(struct machine *machine)
{
	return factored(machine, uleb(machine));
}

static int64_t factored_sleb(struct machine *machine)
{
	return factored(machine, (uint64_t)wcm__cursor_sleb(&machine->code));
}

static void set_expression(struct machine *machine, struct wcm_saved *saved,
			   uint8_t kind)
{
	uint64_t size = uleb(machine);

	saved->kind = kind;
	saved->at = machine->code.at;
	wcm__cursor_skip(&machine->code, size);
	saved->size = (uint32_t)(machine->code.at - saved->at);
}

static void set_column_expression(struct machine *machine, uint8_t kind)
{
	uint64_t column = uleb(machine);
	struct wcm_saved unused;

	set_expression(machine,
		       column < WCM_COLUMNS ? &machine->row.saved[column]
					    : &unused,
		       kind);
}

static void define_cfa(struct machine *machine, uint64_t column, int64_t offset)
{
	machine->row.cfa = (struct wcm_saved){ .kind = WCM_REG_REGISTER,
					       .column = clamped(column),
					       .offset = offset };
}

static void restore(struct machine *machine, uint64_t column)
{
	if (column < WCM_COLUMNS)
		machine->row.saved[column] = machine->initial.saved[column];
}

static bool remember_state(struct machine *machine)
{
	if (machine->depth == MAX_REMEMBERED)
		return false;
	machine->remembered[machine->depth++] = machine->row;
	return true;
}

static bool restore_state(struct machine *machine)
{
	if (machine->depth == 0)
		return false;
	machine->row = machine->remembered[--machine->depth];
	return true;
}

static void advance(struct machine *machine, uint64_t by)
{
	machine->location += by * machine->fde->code_align;
}

static bool advance_or_remember(struct machine *machine, uint8_t op)
{
	switch (op) {
	case CFA_NOP:
	case CFA_NEGATE_RA_STATE: /* addresses are always stripped */
		return true;
	case CFA_SET_LOC:
		machine->location = wcm__cursor_pointer(&machine->code,
							machine->fde->encoding,
							&machine->fde->bases);
		return true;
	case CFA_ADVANCE_LOC1:
	case CFA_ADVANCE_LOC2:
	case CFA_ADVANCE_LOC4:
		advance(machine,
			wcm__cursor_unsigned(&machine->code,
					     1u << (op - CFA_ADVANCE_LOC1)));
		return true;
	case CFA_REMEMBER_STATE:
		return remember_state(machine);
	case CFA_RESTORE_STATE:
		return restore_state(machine);
	case CFA_GNU_ARGS_SIZE:
		uleb(machine);
		return true;
	}
	return false;
}

static bool define_cfa_by(struct machine *machine, uint8_t op)
{
	uint64_t column = machine->row.cfa.column;

	switch (op) {
	case CFA_DEF_CFA:
		column = uleb(machine);
		define_cfa(machine, column, (int64_t)uleb(machine));
		return true;
	case CFA_DEF_CFA_SF:
		column = uleb(machine);
		define_cfa(machine, column, factored_sleb(machine));
		return true;
	case CFA_DEF_CFA_REGISTER:
		define_cfa(machine, uleb(machine), machine->row.cfa.offset);
		return true;
	case CFA_DEF_CFA_OFFSET:
		define_cfa(machine, column, (int64_t)uleb(machine));
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		define_cfa(machine, column, factored_sleb(machine));
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		set_expression(machine, &machine->row.cfa, WCM_REG_VAL_EXPRESSION);
		return true;
	}
	return false;
}

static bool save_register(struct machine *machine, uint8_t op)
{
	uint64_t column;

	switch (op) {
	case CFA_EXPRESSION:
		set_column_expression(machine, WCM_REG_EXPRESSION);
		return true;
	case CFA_VAL_EXPRESSION:
		set_column_expression(machine, WCM_REG_VAL_EXPRESSION);
		return true;
	}
	if (op > CFA_VAL_OFFSET_SF && op != CFA_GNU_NEGATIVE_OFFSET_EXTENDED)
		return false;
	column = uleb(machine);
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set(machine, column, WCM_REG_OFFSET, factored_uleb(machine));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		set(machine, column, WCM_REG_OFFSET, factored_sleb(machine));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set(machine, column, WCM_REG_OFFSET, -factored_uleb(machine));
		return true;
	case CFA_VAL_OFFSET:
		set(machine, column, WCM_REG_VAL_OFFSET,
		    factored_uleb(machine));
		return true;
	case CFA_VAL_OFFSET_SF:
		set(machine, column, WCM_REG_VAL_OFFSET,
		    factored_sleb(machine));
		return true;
	case CFA_RESTORE_EXTENDED:
		restore(machine, column);
		return true;
	case CFA_UNDEFINED:
		set(machine, column, WCM_REG_UNDEFINED, 0);
		return true;
	case CFA_SAME_VALUE:
		set(machine, column, WCM_REG_SAME_VALUE, 0);
		return true;
	case CFA_REGISTER:
		set_register(machine, column, uleb(machine));
		return true;
	}
	return false;
}

static bool execute(struct machine *machine)
{
	uint8_t op = wcm__cursor_byte(&machine->code);
	uint8_t low = op & CFA_LOW;

	switch (op & CFA_HIGH) {
	case CFA_ADVANCE_LOC:
		advance(machine, low);
		return true;
	case CFA_OFFSET:
		set(machine, low, WCM_REG_OFFSET, factored_uleb(machine));
		return true;
	case CFA_RESTORE:
		restore(machine, low);
		return true;
	}
	return advance_or_remember(machine, op) || define_cfa_by(machine, op) ||
	       save_register(machine, op);
}

/* Run the instructions in [at, end) that apply at the pc. */
static bool run(struct machine *machine, uintptr_t at, uintptr_t end)
{
	wcm__cursor_init(&machine->code, at, end, machine->fde->held);
	while (!wcm__cursor_is_done(&machine->code) && machine->location <= machine->pc)
		if (!execute(machine))
			return false;
	return !machine->code.bad;
}

bool wcm__cfi_row(struct wcm_row *row, const struct wcm_fde *fde, uintptr_t pc)
{
	struct machine machine;

	machine.fde = fde;
	machine.location = fde->start;
	machine.pc = pc;
	machine.depth = 0;
	machine.row = machine.initial = (struct wcm_row){ 0 };
	if (!run(&machine, fde->common_at, fde->common_end))
		return false;
	machine.initial = machine.row;
	if (!run(&machine, fde->at, fde->instructions_end))
		return false;
	*row = machine.row;
	return true;
}

static bool fits(int64_t value, int64_t most)
{
	return value >= -most && value <= most;
}

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
	    !fits(cfa->offset, INT32_MAX) || ra->kind != WCM_REG_OFFSET ||
	    !fits(ra->offset, INT16_MAX) ||
	    row->saved[WCM_COLUMN_SP].kind != WCM_REG_SAME_VALUE ||
	    (fp->kind != WCM_REG_SAME_VALUE && fp->kind != WCM_REG_OFFSET) ||
	    !fits(fp->offset, INT16_MAX))
		return false;
	*rule = (struct wcm_rule){
		.base = cfa->column == WCM_COLUMN_SP ? WCM_BASE_SP
						     : WCM_BASE_FP,
		.cfa_off = (int32_t)cfa->offset,
		.ra_saved = true,
		.ra_off = (int16_t)ra->offset,
		.fp_saved = fp->kind == WCM_REG_OFFSET,
		.fp_off = (int16_t)fp->offset,
	};
	return true;
}

static bool compute_cfa(uintptr_t *cfa, const struct wcm_saved *rule,
			const struct wcm_registers *registers,
			const struct wcm_span *stack)
{
	uintptr_t base;

	if (rule->kind == WCM_REG_VAL_EXPRESSION)
		return wcm__expr_evaluate(rule->at, rule->at + rule->size,
					  registers, stack, NULL, cfa);
	if (rule->kind != WCM_REG_REGISTER ||
	    !wcm__register_get(registers, rule->column, &base))
		return false;
	*cfa = base + (uintptr_t)rule->offset;
	return true;
}

/* The caller's value of COLUMN. */
static bool recover(uintptr_t *value, unsigned column,
		    const struct wcm_saved *rule, uintptr_t cfa,
		    const struct wcm_registers *registers,
		    const struct wcm_span *stack)
{
	uintptr_t at = cfa + (uintptr_t)rule->offset;

	switch (rule->kind) {
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

static bool is_kept(unsigned column, const struct wcm_saved *rule,
		    const struct wcm_fde *fde)
{
	return fde->is_signal || rule->kind != WCM_REG_SAME_VALUE ||
	       (WCM_COLUMNS_PRESERVED >> column & 1);
}

/* A caller's frame lies above its callee's; but one whose return address is in a
 * register may own no stack.  A row that says itself where the caller's stack is,
 * as those of longjmp and setcontext do, leads to a place that may lie anywhere,
 * and the walk counts how often it falls. */
static bool moves_up(const struct wcm_registers *registers,
		     const struct wcm_registers *caller,
		     const struct wcm_row *row, const struct wcm_saved *ra)
{
	uintptr_t from, to;

	return row->saved[WCM_COLUMN_SP].kind != WCM_REG_SAME_VALUE ||
	       !wcm__register_get(registers, WCM_COLUMN_SP, &from) ||
	       !wcm__register_get(caller, WCM_COLUMN_SP, &to) || to > from ||
	       (to == from && ra->kind == WCM_REG_REGISTER);
}

enum wcm_stop wcm__cfi_step(struct wcm_registers *registers,
			    const struct wcm_row *row,
			    const struct wcm_fde *fde,
			    const struct wcm_span *stack)
{
	struct wcm_registers caller = { 0 };
	uintptr_t cfa, value;

	if (fde->ra_column >= WCM_COLUMNS)
		return WCM_STOP_NO_RULE;
	if (row->saved[fde->ra_column].kind == WCM_REG_UNDEFINED)
		return WCM_STOP_OUTERMOST;
	/* Expressions read the pc from it, those of PLT stubs to begin with. */
	wcm__register_set(registers, fde->ra_column, registers->pc);
	if (!compute_cfa(&cfa, &row->cfa, registers, stack))
		return WCM_STOP_UNREADABLE;
	for (unsigned column = 0; column < WCM_COLUMNS; column++)
		if (is_kept(column, &row->saved[column], fde) &&
		    recover(&value, column, &row->saved[column], cfa, registers,
			    stack))
			wcm__register_set(&caller, column, value);
	if (!wcm__register_get(&caller, fde->ra_column, &value))
		return WCM_STOP_UNREADABLE;
	if (!fde->is_signal &&
	    !moves_up(registers, &caller, row, &row->saved[fde->ra_column]))
		return WCM_STOP_BAD_FRAME;
	caller.pc = wcm__arch_strip(value);
	if (caller.pc == 0)
		return WCM_STOP_OUTERMOST;
	*registers = caller;
	return WCM_STOP_NONE;
}
