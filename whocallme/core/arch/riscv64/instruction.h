/* SPDX-License-Identifier: MIT */
/* riscv64/instruction.h (SAFE) - reads the instructions that this port looks for.
 *
 * A compressed instruction is given as the one that it stands for, so that nothing else knows
 * of two lengths (RISC-V Unprivileged ISA, chapters "RV32I", "RV64I" and "C").
 */
#ifndef WCM_ARCH_INSTRUCTION_H
#define WCM_ARCH_INSTRUCTION_H

#include "core/arch/arch.h"

/* Registers by number. */
enum { WCM_X_ZERO = 0, WCM_X_RA = 1, WCM_X_SP = 2, WCM_X_T0 = 5, WCM_X_FP = 8 };

enum wcm_operation {
	WCM_OP_OTHER, /* writes RD at most, and goes on behind */
	WCM_OP_LOAD,
	WCM_OP_STORE,
	WCM_OP_STORE_ATOMIC, /* at RS1; writes RD as well */
	WCM_OP_LOAD_ATOMIC,
	WCM_OP_VECTOR_LOAD,  /* from RS1, and elsewhere */
	WCM_OP_VECTOR_STORE,
	WCM_OP_ADD_NUMBER,   /* addi */
	WCM_OP_ADD,          /* add */
	WCM_OP_HIGH,         /* lui */
	WCM_OP_PC,           /* auipc */
	WCM_OP_JUMP,         /* jal */
	WCM_OP_JUMP_TO,      /* jalr */
	WCM_OP_BRANCH,
	WCM_OP_BREAK,        /* ebreak */
};

/* Registers that are none of the general ones are given as 0, which nothing changes; so is what
 * those few write that compute with others for a general one. */
struct wcm_instruction {
	uint8_t size; /* in bytes */
	uint8_t operation; /* enum wcm_operation */
	uint8_t rd, rs1, rs2;
	uint8_t width; /* of a load or a store, in bytes */
	int32_t number;
};

/* The instruction that BITS begins with. */
struct wcm_instruction wcm__instruction_decode(uint32_t bits);

/* The instruction at PC.  False where it cannot be read. */
bool wcm__instruction_read(struct wcm_instruction *instruction, uintptr_t pc,
			   wcm_reader *read);

/* The same in front of PC, for each length, SIZE, that it can have. */
bool wcm__instruction_before(struct wcm_instruction *instruction, unsigned size, uintptr_t pc,
			     wcm_reader *read);

/* The bytes that a call leaves in ra, or, one of millicode, in t0. */
static inline bool wcm__is_call(const struct wcm_instruction *instruction)
{
	return (instruction->operation == WCM_OP_JUMP ||
		instruction->operation == WCM_OP_JUMP_TO) &&
	       (instruction->rd == WCM_X_RA || instruction->rd == WCM_X_T0);
}

#endif
