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

/* The stack of DW_CFA_remember_state has a bound, for it lies on the stack of whoever captures,
 * possibly a signal's: a program that nests deeper is refused as a damaged one is. */
enum { MAX_REMEMBERED = 8 };

/* The state of a run.  ROW is what holds at LOCATION; INITIAL is the row that the CIE's
 * instructions leave, to which DW_CFA_restore goes back (DWARF 5, 6.4.2.3).  A table that is not
 * held may be unmapped between two instructions: that gives a wrong row or none, which the
 * checks of the step must catch, and never a fault. */
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

/* DW_CFA_register: the caller's value of COLUMN is in another register.  One that is not
 * followed is no error: the value is missing only if somebody asks for it. */
static void set_register(struct machine *machine, uint64_t column,
			 uint64_t other)
{
	set(machine, column, WCM_REG_REGISTER, 0);
	if (column < WCM_COLUMNS)
		machine->row.saved[column].column = clamped(other);
}

/* A bad cursor answers 0 from then on, so that the operands below need no checks: run() looks
 * once, at its end, and refuses the row. */
static uint64_t uleb(struct machine *machine)
{
	return wcm__cursor_uleb(&machine->code);
}

/* Offsets come factored by the CIE's data alignment.  The product is unsigned, since a damaged
 * table may make it overflow.  A wrong offset does no harm before the stack is read, which is in
 * bounds. */
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

/* The expression is noted where it lies and evaluated when the row is applied, if it is still in
 * the row at the pc.  The cursor bounds it, so that SIZE fits. */
static void set_expression(struct machine *machine, struct wcm_saved *saved,
			   uint8_t kind)
{
	uint64_t size = uleb(machine);

	saved->kind = kind;
	saved->at = machine->code.at;
	wcm__cursor_skip(&machine->code, size);
	saved->size = (uint32_t)(machine->code.at - saved->at);
}

/* Of a column that is not followed, the expression is stepped over all the same. */
static void set_column_expression(struct machine *machine, uint8_t kind)
{
	uint64_t column = uleb(machine);
	struct wcm_saved unused;

	set_expression(machine,
		       column < WCM_COLUMNS ? &machine->row.saved[column]
					    : &unused,
		       kind);
}

/* A column that is not followed makes a row that cannot be applied, not a damaged program: the
 * next instruction may define the CFA anew. */
static void define_cfa(struct machine *machine, uint64_t column, int64_t offset)
{
	machine->row.cfa = (struct wcm_saved){ .kind = WCM_REG_REGISTER,
					       .column = clamped(column),
					       .offset = offset };
}

/* While the CIE's own instructions run, INITIAL is all SAME_VALUE. */
static void restore(struct machine *machine, uint64_t column)
{
	if (column < WCM_COLUMNS)
		machine->row.saved[column] = machine->initial.saved[column];
}

/* DWARF 5, 6.4.2.4, speaks of register rules.  The CFA is remembered with them: compilers expect
 * it, for epilogues in the middle of a function. */
static bool remember_state(struct machine *machine)
{
	if (machine->depth == MAX_REMEMBERED)
		return false;
	machine->remembered[machine->depth++] = machine->row;
	return true;
}

/* Without a matching remember the program is damaged: there is no row to go back to. */
static bool restore_state(struct machine *machine)
{
	if (machine->depth == 0)
		return false;
	machine->row = machine->remembered[--machine->depth];
	return true;
}

/* A location that wraps, in a damaged program, does not make the run longer: that ends with the
 * instructions at the latest. */
static void advance(struct machine *machine, uint64_t by)
{
	machine->location += by * machine->fde->code_align;
}

/* This and the next two functions each know some instructions and return false for all others.
 * One that none knows has operands of unknown length: the row is given up. */
static bool advance_or_remember(struct machine *machine, uint8_t op)
{
	switch (op) {
	case CFA_NOP:
	case CFA_NEGATE_RA_STATE: /* addresses are always stripped */
	case CFA_NEGATE_RA_STATE_WITH_PC:
		return true;
	/* DW_EH_PE_funcrel is relative to the FDE's start, which bases.func is. */
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
	/* For landing pads alone: how many bytes of arguments they remove. */
	case CFA_GNU_ARGS_SIZE:
		uleb(machine);
		return true;
	}
	return false;
}

/* Offsets are unsigned and not factored but in the _SF kind (DWARF 5, 6.4.2.2), unlike those of
 * registers.  DEF_CFA_REGISTER keeps the offset, DEF_CFA_OFFSET the register; behind an
 * expression both are invalid, and make a wrong CFA at worst, which the step refuses. */
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

/* DWARF 5, 6.4.2.3.  A register without an instruction of its own keeps what the CIE says of it. */
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
	/* All that are left begin with a column; it must not be read of an unknown one. */
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
	/* Of old tables (LSB): DW_CFA_offset_extended_sf has taken over. */
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

/* The two high bits are the instruction, with its operand below; where they are 0, the low six
 * are the instruction (DWARF 5, 7.24). */
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
	/* A row holds from its location on, so what stands at the pc itself still applies. */
	wcm__cursor_init(&machine->code, at, end, machine->fde->held);
	while (!wcm__cursor_is_done(&machine->code) && machine->location <= machine->pc)
		if (!execute(machine))
			return false;
	return !machine->code.bad;
}

bool wcm__cfi_row(struct wcm_row *row, const struct wcm_fde *fde, uintptr_t pc)
{
	struct machine machine;

	/* Not zeroed as a whole: the remembered rows are most of it, and none is read before it
	 * is written, as DEPTH says. */
	machine.fde = fde;
	machine.location = fde->start;
	machine.pc = pc;
	machine.depth = 0;
	machine.row = machine.initial = (struct wcm_row){ 0 };
	/* No location is in the CIE's instructions: all of them apply. */
	if (!run(&machine, fde->common_at, fde->common_end))
		return false;
	machine.initial = machine.row;
	if (!run(&machine, fde->at, fde->instructions_end))
		return false;
	*row = machine.row;
	return true;
}

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
 * not to change, whatever the ABI lets it do: i386's main(), whose row speaks of ecx, calls a
 * thunk. */
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
