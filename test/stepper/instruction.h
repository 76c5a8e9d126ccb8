/* SPDX-License-Identifier: MIT */
/* instruction.h - what does the next instruction do to the record of calls? */
#ifndef TEST_STEPPER_INSTRUCTION_H
#define TEST_STEPPER_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

struct instruction {
	uintptr_t pc, sp;
	unsigned long number; /* of a system call */
	bool is_call, is_return, is_jump, is_system_call; /* a jump by register */
};

struct instruction instruction_decode(const struct user_regs_struct *regs);

#endif
