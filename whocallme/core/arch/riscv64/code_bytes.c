/* SPDX-License-Identifier: MIT */
/* riscv64/code_bytes.c (SAFE) - what an address is, by the bytes of its code. */
#include "core/arch/arch.h"

#include "core/arch/riscv64/instruction.h"

/* The call that ends at PC.  Two bytes that are a call may as well be the end of another
 * instruction: INDEX 0 is the one of four bytes, 1 that of two. */
static bool call_before(struct wcm_instruction *call, unsigned index, uintptr_t pc,
			wcm_reader *read)
{
	return wcm__instruction_before(call, index == 0 ? 4 : 2, pc, read) && wcm__is_call(call);
}

bool wcm__arch_follows_call(uintptr_t pc, wcm_reader *read)
{
	struct wcm_instruction call;

	return call_before(&call, 0, pc, read) || call_before(&call, 1, pc, read);
}

bool wcm__arch_may_follow_call(uintptr_t pc, wcm_reader *read)
{
	enum { EBREAK = 0x00100073, SHORT_EBREAK = 0x9002, FARTHEST = 4 };
	uint32_t code;
	uint16_t half;

	return wcm__arch_follows_call(pc, read) ||
	       (read(pc - FARTHEST, &code, sizeof(code)) && code == EBREAK) ||
	       (read(pc - FARTHEST, &half, sizeof(half)) && half == SHORT_EBREAK) ||
	       (read(pc - sizeof(half), &half, sizeof(half)) && half == SHORT_EBREAK);
}

static uintptr_t plus(uintptr_t address, int32_t number)
{
	return address + (uintptr_t)(intptr_t)number;
}

/* Whether the code from TO on, up to PC, leaves the stack pointer and the return address
 * alone, and so has begun no frame. */
static bool begins_no_frame(uintptr_t to, uintptr_t pc, wcm_reader *read)
{
	struct wcm_instruction each;

	for (; to < pc; to += each.size)
		if (!wcm__instruction_read(&each, to, read) || wcm__is_call(&each) ||
		    each.rd == WCM_X_SP || each.rd == WCM_X_RA)
			return false;
	return to == pc;
}

/* Whether a call of TO can be at PC, WITHIN so many bytes of it, and have no frame. */
static bool leads_to(uintptr_t to, uintptr_t pc, unsigned within, wcm_reader *read)
{
	return to == pc || (to < pc && pc - to <= within && begins_no_frame(to, pc, read));
}

/* Where JUMP, at AT, leads: by its own number, or together with an auipc in front, or, if it
 * has left that as it was, by a register. */
static bool target_of(uintptr_t *to, const struct wcm_instruction *jump, uintptr_t at,
		      const struct wcm_registers *registers, wcm_reader *read)
{
	struct wcm_instruction before;
	uintptr_t base;

	if (jump->operation == WCM_OP_JUMP) {
		*to = plus(at, jump->number);
		return true;
	}
	if (wcm__instruction_before(&before, 4, at, read) && before.operation == WCM_OP_PC &&
	    before.rd == jump->rs1)
		base = plus(at - 4, before.number);
	else if (jump->rs1 == jump->rd || !wcm__register_get(registers, jump->rs1, &base))
		return false;
	*to = plus(base, jump->number) & ~(uintptr_t)1;
	return true;
}

/* Whether code at PC does no more than jump to the pc of REGISTERS, or WITHIN so many bytes of
 * it: a linkage stub, or a function that has nothing else to do. */
static bool jumps_to(uintptr_t pc, const struct wcm_registers *registers, unsigned within,
		     wcm_reader *read)
{
	enum { MOST = 4 }; /* lpad; auipc; ld; jalr */
	struct wcm_instruction each;
	uintptr_t to;

	for (unsigned i = 0; i < MOST; i++, pc += each.size) {
		if (!wcm__instruction_read(&each, pc, read))
			return false;
		if (each.operation == WCM_OP_JUMP || each.operation == WCM_OP_JUMP_TO)
			return each.rd != WCM_X_RA &&
			       target_of(&to, &each, pc, registers, read) &&
			       leads_to(to, registers->pc, within, read);
		if (each.operation != WCM_OP_PC && each.operation != WCM_OP_LOAD)
			return false;
	}
	return false;
}

bool wcm__arch_has_called(uintptr_t ra, const struct wcm_registers *registers,
			  unsigned within, wcm_reader *read)
{
	struct wcm_instruction call;
	uintptr_t to;

	for (unsigned i = 0; i < 2; i++)
		if (call_before(&call, i, ra, read) &&
		    target_of(&to, &call, ra - call.size, registers, read) &&
		    (leads_to(to, registers->pc, within, read) ||
		     jumps_to(to, registers, within, read)))
			return true;
	return false;
}

/* Not one of millicode, by t0: the function that called it has a frame. */
bool wcm__arch_is_return(uintptr_t pc, wcm_reader *read)
{
	struct wcm_instruction jump;

	return wcm__instruction_read(&jump, pc, read) && jump.operation == WCM_OP_JUMP_TO &&
	       jump.rd == WCM_X_ZERO && jump.rs1 == WCM_X_RA && jump.number == 0;
}

/* auipc t3; ld t3, x(t3); jalr t1, t3; nop (psABI, "Procedure Linkage Table"): or the rest of
 * it.  And what these lead to before the name is bound, the table's first entry: auipc t2;
 * sub t1, t1, t3; ld t3, x(t2); addi t1, t1, -n; addi t0, t2, x; srli t1, t1, 1;
 * ld t0, 8(t0); jr t3. */
static bool is_stub(uintptr_t pc, wcm_reader *read)
{
	enum { T0 = 5, T1, T2, T3 = 28, MOST = 9 };
	struct wcm_instruction each;

	for (unsigned i = 0; i < MOST; i++, pc += each.size) {
		if (!wcm__instruction_read(&each, pc, read))
			return false;
		if (each.operation == WCM_OP_JUMP_TO)
			return each.rs1 == T3 && each.number == 0 &&
			       (each.rd == T1 || each.rd == WCM_X_ZERO);
		if (each.operation == WCM_OP_JUMP || each.operation == WCM_OP_BRANCH ||
		    each.operation == WCM_OP_STORE ||
		    (each.rd != WCM_X_ZERO && each.rd != T0 && each.rd != T1 &&
		     each.rd != T2 && each.rd != T3))
			return false;
	}
	return false;
}

bool wcm__arch_stub_rule(struct wcm_rule *rule, uintptr_t pc, wcm_reader *read)
{
	if (!is_stub(pc, read))
		return false;
	*rule = wcm__arch_call_rule;
	return true;
}

bool wcm__arch_is_sigreturn(uintptr_t pc, wcm_reader *read)
{
	enum { LI_A7_139 = 0x08b00893, ECALL = 0x00000073 };
	uint32_t code[2];

	return read(pc, code, sizeof(code)) && code[0] == LI_A7_139 && code[1] == ECALL;
}
