/* SPDX-License-Identifier: MIT */
/* riscv64/instruction.c (SAFE) - decodes the instructions that this port looks for. */
#include "core/arch/riscv64/instruction.h"

/* Bits LOW and up of BITS, COUNT of them. */
static uint32_t field(uint32_t bits, unsigned low, unsigned count)
{
	return bits >> low & ((1u << count) - 1);
}

/* The same, as a part of a number that goes from AT on. */
static uint32_t part(uint32_t bits, unsigned low, unsigned count, unsigned at)
{
	return field(bits, low, count) << at;
}

/* A number of COUNT bits, the highest of which is the sign. */
static int32_t signed_of(uint32_t bits, unsigned count)
{
	return (int32_t)(bits << (32 - count)) >> (32 - count);
}

static int32_t load_number(uint32_t bits)
{
	return signed_of(field(bits, 20, 12), 12);
}

static int32_t store_number(uint32_t bits)
{
	return signed_of(part(bits, 25, 7, 5) | part(bits, 7, 5, 0), 12);
}

static int32_t high_number(uint32_t bits)
{
	return (int32_t)(bits & ~UINT32_C(0xfff));
}

static int32_t jump_number(uint32_t bits)
{
	return signed_of(part(bits, 31, 1, 20) | part(bits, 12, 8, 12) | part(bits, 20, 1, 11) |
				 part(bits, 21, 10, 1),
			 21);
}

/* Loads and stores of floating-point registers; those of vectors have the other widths. */
static void decode_fp(struct wcm_instruction *to, uint32_t bits, bool is_store)
{
	const uint32_t width = field(bits, 12, 3);

	to->rd = to->rs2 = 0;
	if (width == 0 || width > 4) {
		to->operation = is_store ? WCM_OP_VECTOR_STORE : WCM_OP_VECTOR_LOAD;
		return;
	}
	to->operation = is_store ? WCM_OP_STORE : WCM_OP_LOAD;
	to->number = is_store ? store_number(bits) : load_number(bits);
}

static void set(struct wcm_instruction *to, enum wcm_operation operation, int32_t number)
{
	to->operation = (uint8_t)operation;
	to->number = number;
}

/* By the opcode, without its two lowest bits (table "RISC-V base opcode map"), as far as
 * there is a number in the instruction. */
static void decode_number(struct wcm_instruction *to, uint32_t bits)
{
	switch (field(bits, 2, 5)) {
	case 0x00:
		set(to, WCM_OP_LOAD, load_number(bits));
		break;
	case 0x01:
		decode_fp(to, bits, false);
		break;
	case 0x04:
		if (field(bits, 12, 3) == 0)
			set(to, WCM_OP_ADD_NUMBER, load_number(bits));
		break;
	case 0x05:
		set(to, WCM_OP_PC, high_number(bits));
		break;
	case 0x08:
		to->rd = 0;
		set(to, WCM_OP_STORE, store_number(bits));
		break;
	case 0x09:
		decode_fp(to, bits, true);
		break;
	case 0x0d:
		set(to, WCM_OP_HIGH, high_number(bits));
		break;
	case 0x19:
		set(to, WCM_OP_JUMP_TO, load_number(bits));
		break;
	case 0x1b:
		set(to, WCM_OP_JUMP, jump_number(bits));
		break;
	}
}

static void decode_long(struct wcm_instruction *to, uint32_t bits)
{
	enum { AMO = 0x0b, OP = 0x0c, BRANCH = 0x18, LR = 2, EBREAK = 0x00100073 };
	enum { FIRST_FP = 0x10, LAST_FP = 0x15 }; /* and vectors */
	const uint32_t opcode = field(bits, 2, 5);

	to->size = 4;
	to->rd = (uint8_t)field(bits, 7, 5);
	to->rs1 = (uint8_t)field(bits, 15, 5);
	to->rs2 = (uint8_t)field(bits, 20, 5);
	to->width = (uint8_t)(1 << field(bits, 12, 2));
	if (opcode >= FIRST_FP && opcode <= LAST_FP)
		to->rd = 0;
	switch (opcode) {
	case AMO:
		to->operation = field(bits, 27, 5) == LR ? WCM_OP_LOAD_ATOMIC
							 : WCM_OP_STORE_ATOMIC;
		break;
	case OP:
		if (field(bits, 12, 3) == 0 && field(bits, 25, 7) == 0)
			to->operation = WCM_OP_ADD;
		break;
	case BRANCH:
		to->rd = 0;
		to->operation = WCM_OP_BRANCH;
		break;
	default:
		decode_number(to, bits);
	}
	if (bits == EBREAK)
		to->operation = WCM_OP_BREAK;
}

