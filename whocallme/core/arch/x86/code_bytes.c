/* SPDX-License-Identifier: MIT */
/* x86/code_bytes.c (SAFE) - what an address is, by the bytes of its code. */
#include "core/arch/arch.h"

#include <string.h>

#include "core/arch/x86/instruction.h"

enum { PAGE = 4096 }; /* of these CPUs; a larger one holds whole ones of it */

/* Whether the LENGTH bytes of CODE are one indirect call: ff /2. */
static bool is_indirect_call(const uint8_t *code, unsigned length)
{
	return code[0] == 0xff && ((code[1] >> 3) & 7) == 2 &&
	       wcm__operand_length(code + 1, length - 1) == length - 1;
}

/* The SIZE bytes in front of PC.  Code that is made at run time may begin a page
 * with no other in front of it: zeroes stand for what cannot be read there. */
static bool read_before(uintptr_t pc, uint8_t *code, size_t size, wcm_reader *read)
{
	size_t left = (pc - 1) % PAGE + 1;

	if (pc < size)
		return false;
	if (read(pc - size, code, size))
		return true;
	if (left >= size)
		return false;
	memset(code, 0, size - left);
	return read(pc - left, code + size - left, left);
}

/* The SIZE bytes from PC on, which may be the last of their page likewise. */
static bool read_behind(uintptr_t pc, uint8_t *code, size_t size, wcm_reader *read)
{
	size_t left = PAGE - pc % PAGE;

	if (read(pc, code, size))
		return true;
	if (left >= size)
		return false;
	memset(code + left, 0, size - left);
	return read(pc, code, left);
}

bool wcm__arch_follows_call(uintptr_t pc, wcm_reader *read)
{
	enum { LONGEST = 7, SHORTEST = 2 };
	uint8_t code[LONGEST];

	if (!read_before(pc, code, LONGEST, read))
		return false;
	if (code[LONGEST - 5] == 0xe8)
		return true;
	for (unsigned length = SHORTEST; length <= LONGEST; length++)
		if (is_indirect_call(code + LONGEST - length, length))
			return true;
	return false;
}

bool wcm__arch_may_follow_call(uintptr_t pc, wcm_reader *read)
{
	enum { LONGEST = 7, SHORTEST = 2, BREAKPOINT = 0xcc };
	uint8_t code[LONGEST];

	if (wcm__arch_follows_call(pc, read))
		return true;
	return read_before(pc, code, LONGEST, read) &&
	       memchr(code, BREAKPOINT, LONGEST - SHORTEST + 1) != NULL;
}

/* Register NUMBER of an instruction, as it was before the call. */
static uintptr_t before_call(const struct wcm_registers *registers,
			     unsigned number)
{
	enum { SP = 4 };
	uintptr_t value = 0;

	wcm__register_get(registers, number < 8 ? wcm__column_of[number] : number, &value);
	return number == SP ? value + sizeof(value) : value;
}

static uintptr_t displacement(const uint8_t *at, unsigned size)
{
	int32_t wide = 0;

	if (size == 1)
		return (uintptr_t)(intptr_t)(int8_t)*at;
	memcpy(&wide, at, size);
	return (uintptr_t)(intptr_t)wide;
}

/* Where the operand at CODE, a ModRM byte with what belongs to it, lies in memory;
 * the instruction ends at RA (SDM vol. 2, tables 2-2 and 2-3). */
static uintptr_t operand_address(const uint8_t *code, unsigned rex, uintptr_t ra,
				 const struct wcm_registers *registers)
{
	enum { NO_INDEX = 4, B = 1, X = 2 };
	const unsigned mod = code[0] >> 6, rm = code[0] & 7;
	const unsigned extra = rex & B ? 8 : 0;
	unsigned base = rm, index = NO_INDEX, size;
	uintptr_t address = 0;

	if (mod == 0 && rm == 5)
		return wcm__operand_base(ra) + displacement(code + 1, 4);
	code++;
	if (rm == 4) {
		base = *code & 7;
		index = (*code >> 3 & 7) | (rex & X ? 8 : 0);
		if (index != NO_INDEX)
			address = before_call(registers, index) << (*code >> 6);
		code++;
	}
	if (mod == 0 && base == 5)
		return address + displacement(code, 4);
	size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	return address + before_call(registers, base | extra) +
	       (size ? displacement(code, size) : 0);
}

/* Whether code at PC begins with a frame: endbr64, which is optional; a push, or a sub from
 * the stack pointer. */
static bool begins_frame(uintptr_t pc, wcm_reader *read)
{
	enum { LONGEST = 8, PUSH = 0x50, WIDE = 0x48, HIGH_REGISTER = 0x41 };
	uint8_t bytes[LONGEST];
	const uint8_t *code = bytes;
	bool is_high;

	if (!read_behind(pc, bytes, sizeof(bytes), read))
		return true;
	code += wcm__endbr_size(code);
	is_high = WCM_HAS_REX && *code == HIGH_REGISTER;
	if ((code[is_high] & 0xf8) == PUSH)
		return true;
	if (WCM_HAS_REX && *code++ != WIDE)
		return false;
	return (code[0] | 2) == 0x83 && code[1] == 0xec;
}

