/* SPDX-License-Identifier: MIT */
/* machine_i386.c - a call pushes its return address; signals have two kinds of frames. */
#include "machine.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/user.h>

#include "tracee.h"

enum { LONGEST = 15 };

const uint16_t machine_elf = EM_386;
const uintptr_t machine_system_call_size = 2;

static const struct user_regs_struct *user(const struct registers *registers)
{
	return (const struct user_regs_struct *)registers->general;
}

uintptr_t machine_pc(const struct registers *registers)
{
	return (uintptr_t)user(registers)->eip;
}

void machine_set_pc(struct registers *registers, uintptr_t pc)
{
	((struct user_regs_struct *)registers->general)->eip = (long)pc;
}

uintptr_t machine_sp(const struct registers *registers)
{
	return (uintptr_t)user(registers)->esp;
}

static bool is_prefix(uint8_t byte)
{
	static const uint8_t prefixes[] = { 0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36,
					    0x3e, 0x26, 0x64, 0x65 };

	return memchr(prefixes, byte, sizeof(prefixes));
}

struct instruction machine_decode(const struct registers *registers)
{
	const struct user_regs_struct *regs = user(registers);
	struct instruction instruction = { .pc = (uintptr_t)regs->eip,
					   .sp = (uintptr_t)regs->esp,
					   .number = (unsigned long)regs->eax };
	uint8_t code[LONGEST + 2] = { 0 };
	const uint8_t *at = code;

	tracee_read(instruction.pc, code, LONGEST);
	while (at < code + LONGEST && is_prefix(*at))
		at++;
	instruction.is_call = at[0] == 0xe8 ||
			      (at[0] == 0xff && (at[1] >> 3 & 7) == 2);
	instruction.is_jump = at[0] == 0xff && (at[1] >> 3 & 7) == 4;
	instruction.is_return = at[0] == 0xc3 || at[0] == 0xc2;
	/* int $0x80; the vDSO has sysenter, or syscall, and returns behind an int as well. */
	instruction.is_system_call = (at[0] == 0xcd && at[1] == 0x80) ||
				     (at[0] == 0x0f && (at[1] == 0x34 || at[1] == 0x05));
	return instruction;
}

/* A call of the instruction behind it is how code learns where it is: that is taken off. */
bool machine_called(const struct instruction *call, const struct registers *registers,
		    uintptr_t *slot, uintptr_t *ra)
{
	*slot = machine_sp(registers);
	*ra = tracee_word(*slot);
	return *slot == call->sp - sizeof(*ra) && *ra != machine_pc(registers);
}

uintptr_t machine_return_address(const struct registers *registers)
{
	return tracee_word(machine_sp(registers));
}

/* Behind the return address and the signal, struct sigframe has the machine state; struct
 * rt_sigframe has pointers to the siginfo_t and the ucontext_t, which follow. */
uintptr_t machine_interrupted_slot(uintptr_t sp)
{
	enum { WORD = 4, SIGINFO = 128 };
	const uintptr_t info = sp + 4 * WORD, pc = REG_EIP * WORD;

	if (tracee_word(sp + 2 * WORD) == info)
		return info + SIGINFO + offsetof(ucontext_t, uc_mcontext.gregs) + pc;
	return sp + 2 * WORD + pc;
}

void machine_signal(struct machine_frame *frame, const struct registers *registers,
		    bool fetch_fails)
{
	enum { PAGE_FAULT = 14 };
	const struct user_regs_struct *regs = user(registers);
	greg_t *greg = frame->context.uc_mcontext.gregs;

	greg[REG_EDI] = (greg_t)regs->edi;
	greg[REG_ESI] = (greg_t)regs->esi;
	greg[REG_EBP] = (greg_t)regs->ebp;
	greg[REG_EBX] = (greg_t)regs->ebx;
	greg[REG_EDX] = (greg_t)regs->edx;
	greg[REG_EAX] = (greg_t)regs->eax;
	greg[REG_ECX] = (greg_t)regs->ecx;
	greg[REG_ESP] = (greg_t)regs->esp;
	greg[REG_EIP] = (greg_t)regs->eip;
	greg[REG_TRAPNO] = fetch_fails ? PAGE_FAULT : 0;
	frame->context.uc_mcontext.cr2 = fetch_fails ? (unsigned long)greg[REG_EIP] : 0;
}
