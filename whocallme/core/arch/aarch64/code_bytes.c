/* SPDX-License-Identifier: MIT */
/* aarch64/code_bytes.c (SAFE) - what an address is, by the instructions there. */
#include "core/arch/arch.h"

#include "core/arch/aarch64/instruction.h"
#include "encoding.h"

static bool read_code(uintptr_t pc, uint32_t *code, wcm_reader *read)
{
	return pc % WCM_INSTRUCTION == 0 && read(pc, code, sizeof(*code));
}

bool wcm__arch_follows_call(uintptr_t pc, wcm_reader *read)
{
	uint32_t code;

	return read_code(pc - WCM_INSTRUCTION, &code, read) &&
	       (wcm__is_bl(code) || wcm__is_by_register(code, WCM_BLR));
}

bool wcm__arch_may_follow_call(uintptr_t pc, wcm_reader *read)
{
	enum { BRK = 0xd4200000, OPERAND = 0x1fffe0 };
	uint32_t code;

	return wcm__arch_follows_call(pc, read) ||
	       (read_code(pc - WCM_INSTRUCTION, &code, read) && (code & ~(uint32_t)OPERAND) == BRK);
}

/* Whether code at PC begins with a frame, behind what says that it may be called. */
static bool begins_frame(uintptr_t pc, wcm_reader *read)
{
	enum { MOST_HINTS = 4 };
	uint32_t code;

	for (int i = 0; i < MOST_HINTS; i++, pc += WCM_INSTRUCTION) {
		if (!read_code(pc, &code, read))
			return true;
		if (!wcm__is_hint(code))
			break;
	}
	/* sub sp, sp; a store of two registers or one in front of sp, which is moved there */
	return (code & 0xff8003ff) == 0xd10003ff ||
	       (wcm__pair(code) == WCM_PAIR_FIRST && wcm__rn(code) == WCM_SP) ||
	       (code & 0xffe00fe0) == 0xf8000fe0;
}

/* Whether a call of TO can be at PC, WITHIN so many bytes of it, and have no frame. */
static bool leads_to(uintptr_t to, uintptr_t pc, unsigned within, wcm_reader *read)
{
	return to == pc || (to < pc && pc - to <= within && !begins_frame(to, read));
}

/* Where code at PC jumps to if it does nothing else: a linkage stub, by its slot; a linker's
 * veneer; or a function that has nothing else to do. */
static bool jump_of(uintptr_t pc, uintptr_t *to, wcm_reader *read)
{
	enum { LONGEST = 6 };
	uintptr_t page, at, slot = 0;
	uint32_t code;

	if (!read_code(pc, &code, read))
		return false;
	if (wcm__is_landing(code) && !read_code(pc += WCM_INSTRUCTION, &code, read))
		return false;
	if (wcm__is_b(code)) {
		*to = wcm__branch_target(code, pc);
		return true;
	}
	if (!wcm__is_adrp(code) || wcm__rd(code) != WCM_X16)
		return false;
	at = page = wcm__adrp_page(code, pc);
	for (int i = 1; i < LONGEST; i++) {
		if (!read_code(pc += WCM_INSTRUCTION, &code, read))
			return false;
		if (wcm__is_ldr(code) && wcm__rn(code) == WCM_X16 && wcm__rd(code) == WCM_X17)
			slot = page + wcm__field(code, 10, 12) * sizeof(slot);
		else if (wcm__is_add(code) && wcm__rd(code) == WCM_X16 && wcm__rn(code) == WCM_X16)
			at += wcm__number(code);
		else if (!wcm__is_hint(code))
			break;
	}
	if (!wcm__is_by_register(code, WCM_BR))
		return false;
	*to = at;
	if (wcm__rn(code) == WCM_X16)
		return slot == 0;
	return wcm__rn(code) == WCM_X17 && slot != 0 && read(slot, to, sizeof(*to));
}

