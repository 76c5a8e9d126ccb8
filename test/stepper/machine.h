/* SPDX-License-Identifier: MIT */
/* machine.h - what differs between CPUs: their registers, and the instructions that call and
 * return.  The file machine_CPU.c has each one's.
 */
#ifndef TEST_STEPPER_MACHINE_H
#define TEST_STEPPER_MACHINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/procfs.h>
#include <ucontext.h>

/* As ptrace(2) and core files have them. */
struct registers {
	elf_gregset_t general;
};

/* What the next instruction does to the record of calls. */
struct instruction {
	uintptr_t pc, sp;
	unsigned long number; /* of a system call */
	bool is_call, is_return, is_jump, is_system_call; /* a jump by register */
};

/* How core files name the CPU, and how many bytes its system call instruction has. */
extern const uint16_t machine_elf;
extern const uintptr_t machine_system_call_size;

uintptr_t machine_pc(const struct registers *registers);
uintptr_t machine_sp(const struct registers *registers);

/* Where ptrace(2) runs the program. */
void machine_set_pc(struct registers *registers, uintptr_t pc);

/* Those of a system call, where an emulator runs the program. */
const uintptr_t *machine_arguments(const struct registers *registers);

struct instruction machine_decode(const struct registers *registers);

/* Whether CALL, which is done, has called, and has left its return address *RA for *SLOT. */
bool machine_called(const struct instruction *call, const struct registers *registers,
		    uintptr_t *slot, uintptr_t *ra);

/* Where a function returns to that is at its first instruction. */
uintptr_t machine_return_address(const struct registers *registers);

/* Where a signal's frame has the pc that it interrupted, SP being its handler's first. */
uintptr_t machine_interrupted_slot(uintptr_t sp);

/* As the kernel puts it on a stack, or most of it. */
struct machine_frame {
	siginfo_t info;
	ucontext_t context;
};

/* A signal's machine state with these registers; if FETCH_FAILS it came because there is no
 * code. */
void machine_signal(struct machine_frame *frame, const struct registers *registers,
		    bool fetch_fails);

/* What a stub of the Remote Serial Protocol sends first of all registers. */
enum { MACHINE_STUB_WORDS = 33 };
void machine_from_stub(struct registers *registers, const uint64_t words[MACHINE_STUB_WORDS]);

#endif
