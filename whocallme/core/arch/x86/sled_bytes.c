/* SPDX-License-Identifier: MIT */
/* x86/sled_bytes.c (SAFE) - the NOPs that compilers leave for a call, and the call. */
#include <string.h>

#include "core/arch/arch.h"
#include "core/arch/x86/instruction.h"

enum { CALL = 0xe8, JUMP = 0xe9, CALL_SIZE = 5, JUMP_SHORT = 0xeb, SHORT_SIZE = 2,
       NOP = 0x90, PREFIX_66 = 0x66, PREFIX_67 = 0x67 };

/* In one of the forms that assemblers write (Intel SDM volume 2, NOP): 90, or 0f 1f with an
 * operand in memory, behind prefixes. */
size_t wcm__arch_nop_size(const uint8_t *code, size_t size)
{
	size_t at = 0, operand = 0;
	unsigned mod, rm;

	while (at < size && (code[at] == PREFIX_66 || code[at] == PREFIX_67 || code[at] == 0x2e))
		at++;
	if (at < size && code[at] == NOP)
		return at + 1;
	if (size - at < 3 || code[at] != 0x0f || code[at + 1] != 0x1f ||
	    (code[at + 2] & 0x38) != 0)
		return 0;
	mod = code[at + 2] >> 6;
	rm = code[at + 2] & 7;
	if (mod == 3)
		return 0;
	if (mod == 1)
		operand = 1;
	else if (mod == 2 || rm == 5)
		operand = 4;
	if (rm == 4) {
		if (size - at < 4)
			return 0;
		operand += 1 + (mod == 0 && (code[at + 3] & 7) == 5 ? 4 : 0);
	}
	return at + 3 + operand <= size ? at + 3 + operand : 0;
}

size_t wcm__arch_sled_size(const uint8_t *code, size_t size)
{
	size_t at = 0, length;

	while (at < CALL_SIZE) {
		length = wcm__arch_nop_size(code + at, size - at);
		if (length == 0)
			return 0;
		at += length;
	}
	return at <= WCM_SLED_MOST ? at : 0;
}

/* ENDBR64, or ENDBR32, which begins a function that may be called indirectly. */
static size_t skip_landing(const uint8_t *code, size_t size)
{
	return size >= WCM_ENDBR_SIZE ? wcm__endbr_size(code) : 0;
}

/* The length of an instruction that makes a frame, 0 where CODE is none: push, mov of the
 * stack pointer to the frame pointer, sub of a constant from the stack pointer. */
static size_t frame_maker(const uint8_t *code, size_t size, bool *has_pointer)
{
	enum { WIDE = 0x48, HIGH_REGISTER = 0x41 };

	if (size < 8)
		return 0;
	if ((code[0] & 0xf8) == 0x50)
		return 1;
	if (WCM_HAS_REX && code[0] == HIGH_REGISTER && (code[1] & 0xf8) == 0x50)
		return 2;
	if (WCM_HAS_REX && *code++ != WIDE)
		return 0;
	if ((code[0] == 0x89 && code[1] == 0xe5) || (code[0] == 0x8b && code[1] == 0xec)) {
		*has_pointer = true;
		return WCM_HAS_REX + 2;
	}
	if (code[1] == 0xec && (code[0] == 0x83 || code[0] == 0x81))
		return WCM_HAS_REX + (code[0] == 0x83 ? 3 : 6);
	return 0;
}

/* The same of what aligns the stack in front of a frame, as main() does where no ABI has it
 * aligned: lea 4(%esp),%ecx; and $-16,%esp; pushl -4(%ecx). */
static size_t aligner(const uint8_t *code, size_t size)
{
	enum { LEA = 0x8d, BY_SP = 0x24, AND = 0x83, TO_SP = 0xe4, PUSH = 0xff, BEFORE = 0xfc };

	if (WCM_HAS_REX || size < 4)
		return 0;
	if (code[0] == LEA && (code[1] & 0xc7) == 0x44 && code[2] == BY_SP)
		return 4;
	if ((code[0] == AND && code[1] == TO_SP) ||
	    (code[0] == PUSH && (code[1] & 0xf8) == 0x70 && code[2] == BEFORE))
		return 3;
	return 0;
}

/* Behind the frame, as -pg has it, NOPs are a sled only where the frame pointer is set,
 * which -pg asks for: else they may align a loop. */
bool wcm__arch_sled_find(const uint8_t *code, size_t size, size_t *at, bool *at_entry)
{
	bool has_pointer = false;
	size_t length;

	*at = skip_landing(code, size);
	*at_entry = true;
	if (wcm__arch_sled_size(code + *at, size - *at) > 0)
		return true;
	*at_entry = false;
	while ((length = aligner(code + *at, size - *at)) > 0 ||
	       (length = frame_maker(code + *at, size - *at, &has_pointer)) > 0)
		*at += length;
	return has_pointer && wcm__arch_sled_size(code + *at, size - *at) > 0;
}