/* A compressed load or store of KIND, the highest three bits: of a floating-point register, a
 * word, a double word. */
static void decode_memory(struct wcm_instruction *to, uint32_t kind, uint32_t reg, uint32_t base,
			  int32_t number)
{
	enum { STORES = 4, FP = 1, WORD = 2 };
	const bool is_store = kind & STORES, is_fp = kind % STORES == FP;

	set(to, is_store ? WCM_OP_STORE : WCM_OP_LOAD, number);
	to->rs1 = (uint8_t)base;
	to->width = kind % STORES == WORD ? 4 : 8;
	if (!is_fp && is_store)
		to->rs2 = (uint8_t)reg;
	else if (!is_fp)
		to->rd = (uint8_t)reg;
}

/* One of the registers that three bits can tell. */
static uint32_t near_register(uint32_t bits, unsigned low)
{
	return 8 + field(bits, low, 3);
}

/* Bytes and half words (Zcb). */
static void decode_narrow(struct wcm_instruction *to, uint32_t bits)
{
	const bool is_byte = field(bits, 10, 1) == 0, is_store = field(bits, 11, 1);

	if (field(bits, 12, 1))
		return;
	decode_memory(to, is_store ? 7 : 3, near_register(bits, 2), near_register(bits, 7),
		      (int32_t)(part(bits, 5, 1, 1) | (is_byte ? field(bits, 6, 1) : 0)));
	to->width = is_byte ? 1 : 2;
}

static void decode_quadrant_0(struct wcm_instruction *to, uint32_t bits, uint32_t kind)
{
	enum { ADD_TO_SP = 0, NARROW = 4, WORD = 2 };
	const uint32_t low = kind % NARROW == WORD ? part(bits, 6, 1, 2) | part(bits, 5, 1, 6)
						   : part(bits, 5, 2, 6);

	if (kind == NARROW) {
		decode_narrow(to, bits);
	} else if (kind == ADD_TO_SP) {
		set(to, WCM_OP_ADD_NUMBER,
		    (int32_t)(part(bits, 11, 2, 4) | part(bits, 7, 4, 6) | part(bits, 6, 1, 2) |
			      part(bits, 5, 1, 3)));
		to->rd = (uint8_t)near_register(bits, 2);
		to->rs1 = WCM_X_SP;
	} else {
		decode_memory(to, kind, near_register(bits, 2), near_register(bits, 7),
			      (int32_t)(part(bits, 10, 3, 3) | low));
	}
}

/* addi16sp, or lui. */
static void decode_high(struct wcm_instruction *to, uint32_t bits, int32_t number)
{
	if (to->rd != WCM_X_SP) {
		set(to, WCM_OP_HIGH, (int32_t)((uint32_t)number << 12));
		return;
	}
	to->rs1 = WCM_X_SP;
	set(to, WCM_OP_ADD_NUMBER,
	    signed_of(part(bits, 12, 1, 9) | part(bits, 6, 1, 4) | part(bits, 5, 1, 6) |
			      part(bits, 3, 2, 7) | part(bits, 2, 1, 5),
		      10));
}

