/* SPDX-License-Identifier: MIT */
/* machine_aarch64.c - a call leaves its return address in x30.
 *
 * Instructions are told by their own masks, not by the library's (Arm Architecture Reference
 * Manual, C4.1.66: branches by immediate and by register).
 */
#include "machine.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/user.h>

#include "core/arch/arch.h"
#include "tracee.h"

enum { CALL_NUMBER = 8, LINK = 30 };

const uint16_t machine_elf = EM_AARCH64;
const uintptr_t machine_system_call_size = 4;

static const struct user_regs_struct *user(const struct registers *registers)
{
	return (const struct user_regs_struct *)registers->general;
}

uintptr_t machine_pc(const struct registers *registers)
{
	return user(registers)->pc;
}

uintptr_t machine_sp(const struct registers *registers)
{
	return user(registers)->sp;
}

const uintptr_t *machine_arguments(const struct registers *registers)
{
	return (const uintptr_t *)registers->general;
}

/* Those by register: br is 0, blr 1, ret 2, and 8 more if they authenticate. */
enum branch { JUMP, CALL, RETURN, OTHER };

static enum branch branch_of(uint32_t code)
{
	if (code >> 26 == 0x25)
		return CALL;
	return code >> 25 == 0x6b && (code >> 21 & 7) < OTHER ? (enum branch)(code >> 21 & 7)
							      : OTHER;
}

struct instruction machine_decode(const struct registers *registers)
{
	const struct user_regs_struct *regs = user(registers);
	uint32_t code = 0;
	enum branch branch;

	tracee_read(regs->pc, &code, sizeof(code));
	branch = branch_of(code);
	return (struct instruction){
		.pc = regs->pc, .sp = regs->sp, .number = regs->regs[CALL_NUMBER],
		.is_call = branch == CALL, .is_return = branch == RETURN,
		.is_jump = branch == JUMP,
		.is_system_call = (code & 0xffe0001f) == 0xd4000001,
	};
}

bool machine_called(const struct instruction *call, const struct registers *registers,
		    uintptr_t *slot, uintptr_t *ra)
{
	*slot = machine_sp(registers);
	*ra = user(registers)->regs[LINK];
	return *ra == call->pc + sizeof(uint32_t);
}

uintptr_t machine_return_address(const struct registers *registers)
{
	return wcm__arch_strip(user(registers)->regs[LINK]);
}

/* struct rt_sigframe: a siginfo_t, then the ucontext_t. */
uintptr_t machine_interrupted_slot(uintptr_t sp)
{
	return sp + sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.pc);
}

void machine_signal(struct machine_frame *frame, const struct registers *registers,
		    bool fetch_fails)
{
	const struct user_regs_struct *regs = user(registers);

	memcpy(frame->context.uc_mcontext.regs, regs->regs, sizeof(regs->regs));
	frame->context.uc_mcontext.sp = regs->sp;
	frame->context.uc_mcontext.pc = regs->pc;
	frame->context.uc_mcontext.fault_address = fetch_fails ? regs->pc : 0;
}

/* x0 to x30, sp and pc: in that order everywhere. */
void machine_from_stub(struct registers *registers, const uint64_t words[MACHINE_STUB_WORDS])
{
	memcpy(registers->general, words, MACHINE_STUB_WORDS * sizeof(*words));
}
