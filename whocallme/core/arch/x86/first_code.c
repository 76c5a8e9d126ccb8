/* SPDX-License-Identifier: MIT */
/* x86/first_code.c (SAFE) - the code with which a function makes its frame.
 *
 * Compilers begin a function with endbr64, where that is asked for, a row of pushes and
 * one sub from the stack pointer, between which other work may begin.  What these took from
 * the stack lies between the stack pointer and the return address.  The row ends with the
 * sub and with the first instruction that is not known here, or where the function stands;
 * what a function pushes behind that is not seen, so that the return address is a claim to
 * be checked.
 *
 * Where all arguments are pushed that is so at most calls.  There the code ahead is asked
 * first: what it takes off the stack up to the function's return.
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
	enum { W = 8, R = 4, B = 1, CALL = 0xe8, MOV_NUMBER = 0xb8,
	       TO_FIRST = 0x05 /* add $x,%eax, and its like */ };
	const unsigned prefix = wcm__is_rex(code[0]);
	const unsigned rex = prefix ? code[0] : 0;
	unsigned reg, rm;
	int number;

	if (left < prefix + 2)
		return 0;
	code += prefix;
	left -= prefix;
	if (code[0] == CALL || (code[0] & 0xc7) == TO_FIRST ||
	    ((code[0] & 0xf8) == MOV_NUMBER && !(rex & W)))
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

/* What the code from the pc on takes off the stack. */
struct ahead {
	int64_t freed;
	int64_t fp_at; /* what was taken off in front of the frame pointer; below 0: it was not */
};

/* The length of the instruction at CODE if it adds to the stack pointer, or pops; 0: it
 * does not. */
static unsigned read_freeing(struct ahead *ahead, const uint8_t *code, size_t left)
{
	enum { POP = 0x58, ADD_SP = 0xc4, SHORT = 3, LONG = 6 };
	int32_t size;

	if ((code[0] & 0xf8) == POP && (code[0] & 7) != SP) {
		if ((code[0] & 7) == FP)
			ahead->fp_at = ahead->freed;
		ahead->freed += WORD;
		return 1;
	}
	if (left < LONG || (code[0] != 0x83 && code[0] != 0x81) || code[1] != ADD_SP)
		return 0;
	memcpy(&size, code + 2, sizeof(size));
	ahead->freed += code[0] == 0x83 ? (int8_t)code[2] : size;
	return code[0] == 0x83 ? SHORT : LONG;
}

/* The same of what takes from it, for the arguments of another call. */
static unsigned read_taking(struct ahead *ahead, const uint8_t *code, size_t left)
{
	enum { PUSH_NUMBER = 0x68, PUSH_BYTE = 0x6a, GROUP = 0xff, PUSH = 6 };
	struct prologue taken = { 0 };
	unsigned length = read_push(&taken, code, left);

	if (length == 0)
		length = read_sub(&taken, code, left);
	if (length == 0 && left > WORD && (code[0] == PUSH_NUMBER || code[0] == PUSH_BYTE)) {
		length = code[0] == PUSH_BYTE ? 2 : 1 + WORD;
		taken.taken = WORD;
	}
	if (length == 0 && left > 1 && code[0] == GROUP && (code[1] >> 3 & 7) == PUSH) {
		length = 1 + wcm__operand_length(code + 1, left - 1);
		taken.taken = WORD;
	}
	ahead->freed -= length ? (int64_t)taken.taken : 0;
	return length;
}

/* The size of what is behind an operand, of an instruction of two bytes, its first 0x0f, or of
 * one, for those that compilers write between calls; -1: it is none of them. */
static int number_ahead(const uint8_t *opcode, bool is_wide)
{
	static const uint8_t narrow[] = { 0x84, 0x88, 0x8a, 0x38, 0x3a, 0xd1, 0xd3, 0xf7 };
	static const uint8_t by_byte[] = { 0x80, 0x6b, 0xc0, 0xc1, 0xc6 };

	if (is_wide) /* cmov, set, imul, movz, movs */
		return (*opcode & 0xf0) == 0x40 || (*opcode & 0xf0) == 0x90 ||
				       *opcode == 0xaf || (*opcode & 0xf6) == 0xb6 ? 0 : -1;
	if (*opcode == 0xff) /* inc, dec, call */
		return (opcode[1] >> 3 & 7) <= 2 ? 0 : -1;
	if (*opcode == 0xf7 && (opcode[1] >> 3 & 7) <= 1)
		return 4;
	if (memchr(by_byte, *opcode, sizeof(by_byte)))
		return 1;
	return memchr(narrow, *opcode, sizeof(narrow)) ? 0 : *opcode == 0x69 ? 4 : -1;
}

/* The length of what leaves the stack pointer as it was, besides what stands among pushes.
 * Where a jump is conditional, the stack is the same on both ways. */