/* Whether a call of TO can be at PC, WITHIN so many bytes of it, and have no frame. */
static bool leads_to(uintptr_t to, uintptr_t pc, unsigned within, wcm_reader *read)
{
	return to == pc || (to < pc && pc - to <= within && !begins_frame(to, read));
}

/* Whether the indirect call, or jump, at CODE, REX in front of it, RA behind, led to the
 * pc, or WITHIN so many bytes of it. */
static bool has_called_by(const uint8_t *code, unsigned rex, uintptr_t ra,
			  const struct wcm_registers *registers, unsigned within,
			  wcm_reader *read)
{
	const unsigned number = (code[1] & 7) | (rex & 1 ? 8 : 0);
	uintptr_t to;

	if (code[1] >> 6 == 3)
		return leads_to(before_call(registers, number), registers->pc, within, read);
	return read(operand_address(code + 1, rex, ra, registers), &to, sizeof(to)) &&
	       leads_to(to, registers->pc, within, read);
}

/* Whether code at PC does no more than jump to the pc of REGISTERS, or WITHIN so many
 * bytes of it: a linkage stub, or a function that has nothing else to do. */
static bool jumps_to(uintptr_t pc, const struct wcm_registers *registers, unsigned within,
		     wcm_reader *read)
{
	enum { LONGEST = 16, MOST_OPERAND = 6 };
	uint8_t bytes[LONGEST];
	const uint8_t *code = bytes;
	unsigned rex = 0;

	if (!read_behind(pc, bytes, sizeof(bytes), read))
		return false;
	code += wcm__endbr_size(code);
	if (*code == 0xf2)
		code++;
	if (wcm__is_rex(*code))
		rex = *code++;
	pc += (uintptr_t)(code - bytes);
	if (code[0] == 0xe9)
		return leads_to(pc + 5 + displacement(code + 1, 4), registers->pc, within, read);
	if (code[0] != 0xff || (code[1] >> 3 & 7) != 4)
		return false;
	pc += 1 + wcm__operand_length(code + 1, MOST_OPERAND);
	return has_called_by(code, rex, pc, registers, within, read);
}

bool wcm__arch_has_called(uintptr_t ra, const struct wcm_registers *registers,
			  unsigned within, wcm_reader *read)
{
	enum { LONGEST = 8, SHORTEST = 2 };
	uint8_t code[LONGEST];
	uintptr_t to;

	if (!read_before(ra, code, LONGEST, read))
		return false;
	to = ra + displacement(code + LONGEST - 4, 4);
	if (code[LONGEST - 5] == 0xe8 &&
	    (leads_to(to, registers->pc, within, read) || jumps_to(to, registers, within, read)))
		return true;
	for (unsigned length = SHORTEST; length < LONGEST; length++) {
		const uint8_t *call = code + LONGEST - length;
		const unsigned rex = wcm__is_rex(call[-1]) ? call[-1] : 0;

		if (is_indirect_call(call, length) &&
		    (has_called_by(call, rex, ra, registers, within, read) ||
		     has_called_by(call, 0, ra, registers, within, read)))
			return true;
	}
	return false;
}

bool wcm__arch_is_return(uintptr_t pc, wcm_reader *read)
{
	enum { REP = 0xf3, BND = 0xf2, RET = 0xc3, RET_AND_POP = 0xc2 };
	uint8_t code[2];

	if (!read(pc, code, 1))
		return false;
	if (code[0] == RET || code[0] == RET_AND_POP)
		return true;
	return (code[0] == REP || code[0] == BND) &&
	       read(pc + 1, code + 1, 1) && code[1] == RET;
}

bool wcm__arch_stub_rule(struct wcm_rule *rule, uintptr_t pc, wcm_reader *read)
{
	/* The stack being that of a call: endbr64; bnd jmp *x(%rip), both prefixes optional, or,
	 * of 32 bits, by %ebx; or what comes before the name is bound: endbr64; push $number;
	 * bnd jmp first */
	enum { PREFIX = 1, PUSH = 5, LONGEST = 11 };
	uint8_t bytes[LONGEST];
	const uint8_t *code = bytes;
	bool pushes;

	*rule = wcm__arch_call_rule;
	if (!read_behind(pc, bytes, sizeof(bytes), read))
		return false;
	code += wcm__endbr_size(code);
	pushes = code[0] == 0x68;
	if (pushes)
		code += PUSH;
	if (code[0] == 0xf2)
		code += PREFIX;
	if (pushes)
		return code[0] == 0xe9;
	return code[0] == 0xff && (code[1] == 0x25 || (!WCM_HAS_REX && code[1] == 0xa3));
}

bool wcm__arch_is_sigreturn(uintptr_t pc, wcm_reader *read)
{
	enum { LONGEST = 9 };
	static const struct {
		uint8_t size, code[LONGEST];
	} trampolines[] = { WCM_SIGRETURNS };
	uint8_t code[LONGEST];

	for (size_t i = 0; i < sizeof(trampolines) / sizeof(*trampolines); i++)
		if (read(pc, code, trampolines[i].size) &&
		    memcmp(code, trampolines[i].code, trampolines[i].size) == 0)
			return true;
	return false;
}
