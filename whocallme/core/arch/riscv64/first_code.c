/* SPDX-License-Identifier: MIT */
/* riscv64/first_code.c (SAFE) - the code with which a function makes its frame.
 *
 * Compilers begin a function with an addi to the stack pointer, or two, and stores of ra, s0
 * and others from there, between which other work may begin.  It is read up to where the
 * function stands, or to the first jump or branch; what a function takes behind that is not
 * seen, so that the return address is a claim to be checked.
 */
#include "core/arch/arch.h"

#include "core/arch/riscv64/instruction.h"

enum { WORD = sizeof(uintptr_t) };

/* What the instructions read so far have done. */
struct prologue {
	int64_t taken;       /* bytes of the stack */
	int64_t ra_at, fp_at; /* how far below its beginning they are saved; 0: they are not */
	int64_t number[32];  /* in each register that is of NUMBERED, bits by register */
	uint32_t numbered;
	bool has_fp;
};

static bool is_numbered(const struct prologue *prologue, uint8_t x)
{
	return prologue->numbered >> x & 1;
}

/* Note a number in a register: of lui, of addi to one that is known, or of both, between which
 * the compiler may have put others. */
static void read_number(struct prologue *prologue, const struct wcm_instruction *each)
{
	const bool is_sum = each->operation == WCM_OP_ADD_NUMBER;

	if (each->rd == WCM_X_ZERO)
		return;
	if (each->operation != WCM_OP_HIGH && !(is_sum && is_numbered(prologue, each->rs1))) {
		prologue->numbered &= ~(UINT32_C(1) << each->rd);
		return;
	}
	prologue->number[each->rd] = (is_sum ? prologue->number[each->rs1] : 0) + each->number;
	prologue->numbered |= UINT32_C(1) << each->rd;
}

/* What EACH writes is the stack pointer.  False where it is not known by how much. */
static bool read_take(struct prologue *prologue, const struct wcm_instruction *each)
{
	if (each->rs1 != WCM_X_SP)
		return false;
	if (each->operation == WCM_OP_ADD_NUMBER)
		prologue->taken -= each->number;
	else if (each->operation == WCM_OP_ADD && is_numbered(prologue, each->rs2))
		prologue->taken -= prologue->number[each->rs2];
	else
		return false;
	return prologue->taken >= 0;
}

/* A register that is saved, or is had back. */
static void read_save(struct prologue *prologue, const struct wcm_instruction *each)
{
	const bool is_store = each->operation == WCM_OP_STORE;
	const uint8_t saved = is_store ? each->rs2 : each->rd;
	const int64_t at = is_store ? prologue->taken - each->number : 0;

	if ((!is_store && each->operation != WCM_OP_LOAD) || each->rs1 != WCM_X_SP ||
	    each->width != WORD)
		return;
	if (saved == WCM_X_RA)
		prologue->ra_at = at;
	else if (saved == WCM_X_FP && (!is_store || prologue->fp_at == 0))
		prologue->fp_at = at;
}

/* False: the row ends in front of EACH. */
static bool read_one(struct prologue *prologue, const struct wcm_instruction *each)
{
	if (each->operation == WCM_OP_JUMP || each->operation == WCM_OP_JUMP_TO ||
	    each->operation == WCM_OP_BRANCH || each->operation == WCM_OP_BREAK)
		return false;
	if (each->rd == WCM_X_SP)
		return read_take(prologue, each);
	read_save(prologue, each);
	read_number(prologue, each);
	if (each->rd == WCM_X_FP)
		prologue->has_fp = each->operation == WCM_OP_ADD_NUMBER && each->rs1 == WCM_X_SP;
	return true;
}

/* Read on to PC, or to where the row ends.  Returns where that is. */
static uintptr_t read_row(struct prologue *prologue, uintptr_t start, uintptr_t pc,
			  wcm_reader *read)
{
	enum { LONGEST = 256 };
	const uintptr_t end = pc - start < LONGEST ? pc : start + LONGEST;
	struct wcm_instruction each;

	while (start < end && wcm__instruction_read(&each, start, read) &&
	       read_one(prologue, &each))
		start += each.size;
	return start;
}

/* Whether the instruction in front of PC gives back all of a frame: what is there leaves the
 * function. */
static bool has_given_back(const struct prologue *row, uintptr_t pc, wcm_reader *read)
{
	struct wcm_instruction before;

	for (unsigned size = 2; size <= 4 && row->taken != 0; size += 2)
		if (wcm__instruction_before(&before, size, pc, read) &&
		    before.operation == WCM_OP_ADD_NUMBER && before.rd == WCM_X_SP &&
		    before.rs1 == WCM_X_SP && before.number == row->taken)
			return true;
	return false;
}

/* Of a function with a frame pointer the chain tells, unless it is a leaf, in whose frame no
 * return address is. */
bool wcm__arch_prologue_rule(struct wcm_rule *rule, uintptr_t start, uintptr_t pc,
			     wcm_reader *read)
{
	struct prologue row = { .numbered = 1 << WCM_X_ZERO };

	if (pc < start || (read_row(&row, start, pc, read) != pc && row.taken == 0))
		return false;
	if (has_given_back(&row, pc, read)) {
		*rule = wcm__arch_call_rule;
		return true;
	}
	if ((row.has_fp && row.ra_at != 0) || row.taken > INT32_MAX || row.ra_at > INT16_MAX ||
	    row.fp_at > INT16_MAX)
		return false;
	*rule = (struct wcm_rule){
		.base = WCM_BASE_SP,
		.cfa_off = (int32_t)row.taken,
		.ra_saved = row.ra_at != 0,
		.ra_off = (int16_t)-row.ra_at,
		.fp_saved = row.fp_at != 0,
		.fp_off = (int16_t)-row.fp_at,
	};
	return true;
}

/* Whether a call by a register is in front of PC, whose value cannot be known any more. */
static bool follows_unknown_call(uintptr_t pc, wcm_reader *read)
{
	struct wcm_instruction call, before;

	for (unsigned size = 2; size <= 4; size += 2)
		if (wcm__instruction_before(&call, size, pc, read) &&
		    call.operation == WCM_OP_JUMP_TO && call.rd == WCM_X_RA &&
		    !(wcm__instruction_before(&before, 4, pc - size, read) &&
		      before.operation == WCM_OP_PC && before.rd == call.rs1))
			return true;
	return false;
}

bool wcm__arch_lacks_frame_pointer(uintptr_t start, uintptr_t pc, wcm_reader *read)
{
	(void)start, (void)pc, (void)read;
	return false;
}

bool wcm__arch_can_have_called(const struct wcm_regs *caller, uintptr_t start,
			       wcm_reader *read)
{
	enum { STACK_ALIGNMENT = 16 }; /* psABI, "Integer Calling Convention" */
	const struct wcm_registers called = { .pc = start };

	return wcm__arch_is_sigreturn(caller->pc, read) ||
	       wcm__arch_has_called(caller->pc, &called, 0, read) ||
	       (caller->sp % STACK_ALIGNMENT == 0 && follows_unknown_call(caller->pc, read));
}
