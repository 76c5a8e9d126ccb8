/* SPDX-License-Identifier: MIT */
/* record.c - how what the processor did changes the record of calls. */
#include "record.h"

#include <sys/syscall.h>

#include "tracee.h"

static void record_system_call(struct runner *runner)
{
	switch (runner->instruction.number) {
	case SYS_mmap:
#ifdef SYS_mmap2
	case SYS_mmap2:
#endif
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_mremap:
	case SYS_brk:
		tracee_remapped();
		break;
	case SYS_rt_sigreturn:
#ifdef SYS_sigreturn
	case SYS_sigreturn:
#endif
		shadow_sigreturn(runner->shadow);
		break;
	}
}

void record_instruction(struct runner *runner)
{
	const struct instruction *instruction = &runner->instruction;
	const bool jumps = instruction->is_return || instruction->is_jump;
	uintptr_t pc = machine_pc(&runner->registers), sp = machine_sp(&runner->registers);
	uintptr_t slot, ra;

	if (instruction->is_call &&
	    machine_called(instruction, &runner->registers, &slot, &ra))
		shadow_call(runner->shadow, slot, ra);
	else if (jumps)
		shadow_return(runner->shadow, instruction->sp, pc, instruction->is_return);
	else if (instruction->is_system_call)
		record_system_call(runner);
	if (sp != instruction->sp)
		runner->shadow = shadow_move(runner->shadow, sp);
	if (runner->shadow->is_arriving && jumps)
		shadow_arrive(runner->shadow, sp, pc,
			      machine_return_address(&runner->registers));
}

/* Where a handler returns to: what it interrupted, or the system call again that
 * it did. */
static uintptr_t resumption(const struct runner *runner)
{
	const uintptr_t slot = machine_interrupted_slot(machine_sp(&runner->registers));
	const uintptr_t pc = runner->instruction.pc, again = pc - machine_system_call_size;

	return tracee_word(slot) == again ? again : pc;
}

void record_handler(struct runner *runner)
{
	shadow_signal(runner->shadow, runner->instruction.sp, resumption(runner),
		      machine_sp(&runner->registers),
		      machine_return_address(&runner->registers));
}