static unsigned read_between(const uint8_t *code, size_t left)
{
	enum { SEGMENT = 0x65, WIDE = 0x0f, NOP = 0x90, SHORT_JUMP = 0x70, NEAR_JUMP = 0x80,
	       INCREASE = 0x40, MOV_AT = 0xa0, TEST = 0xa8, TO_FIRST = 0x04, MOST = 16 };
	struct prologue other;
	unsigned front = 0;
	int number;

	if (left < MOST)
		return 0;
	if (*code == NOP || ((*code & 0xf0) == INCREASE && (*code & 7) != SP))
		return 1;
	if ((*code & 0xf0) == SHORT_JUMP || *code == TEST || (*code & 0xc7) == TO_FIRST)
		return 2;
	if (*code == TEST + 1)
		return 5;
	if (*code == WIDE && (code[1] & 0xf0) == NEAR_JUMP)
		return 6;
	if (code[0] == SEGMENT)
		front++;
	if ((code[front] & 0xfc) == MOV_AT)
		return front + 5;
	if (front)
		return read_other(&other, code + 1, left - 1) + 1;
	front = *code == WIDE;
	number = number_ahead(code + front, front);
	return number < 0 ? 0 : front + 1 +
		wcm__operand_length(code + front + 1, left - front - 1) + (unsigned)number;
}

/* The length of the instruction at CODE; 0: it is not known here, or goes elsewhere. */
static unsigned read_one(struct ahead *ahead, const uint8_t *code, size_t left)
{
	struct prologue other;
	unsigned length = read_freeing(ahead, code, left);

	if (length == 0)
		length = read_taking(ahead, code, left);
	if (length == 0)
		length = read_other(&other, code, left);
	return length ? length : read_between(code, left);
}

/* Where the jump at CODE, which is at PC, leads to; 0: it is none. */
static uintptr_t jump_target(const uint8_t *code, uintptr_t pc)
{
	enum { JUMP_SHORT = 0xeb, JUMP = 0xe9 };
	int32_t distance;

	if (code[0] == JUMP_SHORT)
		return pc + 2 + (uintptr_t)(intptr_t)(int8_t)code[1];
	if (code[0] != JUMP)
		return 0;
	memcpy(&distance, code + 1, sizeof(distance));
	return pc + 5 + (uintptr_t)(intptr_t)distance;
}

/* The rule that the code from PC on gives, if that leads to a return. */
static bool ahead_rule(struct wcm_rule *rule, uintptr_t pc, wcm_reader *read)
{
	enum { MOST = 200, LONGEST = 16, RETURN = 0xc3 };
	struct ahead ahead = { .fp_at = -1 };
	uint8_t code[LONGEST] = { 0 };
	uintptr_t to;
	unsigned length;

	for (int i = 0; read(pc, code, sizeof(code)) && code[0] != RETURN; i++) {
		to = jump_target(code, pc);
		length = to ? 0 : read_one(&ahead, code, sizeof(code));
		if (i == MOST || (!to && length == 0))
			return false;
		pc = to ? to : pc + length;
	}
	if (code[0] != RETURN || ahead.freed < 0 || ahead.freed > INT16_MAX)
		return false;
	*rule = wcm__arch_call_rule;
	rule->cfa_off += (int32_t)ahead.freed;
	rule->fp_saved = ahead.fp_at >= 0;
	rule->fp_off = (int16_t)(ahead.fp_at - ahead.freed - WORD);
	return true;
}

bool wcm__arch_prologue_rule(struct wcm_rule *rule, uintptr_t start, uintptr_t pc,
			     wcm_reader *read)
{
	struct prologue row = { 0 };
	uintptr_t end;

	if (pc < start)
		return false;
	end = read_row(&row, start, pc, read);
	if (row.has_fp)
		return false;
	if (WCM_CALLEE_MAY_POP && ahead_rule(rule, pc, read))
		return true;
	if ((end != pc && row.taken == 0) || row.taken > INT32_MAX - WORD)
		return false;
	*rule = wcm__arch_call_rule;
	rule->cfa_off += (int32_t)row.taken;
	rule->fp_saved = row.fp_at != 0;
	rule->fp_off = (int16_t)(-WORD - (int16_t)row.fp_at);
	return true;
}

bool wcm__arch_lacks_frame_pointer(uintptr_t start, uintptr_t pc, wcm_reader *read)
{
	enum { SUB_TO = 0x29, SUB = 0x2b, REX_W = 0x48 };
	struct prologue row = { 0 };
	uint8_t code[3] = { 0 };
	uintptr_t end;

	if (pc < start)
		return false;
	end = read_row(&row, start, pc, read);
	if (row.has_fp || (row.fp_at != 0 && !row.is_complete))
		return false;
	if (row.is_complete || end == pc)
		return true;
	/* As much as a register says. */
	return read(end, code, sizeof(code)) && (!WCM_HAS_REX || code[0] == REX_W) &&
	       ((code[WCM_HAS_REX] == SUB_TO && (code[WCM_HAS_REX + 1] & 0xc7) == 0xc4) ||
		(code[WCM_HAS_REX] == SUB && (code[WCM_HAS_REX + 1] & 0xf8) == 0xe0));
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