size_t wcm__arch_landing_size(const uint8_t *code, size_t size)
{
	return skip_landing(code, size);
}

bool wcm__arch_sled_call(uint8_t *code, size_t size, uintptr_t at, uintptr_t to)
{
	const intptr_t distance = (intptr_t)(to - (at + size));
	const int32_t displacement = (int32_t)distance;
	size_t left = size - CALL_SIZE;

	if (displacement != distance)
		return false;
	/* What is in front is passed in as few instructions as may be, and none where a call of
	 * six bytes is replaced: no thread may stand in it when it comes back. */
	for (; left >= 2; code += 2, left -= 2)
		code[0] = PREFIX_66, code[1] = NOP;
	if (left > 0)
		*code++ = PREFIX_67;
	code[0] = CALL;
	memcpy(code + 1, &displacement, sizeof(displacement));
	return true;
}

/* NOPs of one byte: wherever a thread goes on among them once they are back, they lead to the
 * function. */
static bool is_filled(const uint8_t *code, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (code[i] != NOP)
			return false;
	return true;
}

/* The jump takes the place of two bytes of NOPs or, where there are none, of ENDBR: that
 * does nothing as long as no system has indirect branch tracking on, and Linux has it for
 * no process. */
bool wcm__arch_sled_front(const uint8_t *func, size_t front, size_t size,
			  struct wcm_sled_front *sled)
{
	enum { FRONT = CALL_SIZE + SHORT_SIZE };
	size_t entry = skip_landing(func, size), length = 0, nop;

	if (front < FRONT || !is_filled(func - FRONT, FRONT))
		return false;
	while (length < SHORT_SIZE &&
	       (nop = wcm__arch_nop_size(func + entry + length, size - entry - length)) > 0)
		length += nop;
	if (length < SHORT_SIZE && entry == 0)
		return false;
	if (length < SHORT_SIZE)
		length = entry, entry = 0;
	*sled = (struct wcm_sled_front){ .at = FRONT, .returns = CALL_SIZE,
					 .entry = (uint8_t)(FRONT + entry),
					 .size = (uint8_t)(FRONT + entry + length) };
	return sled->size <= WCM_SLED_MOST;
}

static void jump_short(uint8_t *code, size_t from, size_t to)
{
	code[from] = JUMP_SHORT;
	code[from + 1] = (uint8_t)(to - (from + SHORT_SIZE));
}

bool wcm__arch_sled_front_call(uint8_t *code, const struct wcm_sled_front *sled, uintptr_t at,
			       uintptr_t to)
{
	jump_short(code, sled->returns, sled->size);
	jump_short(code, sled->entry, 0);
	return wcm__arch_sled_call(code, CALL_SIZE, at, to);
}

/* Assemblers fill up lines of 32-bit code with lea 0(%esi),%esi as well, or %edi, with an index
 * that is none, behind a segment. */
static size_t filler_size(const uint8_t *code, size_t size)
{
	enum { SEGMENT = 0x2e, LEA = 0x8d, BY_SIB = 4, MOST = 7 };
	static const uint8_t zeros[4];
	const size_t segment = size > 0 && code[0] == SEGMENT;
	const uint8_t *lea = code + segment;
	unsigned mod, number;
	size_t operand, zero;

	if (WCM_HAS_REX || size < segment + MOST || lea[0] != LEA)
		return wcm__arch_nop_size(code, size);
	mod = lea[1] >> 6;
	number = lea[1] >> 3 & 7;
	operand = (lea[1] & 7) == BY_SIB ? 2 : 1;
	zero = mod == 1 ? 1 : 4;
	if ((mod != 1 && mod != 2) || number < 6 ||
	    lea[operand] != (operand == 2 ? (BY_SIB << 3 | number)
					  : (mod << 6 | number << 3 | number)) ||
	    memcmp(lea + 1 + operand, zeros, zero) != 0)
		return 0;
	return segment + 1 + operand + zero;
}

/* RET behind ENDBR, and what fills up the line to the next function. */
bool wcm__arch_empty_function(const uint8_t *code, size_t size, size_t *at)
{
	enum { RET = 0xc3 };
	size_t filled, length;

	*at = skip_landing(code, size);
	if (*at >= size || code[*at] != RET)
		return false;
	for (filled = *at + 1; filled < *at + WCM_JUMP_SIZE; filled += length) {
		length = filler_size(code + filled, size - filled);
		if (length == 0)
			return false;
	}
	return true;
}

bool wcm__arch_jump(uint8_t *code, uintptr_t at, uintptr_t to)
{
	if (!wcm__arch_sled_call(code, WCM_JUMP_SIZE, at, to))
		return false;
	code[0] = JUMP;
	return true;
}

bool wcm__arch_sled_reaches(uintptr_t from, uintptr_t to)
{
	const intptr_t distance = (intptr_t)(to - from);

	return distance == (int32_t)distance;
}
