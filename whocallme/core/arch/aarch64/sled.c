/* SPDX-License-Identifier: MIT */
/* aarch64/sled.c (SAFE) - knows the NOPs that compilers leave for a call, and composes the code
 * that a trace puts there.
 *
 * A call changes x30, which at a function's entry has the return address.  So the first NOP
 * becomes a jump to a stub of the sled's own nearby:
 *
 *	adr x16, 1f; b ENTRY; 1: b BEHIND_THE_NOPS
 *
 * sled_entry.c, and what it tells unwinders, read the last instruction, which x16 leads to, to
 * find the function: it must be a b.  Nothing is written to code here: sleds.c does that.
 *
 * x16 and x17 are the linker's, for what it puts between a call and a function (AAPCS64, 6.1.1):
 * no function is given anything by them.  Other threads may execute a NOP and a jump while one
 * becomes the other by one store (Arm Architecture Reference Manual, B2.2.5), and a thread that is
 * in the stub is not disturbed: none is held.
 */
#include <string.h>

#include "core/arch/arch.h"
#include "core/arch/aarch64/instruction.h"
#include "encoding.h"

static uint32_t read_word(const uint8_t *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return word;
}

static void write_word(uint8_t *code, uint32_t word)
{
	memcpy(code, &word, sizeof(word));
}

size_t wcm__arch_nop_size(const uint8_t *code, size_t size)
{
	return size >= WCM_INSTRUCTION && read_word(code) == WCM_NOP ? WCM_INSTRUCTION : 0;
}

size_t wcm__arch_sled_size(const uint8_t *code, size_t size)
{
	size_t at = 0;

	while (at < WCM_SLED_MOST && wcm__arch_nop_size(code + at, size - at) > 0)
		at += WCM_INSTRUCTION;
	return at;
}

/* bti alone: a sled is in front of what signs the return address. */
size_t wcm__arch_landing_size(const uint8_t *code, size_t size)
{
	return size >= WCM_INSTRUCTION && (read_word(code) & 0xffffff3f) == 0xd503241f ?
		       WCM_INSTRUCTION : 0;
}

/* Where the compiler lists none, one NOP is not of its making: _init of libc begins with it. */
bool wcm__arch_sled_find(const uint8_t *code, size_t size, size_t *at, bool *at_entry)
{
	*at = wcm__arch_landing_size(code, size);
	*at_entry = true;
	return wcm__arch_sled_size(code + *at, size - *at) >= 2 * WCM_INSTRUCTION;
}

/* At the entry the jump would take the place of an instruction. */
bool wcm__arch_sled_front(const uint8_t *func, size_t front, size_t size,
			  struct wcm_sled_front *sled)
{
	(void)func, (void)front, (void)size, (void)sled;
	return false;
}

bool wcm__arch_sled_front_call(uint8_t *code, const struct wcm_sled_front *sled, uintptr_t at,
			       uintptr_t to)
{
	(void)code, (void)sled, (void)at, (void)to;
	return false;
}

/* 26 bits of words, with a sign. */
bool wcm__arch_sled_reaches(uintptr_t from, uintptr_t to)
{
	const intptr_t most = (intptr_t)1 << 27, distance = (intptr_t)(to - from);

	return distance >= -most && distance < most;
}

bool wcm__arch_jump(uint8_t *code, uintptr_t at, uintptr_t to)
{
	if ((at | to) % WCM_INSTRUCTION != 0 || !wcm__arch_sled_reaches(at, to))
		return false;
	write_word(code, WCM_B | (uint32_t)((to - at) / WCM_INSTRUCTION & 0x3ffffff));
	return true;
}

bool wcm__arch_sled_call(uint8_t *code, size_t size, uintptr_t at, uintptr_t to)
{
	(void)size;
	return wcm__arch_jump(code, at, to);
}

bool wcm__arch_sled_stub(uint8_t *code, uintptr_t at, uintptr_t pc, uintptr_t to)
{
	enum { TO = WCM_INSTRUCTION, BACK = 2 * WCM_INSTRUCTION };

	write_word(code, WCM_ADR_X16_8);
	return wcm__arch_jump(code + TO, at + TO, to) && wcm__arch_jump(code + BACK, at + BACK, pc);
}

size_t wcm__arch_far_jump(uint8_t code[WCM_FAR_JUMP_MOST], uintptr_t to)
{
	write_word(code, WCM_LDR_X17_8);
	write_word(code + WCM_INSTRUCTION, WCM_BR_X17);
	memcpy(code + 2 * WCM_INSTRUCTION, &to, sizeof(to));
	return 2 * WCM_INSTRUCTION + sizeof(to);
}

bool wcm__arch_empty_function(const uint8_t *code, size_t size, size_t *at)
{
	*at = wcm__arch_landing_size(code, size);
	return size >= *at + WCM_INSTRUCTION && wcm__is_ret(read_word(code + *at));
}

uintptr_t *wcm__arch_context_pc(void *ucontext)
{
	return (uintptr_t *)&((ucontext_t *)ucontext)->uc_mcontext.pc;
}

/* The kernel has one of its own. */
uintptr_t wcm__arch_restorer_address(void)
{
	return 0;
}
