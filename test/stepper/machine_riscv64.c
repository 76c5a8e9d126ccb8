/* SPDX-License-Identifier: MIT */
/* machine_riscv64.c - a call leaves its return address in ra.
 *
 * Instructions are told by their own masks, not by the library's (The RISC-V Instruction Set
 * Manual I, 2.5 and 16.4).  What is called by t0, routines that save registers for a function,
 * is a part of that function.
 */
#include "machine.h"

#include <elf.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "tracee.h"

/* Registers by number; the pc is in the place of the first, which is always 0. */
enum { PC = 0, RA = 1, SP = 2, A0 = 10, A7 = 17 };

const uint16_t machine_elf = EM_RISCV;
const uintptr_t machine_system_call_size = 4;

uintptr_t machine_pc(const struct registers *registers)
{
	return registers->general[PC];
}

uintptr_t machine_sp(const struct registers *registers)
{
	return registers->general[SP];
}

const uintptr_t *machine_arguments(const struct registers *registers)
{
	return &registers->general[A0];
}

/* jalr, jal; c.jr, c.jalr: to where a register says, or at a distance; LINK is the register
 * that gets the return address. */
static bool jumps(uint32_t code, unsigned *link, unsigned *by)
{
	const unsigned first = code >> 7 & 31;

	*link = *by = 0;
	if ((code & 0x7f) == 0x6f || (code & 0x707f) == 0x67) {
		*link = first;
		*by = (code & 0x7f) == 0x67 ? code >> 15 & 31 : 0;
		return true;
	}
	*by = first;
	*link = (code & 0xf07f) == 0x9002 ? RA : 0;
	return ((code & 0xf07f) == 0x8002 || (code & 0xf07f) == 0x9002) && first != 0;
}

struct instruction machine_decode(const struct registers *registers)
{
	struct instruction instruction = { .pc = machine_pc(registers),
					   .sp = machine_sp(registers),
					   .number = registers->general[A7] };
	unsigned link, by;
	uint32_t code = 0;

	if (tracee_read(instruction.pc, &code, sizeof(code)) < sizeof(code))
		tracee_read(instruction.pc, &code, sizeof(code) / 2);
	instruction.is_system_call = code == 0x73;
	if (!jumps(code, &link, &by))
		return instruction;
	instruction.is_call = link == RA;
	instruction.is_return = link == 0 && by == RA;
	instruction.is_jump = link == 0 && by != 0 && by != RA;
	return instruction;
}

bool machine_called(const struct instruction *call, const struct registers *registers,
		    uintptr_t *slot, uintptr_t *ra)
{
	*slot = machine_sp(registers);
	*ra = registers->general[RA];
	return *ra == call->pc + 4 || *ra == call->pc + 2;
}

uintptr_t machine_return_address(const struct registers *registers)
{
	return registers->general[RA];
}

/* struct rt_sigframe: a siginfo_t, then the ucontext_t. */
uintptr_t machine_interrupted_slot(uintptr_t sp)
{
	return sp + sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.__gregs);
}

/* The state says nothing of a fault, the siginfo_t does. */
void machine_signal(struct machine_frame *frame, const struct registers *registers,
		    bool fetch_fails)
{
	memcpy(frame->context.uc_mcontext.__gregs, registers->general,
	       sizeof(registers->general));
	frame->info = (siginfo_t){ .si_signo = fetch_fails ? SIGSEGV : 0,
				   .si_code = fetch_fails ? SEGV_MAPERR : 0 };
	frame->info.si_addr = (void *)(fetch_fails ? machine_pc(registers) : 0);
}

/* x0 to x31, then the pc. */
void machine_from_stub(struct registers *registers, const uint64_t words[MACHINE_STUB_WORDS])
{
	memcpy(registers->general, words, sizeof(registers->general));
	registers->general[PC] = words[MACHINE_STUB_WORDS - 1];
}
