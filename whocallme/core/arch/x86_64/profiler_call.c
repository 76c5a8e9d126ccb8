/* SPDX-License-Identifier: MIT */
/* x86_64/profiler_call.c (SAFE) - the call that -pg has compilers put into a function.
 *
 * It is the first call of the function: at its entry (-mfentry), or behind the instructions
 * that make the frame and, by clang, those that put arguments away.
 */
#include <string.h>

#include "core/arch/arch.h"
#include "core/arch/x86/instruction.h"

static intptr_t distance_at(const uint8_t *code)
{
	int32_t distance;

	memcpy(&distance, code, sizeof(distance));
	return distance;
}

/* e8; 67 e8, which linkers make of the other; ff 15, by way of a slot. */
size_t wcm__arch_call_size(const uint8_t *code, size_t size, intptr_t *to, bool *is_slot)
{
	enum { CALL = 0xe8, ADDRESS_SIZE = 0x67, CALL_SIZE = 5 };
	const bool is_long = size > CALL_SIZE && ((code[0] == ADDRESS_SIZE && code[1] == CALL) ||
						  (code[0] == 0xff && code[1] == 0x15));
	const size_t length = CALL_SIZE + is_long;

	if (size < CALL_SIZE || (!is_long && code[0] != CALL))
		return 0;
	*is_slot = code[0] == 0xff;
	*to = (intptr_t)length + distance_at(code + length - 4);
	return length;
}

/* How many bytes of a number are behind the operand of OPCODE, one of two bytes if IS_LONG;
 * -1: it is no instruction that compilers put in front of the profiler's call. */
static int number_size(uint8_t opcode, bool is_long)
{
	static const uint8_t without[] = { 0x01, 0x03, 0x09, 0x0b, 0x21, 0x23, 0x29, 0x2b, 0x31,
					   0x33, 0x63, 0x88, 0x89, 0x8a, 0x8b, 0x8d, 0xff };
	static const uint8_t vectors[] = { 0x10, 0x11, 0x12, 0x13, 0x16, 0x17, 0x28, 0x29, 0x57,
					   0x6e, 0x6f, 0x7e, 0x7f, 0xb6, 0xb7, 0xbe, 0xbf,
					   0xd6 };

	if (is_long)
		return memchr(vectors, opcode, sizeof(vectors)) ? 0 : -1;
	if (memchr(without, opcode, sizeof(without)))
		return 0;
	return opcode == 0x83 || opcode == 0xc6 ? 1 : opcode == 0x81 || opcode == 0xc7 ? 4 : -1;
}

/* The length of an instruction that makes the frame or moves arguments there; 0: CODE is
 * another. */
static size_t prologue_length(const uint8_t *code, size_t size)
{
	enum { REX = 0x40, W = 8, PUSH = 0x50, MOV_NUMBER = 0xb8, GROUP_5 = 0xff,
	       PUSH_OPERAND = 6, OPERAND_SIZE = 0x66, LONGEST = 15 };
	size_t at = 0, length;
	bool is_long, is_wide;
	int number;

	if (size < LONGEST)
		return 0;
	at += code[at] == 0xf2 || code[at] == 0xf3 || code[at] == OPERAND_SIZE;
	is_wide = code[at] >> 4 == REX >> 4 && (code[at] & W);
	at += code[at] >> 4 == REX >> 4;
	if ((code[at] & 0xf8) == PUSH)
		return at + 1;
	if ((code[at] & 0xf8) == MOV_NUMBER && code[0] != OPERAND_SIZE)
		return at + (is_wide ? 9 : 5);
	is_long = code[at] == 0x0f;
	at += is_long;
	number = number_size(code[at], is_long);
	if (number < 0 || (number == 4 && code[0] == OPERAND_SIZE) ||
	    (code[at] == GROUP_5 && !is_long && (code[at + 1] >> 3 & 7) != PUSH_OPERAND))
		return 0;
	length = wcm__operand_length(code + at + 1, size - at - 1);
	return length > 0 ? at + 1 + length + (size_t)number : 0;
}

size_t wcm__arch_first_call(const uint8_t *code, size_t size, size_t *at)
{
	intptr_t to;
	size_t length;
	bool is_slot;

	for (*at = wcm__arch_landing_size(code, size); *at < size; *at += length) {
		length = wcm__arch_call_size(code + *at, size - *at, &to, &is_slot);
		if (length > 0)
			return length;
		length = prologue_length(code + *at, size - *at);
		if (length == 0)
			return 0;
	}
	return 0;
}

/* endbr64; mov $number,%r11d; bnd jmp *x(%rip), of which only the last must be. */
bool wcm__arch_stub_slot(const uint8_t *code, size_t size, intptr_t *slot)
{
	size_t at = wcm__arch_landing_size(code, size);

	if (size - at > 6 && code[at] == 0x41 && code[at + 1] == 0xbb)
		at += 6;
	if (size - at > 1 && code[at] == 0xf2)
		at++;
	if (size - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	*slot = (intptr_t)at + 6 + distance_at(code + at + 2);
	return true;
}
