/* SPDX-License-Identifier: MIT */
/* x86/first_code.c - the code with which a function makes its frame.
 *
 * Compilers begin a function with endbr64, where that is asked for, a row of pushes and
 * one sub from the stack pointer, between which other work may begin.  What these took from
 * the stack lies between the stack pointer and the return address.  The row ends with the
 * sub and with the first instruction that is not known here, or where the function stands;
 * what a function pushes behind that is not seen, so that the return address is a claim to
 * be checked.
 */
#include "core/arch/arch.h"

#include <string.h>

#include "core/arch/x86/instruction.h"

enum { WORD = sizeof(uintptr_t), SP = 4, FP = 5 };

/* What the instructions read so far have done. */
struct prologue {
	uint64_t taken;   /* bytes of the stack */
	uint64_t fp_at;   /* what was taken when the frame pointer had been pushed; 0: it was not */
	bool is_complete; /* by a sub */
	bool has_fp;      /* mov %rsp,%rbp, or %esp,%ebp */
};

/* The length of the push at CODE, of which there are LEFT bytes; 0: it is none. */
static unsigned read_push(struct prologue *prologue, const uint8_t *code, size_t left)
{
	enum { PUSH = 0x50, HIGH_REGISTER = 0x41 };
	const unsigned high = WCM_HAS_REX && code[0] == HIGH_REGISTER;

	if (left <= high || (code[high] & 0xf8) != PUSH)
		return 0;
	prologue->taken += WORD;
	if (!high && (code[0] & 7) == FP)
		prologue->fp_at = prologue->taken;
	return high + 1;
}

/* The same of sub $x,%rsp or %esp, which is an add of -128 where that is shorter. */
static unsigned read_sub(struct prologue *prologue, const uint8_t *code, size_t left)
{
	enum { REX_W = 0x48, SHORT = 3, LONG = 6 };
	int32_t size;

	if (left < SHORT + WCM_HAS_REX || (WCM_HAS_REX && *code++ != REX_W) ||
	    (code[0] != 0x83 && code[0] != 0x81) ||
	    (code[0] == 0x81 && left < LONG + WCM_HAS_REX))
		return 0;
	if (code[0] == 0x83)
		size = (int8_t)code[2];
	else
		memcpy(&size, code + 2, sizeof(size));
	if (code[1] == 0xc4 && size > INT32_MIN)
		size = -size;
	else if (code[1] != 0xec)
		return 0;
	if (size <= 0)
		return 0;
	prologue->taken += (uint64_t)size;
	prologue->is_complete = true;
	return WCM_HAS_REX + (code[0] == 0x83 ? SHORT : LONG);
}

/* How many bytes of a number are behind the operand of OPCODE; -1: it is none of those
 * that compilers put among the pushes. */
static int number_size(uint8_t opcode)
{
	static const uint8_t without[] = { 0x01, 0x03, 0x09, 0x0b, 0x21, 0x23,
					   0x29, 0x2b, 0x31, 0x33, 0x39, 0x3b,
					   0x63, 0x85, 0x89, 0x8b, 0x8d };

	if (memchr(without, opcode, sizeof(without)))
		return 0;
	return opcode == 0x83 ? 1 : opcode == 0x81 || opcode == 0xc7 ? 4 : -1;
}

/* The same of what leaves the stack pointer as it was: a call, and what moves or
 * computes in other registers and memory. */
static unsigned read_other(struct prologue *prologue, const uint8_t *code, size_t left)
{
	enum { W = 8, R = 4, B = 1, CALL = 0xe8, MOV_NUMBER = 0xb8 };
	const unsigned prefix = wcm__is_rex(code[0]);
	const unsigned rex = prefix ? code[0] : 0;
	unsigned reg, rm;
	int number;

	if (left < prefix + 2)
		return 0;
	code += prefix;
	left -= prefix;
	if (code[0] == CALL || ((code[0] & 0xf8) == MOV_NUMBER && !(rex & W)))
		return prefix + 5;
	number = number_size(code[0]);
	if (number < 0)
		return 0;
	reg = (code[1] >> 3 & 7) | (rex & R ? 8 : 0);
	rm = code[1] >> 6 == 3 ? (code[1] & 7) | (rex & B ? 8 : 0) : 0;
	prologue->has_fp = (code[0] == 0x89 && reg == SP && rm == FP) ||
			   (code[0] == 0x8b && reg == FP && rm == SP);
	if (reg == SP || rm == SP)
		return 0;
	return prefix + 1 + wcm__operand_length(code + 1, left - 1) + (unsigned)number;
}

/* Read on to PC, or to where the row ends.  Returns where that is. */
static uintptr_t read_row(struct prologue *prologue, uintptr_t start, uintptr_t pc,
			  wcm_reader *read)
{
	enum { LONGEST = 96 };
	const size_t size = pc - start < LONGEST ? (size_t)(pc - start) : LONGEST;
	uint8_t code[LONGEST];
	size_t at = 0;
	unsigned length;

	if (size == 0 || !read(start, code, size))
		return start;
	if (size >= WCM_ENDBR_SIZE)
		at = wcm__endbr_size(code);
	while (at < size && !prologue->is_complete && !prologue->has_fp) {
		length = read_push(prologue, code + at, size - at);
		if (length == 0)
			length = read_sub(prologue, code + at, size - at);
		if (length == 0)
			length = read_other(prologue, code + at, size - at);
		if (length == 0 || length > size - at)
			break;
		at += length;
	}
	return start + at;
}

bool wcm__arch_prologue_rule(struct wcm_rule *rule, uintptr_t start, uintptr_t pc,
			     wcm_reader *read)
{
	struct prologue row = { 0 };

	if (pc < start || (read_row(&row, start, pc, read) != pc && row.taken == 0) ||
	    row.has_fp || row.taken > INT32_MAX - WORD)
		return false;
	*rule = wcm__arch_call_rule;
	rule->cfa_off += (int32_t)row.taken;
	rule->fp_saved = row.fp_at != 0;
	rule->fp_off = (int16_t)(-WORD - (int16_t)row.fp_at);
	return true;
}

/* Whether a call by a register, or by memory that one is needed for, is in front of PC. */
static bool follows_unknown_call(uintptr_t pc, wcm_reader *read)
{
	enum { DIRECT = 5, BY_RIP = 6 };
	uint8_t code[BY_RIP];

	return wcm__arch_follows_call(pc, read) && read(pc - BY_RIP, code, BY_RIP) &&
	       code[BY_RIP - DIRECT] != 0xe8 && !(code[0] == 0xff && code[1] == 0x15);
}

bool wcm__arch_can_have_called(const struct wcm_regs *caller, uintptr_t start,
			       wcm_reader *read)
{
	const struct wcm_registers called = { .pc = start };

	return wcm__arch_is_sigreturn(caller->pc, read) ||
	       wcm__arch_has_called(caller->pc, &called, 0, read) ||
	       (caller->sp % WCM_CALL_ALIGNMENT == 0 && follows_unknown_call(caller->pc, read));
}