static void decode_quadrant_1(struct wcm_instruction *to, uint32_t bits, uint32_t kind)
{
	enum { ADDI, ADDIW, LI, LUI, COMPUTE, JUMP };
	const int32_t number = signed_of(part(bits, 12, 1, 5) | field(bits, 2, 5), 6);

	if (kind <= LUI)
		to->rd = (uint8_t)field(bits, 7, 5);
	switch (kind) {
	case ADDI:
	case LI:
		to->rs1 = kind == LI ? WCM_X_ZERO : to->rd;
		set(to, WCM_OP_ADD_NUMBER, number);
		break;
	case ADDIW:
		break;
	case LUI:
		decode_high(to, bits, number);
		break;
	case COMPUTE:
		to->rd = (uint8_t)near_register(bits, 7);
		break;
	case JUMP:
		set(to, WCM_OP_JUMP,
		    signed_of(part(bits, 12, 1, 11) | part(bits, 11, 1, 4) | part(bits, 9, 2, 8) |
				      part(bits, 8, 1, 10) | part(bits, 7, 1, 6) |
				      part(bits, 6, 1, 7) | part(bits, 3, 3, 1) |
				      part(bits, 2, 1, 5),
			      12));
		break;
	default:
		to->operation = WCM_OP_BRANCH;
	}
}

/* jr, jalr, mv, add and ebreak. */
static void decode_registers(struct wcm_instruction *to, uint32_t bits)
{
	const uint8_t first = (uint8_t)field(bits, 7, 5), second = (uint8_t)field(bits, 2, 5);
	const bool is_second_kind = field(bits, 12, 1);

	if (second != 0) {
		to->operation = WCM_OP_ADD;
		to->rd = first;
		to->rs1 = is_second_kind ? first : WCM_X_ZERO;
		to->rs2 = second;
	} else if (first != 0) {
		to->operation = WCM_OP_JUMP_TO;
		to->rd = is_second_kind ? WCM_X_RA : WCM_X_ZERO;
		to->rs1 = first;
	} else if (is_second_kind) {
		to->operation = WCM_OP_BREAK;
	}
}

static void decode_quadrant_2(struct wcm_instruction *to, uint32_t bits, uint32_t kind)
{
	enum { SHIFT = 0, LOAD_WORD = 2, REGISTERS = 4, STORE_WORD = 6 };

	if (kind == SHIFT)
		to->rd = (uint8_t)field(bits, 7, 5);
	else if (kind == REGISTERS)
		decode_registers(to, bits);
	else if (kind < REGISTERS)
		decode_memory(to, kind, field(bits, 7, 5), WCM_X_SP,
			      (int32_t)(part(bits, 12, 1, 5) |
					(kind == LOAD_WORD
						 ? part(bits, 4, 3, 2) | part(bits, 2, 2, 6)
						 : part(bits, 5, 2, 3) | part(bits, 2, 3, 6))));
	else
		decode_memory(to, kind, field(bits, 2, 5), WCM_X_SP,
			      (int32_t)(kind == STORE_WORD
						? part(bits, 9, 4, 2) | part(bits, 7, 2, 6)
						: part(bits, 10, 3, 3) | part(bits, 7, 3, 6)));
}

struct wcm_instruction wcm__instruction_decode(uint32_t bits)
{
	struct wcm_instruction to = { .size = 2 };
	const uint32_t kind = field(bits, 13, 3);

	switch (bits & 3) {
	case 0:
		decode_quadrant_0(&to, bits, kind);
		break;
	case 1:
		decode_quadrant_1(&to, bits, kind);
		break;
	case 2:
		decode_quadrant_2(&to, bits, kind);
		break;
	default:
		decode_long(&to, bits);
	}
	return to;
}

/* By halves: the second may be in a page that is not there. */
bool wcm__instruction_read(struct wcm_instruction *instruction, uintptr_t pc, wcm_reader *read)
{
	uint16_t low, high = 0;

	if (pc % sizeof(low) != 0 || !read(pc, &low, sizeof(low)))
		return false;
	if ((low & 3) == 3 && !read(pc + sizeof(low), &high, sizeof(high)))
		return false;
	*instruction = wcm__instruction_decode((uint32_t)high << 16 | low);
	return true;
}

bool wcm__instruction_before(struct wcm_instruction *instruction, unsigned size, uintptr_t pc,
			     wcm_reader *read)
{
	return pc >= size && wcm__instruction_read(instruction, pc - size, read) &&
	       instruction->size == size;
}
