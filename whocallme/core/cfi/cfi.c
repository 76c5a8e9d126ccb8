/* SPDX-License-Identifier: MIT */
/* cfi.c (SAFE) - finds the row of call frame information for a pc.
 *
 * Call frame instructions (DWARF 5, section 6.4.2) with the GNU ones of the LSB.
 * A program is no loop: each instruction takes at least a byte of it.
 */
#include "core/cfi/cfi.h"

#include "core/arch/arch.h"
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