/* Whether a call of TO led to the pc of REGISTERS, by a stub or by itself. */
static bool leads_there(uintptr_t to, const struct wcm_registers *registers, unsigned within,
			wcm_reader *read)
{
	uintptr_t further;

	return leads_to(to, registers->pc, within, read) ||
	       (jump_of(to, &further, read) &&
		leads_to(wcm__arch_strip(further), registers->pc, within, read));
}

bool wcm__arch_has_called(uintptr_t ra, const struct wcm_registers *registers,
			  unsigned within, wcm_reader *read)
{
	const uintptr_t pc = ra - WCM_INSTRUCTION;
	uintptr_t to;
	uint32_t code;

	if (!read_code(pc, &code, read))
		return false;
	if (wcm__is_bl(code))
		return leads_there(wcm__branch_target(code, pc), registers, within, read);
	/* x30 has the return address in place of what it had. */
	return wcm__is_by_register(code, WCM_BLR) && wcm__rn(code) < WCM_X30 &&
	       wcm__register_get(registers, wcm__rn(code), &to) &&
	       leads_there(wcm__arch_strip(to), registers, within, read);
}

bool wcm__arch_is_return(uintptr_t pc, wcm_reader *read)
{
	uint32_t code;

	return read_code(pc, &code, read) && wcm__is_ret(code);
}

/* adrp x16; ldr x17, [x16]; add x16, x16: how a stub finds where to jump; of a far jump's that
 * sleds lead to, ldr x17, .+8. */
static bool is_of_stub(uint32_t code)
{
	if (code == WCM_LDR_X17_8)
		return true;
	if (wcm__is_ldr(code))
		return wcm__rd(code) == WCM_X17 && wcm__rn(code) == WCM_X16;
	return wcm__rd(code) == WCM_X16 &&
	       (wcm__is_adrp(code) || (wcm__is_add(code) && wcm__rn(code) == WCM_X16));
}

/* What the first stub of a table, which has a name bound, begins with, by which it saves the
 * return address: stp x16, x30, [sp, #-16]! */
static bool is_push(uint32_t code)
{
	return code == 0xa9bf7bf0;
}

/* Whether PC is in the stub of a sled. */
static bool is_in_sled_stub(uintptr_t pc, wcm_reader *read)
{
	uint32_t code[WCM_SLED_STUB / WCM_INSTRUCTION];

	for (uintptr_t at = pc; at > pc - sizeof(code); at -= WCM_INSTRUCTION)
		if (read(at, code, sizeof(code)) && code[0] == WCM_ADR_X16_8 &&
		    wcm__is_b(code[1]) && wcm__is_b(code[2]))
			return true;
	return false;
}

bool wcm__arch_stub_rule(struct wcm_rule *rule, uintptr_t pc, wcm_reader *read)
{
	enum { LONGEST = 6, PUSHED = 16, RA_AT = -8 };
	uintptr_t at = pc;
	uint32_t code = 0;

	if (is_in_sled_stub(pc, read)) {
		*rule = wcm__arch_call_rule;
		return true;
	}
	for (int i = 0; i < LONGEST; i++, at += WCM_INSTRUCTION)
		/* bti in front of these, and behind them what authenticates */
		if (!read_code(at, &code, read) ||
		    !(is_of_stub(code) || wcm__is_hint(code) || is_push(code)))
			break;
	if (!wcm__is_by_register(code, WCM_BR) || wcm__rn(code) != WCM_X17)
		return false;
	*rule = wcm__arch_call_rule;
	do {
		pc -= WCM_INSTRUCTION;
		if (!read_code(pc, &code, read))
			return true;
	} while (is_of_stub(code));
	if (is_push(code)) {
		rule->cfa_off = PUSHED;
		rule->ra_saved = true;
		rule->ra_off = RA_AT;
	}
	return true;
}

bool wcm__arch_is_sigreturn(uintptr_t pc, wcm_reader *read)
{
	uint32_t code[2];

	return pc % WCM_INSTRUCTION == 0 && read(pc, code, sizeof(code)) &&
	       code[0] == WCM_SIGRETURN_FIRST && code[1] == WCM_SIGRETURN_SECOND;
}
