/* SPDX-License-Identifier: MIT */
/* instruction.c - what does the next instruction do to the record of calls? */
#include "instruction.h"

#include "tracee.h"

enum { LONGEST = 15 };

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 ||
	       byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 ||
	       byte == 0x64 || byte == 0x65 || (byte & 0xf0) == 0x40;
}

struct instruction instruction_decode(const struct user_regs_struct *regs)
{
	struct instruction instruction = { .pc = regs->rip, .sp = regs->rsp,
					   .number = regs->rax };
	uint8_t code[LONGEST + 2] = { 0 };
	const uint8_t *at = code;

	tracee_read(regs->rip, code, LONGEST);
	while (at < code + LONGEST && is_prefix(*at))
		at++;
	instruction.is_call = at[0] == 0xe8 ||
			      (at[0] == 0xff && (at[1] >> 3 & 7) == 2);
	instruction.is_jump = at[0] == 0xff && (at[1] >> 3 & 7) == 4;
	instruction.is_return = at[0] == 0xc3 || at[0] == 0xc2;
	instruction.is_system_call = at[0] == 0x0f && at[1] == 0x05;
	return instruction;
}
