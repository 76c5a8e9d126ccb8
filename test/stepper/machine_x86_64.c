/* SPDX-License-Identifier: MIT */
/* machine_x86_64.c - a call pushes its return address. */
#include "machine.h"

#include <elf.h>
#include <stddef.h>
#include <sys/user.h>

#include "tracee.h"

enum { LONGEST = 15 };

const uint16_t machine_elf = EM_X86_64;
const uintptr_t machine_system_call_size = 2;

static const struct user_regs_struct *user(const struct registers *registers)
{
	return (const struct user_regs_struct *)registers->general;
}

uintptr_t machine_pc(const struct registers *registers)
{
	return user(registers)->rip;
}

void machine_set_pc(struct registers *registers, uintptr_t pc)
{
	((struct user_regs_struct *)registers->general)->rip = pc;
}

uintptr_t machine_sp(const struct registers *registers)
{
	return user(registers)->rsp;
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 ||
	       byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 ||
	       byte == 0x64 || byte == 0x65 || (byte & 0xf0) == 0x40;
}

struct instruction machine_decode(const struct registers *registers)
{
	const struct user_regs_struct *regs = user(registers);
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

bool machine_called(const struct instruction *call, const struct registers *registers,
		    uintptr_t *slot, uintptr_t *ra)
{
	*slot = machine_sp(registers);
	*ra = tracee_word(*slot);
	return *slot == call->sp - sizeof(*ra);
}

uintptr_t machine_return_address(const struct registers *registers)
{
	return tracee_word(machine_sp(registers));
}

/* struct rt_sigframe: the return address, then the ucontext_t. */
uintptr_t machine_interrupted_slot(uintptr_t sp)
{
	return sp + sizeof(uintptr_t) + offsetof(ucontext_t, uc_mcontext.gregs) +
	       REG_RIP * sizeof(greg_t);
}

void machine_signal(struct machine_frame *frame, const struct registers *registers,
		    bool fetch_fails)
{
	enum { PAGE_FAULT = 14 };
	const struct user_regs_struct *regs = user(registers);
	greg_t *greg = frame->context.uc_mcontext.gregs;

	greg[REG_R8] = (greg_t)regs->r8;
	greg[REG_R9] = (greg_t)regs->r9;
	greg[REG_R10] = (greg_t)regs->r10;
	greg[REG_R11] = (greg_t)regs->r11;
	greg[REG_R12] = (greg_t)regs->r12;
	greg[REG_R13] = (greg_t)regs->r13;
	greg[REG_R14] = (greg_t)regs->r14;
	greg[REG_R15] = (greg_t)regs->r15;
	greg[REG_RDI] = (greg_t)regs->rdi;
	greg[REG_RSI] = (greg_t)regs->rsi;
	greg[REG_RBP] = (greg_t)regs->rbp;
	greg[REG_RBX] = (greg_t)regs->rbx;
	greg[REG_RDX] = (greg_t)regs->rdx;
	greg[REG_RAX] = (greg_t)regs->rax;
	greg[REG_RCX] = (greg_t)regs->rcx;
	greg[REG_RSP] = (greg_t)regs->rsp;
	greg[REG_RIP] = (greg_t)regs->rip;
	greg[REG_TRAPNO] = fetch_fails ? PAGE_FAULT : 0;
	greg[REG_CR2] = fetch_fails ? greg[REG_RIP] : 0;
}
