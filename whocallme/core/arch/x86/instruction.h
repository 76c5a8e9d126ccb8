/* SPDX-License-Identifier: MIT */
/* x86/instruction.h (SAFE) - what the code bytes of instructions say. */
#ifndef WCM_ARCH_INSTRUCTION_H
#define WCM_ARCH_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "encoding.h"

enum { WCM_ENDBR_SIZE = 4 };

/* Whether BYTE is a REX prefix (SDM vol. 2, 2.2.1); it is an instruction of 32-bit code. */
static inline bool wcm__is_rex(uint8_t byte)
{
	return WCM_HAS_REX && byte >> 4 == 4;
}

/* The size of an endbr64, or endbr32, at CODE, WCM_ENDBR_SIZE bytes; 0 where there is none. */
static inline unsigned wcm__endbr_size(const uint8_t *code)
{
	static const uint8_t endbr[WCM_ENDBR_SIZE] = { 0xf3, 0x0f, 0x1e,
						     WCM_ENDBR_LAST };

	return memcmp(code, endbr, sizeof(endbr)) == 0 ? WCM_ENDBR_SIZE : 0;
}

/* The length of the ModRM byte's operand, itself included (SDM vol. 2, table
 * 2-2), or 0 where SIB is needed and lies beyond the LEFT bytes that CODE holds. */
static inline unsigned wcm__operand_length(const uint8_t *code, size_t left)
{
	unsigned mod = code[0] >> 6, rm = code[0] & 7, length = 1;

	if (mod == 3)
		return 1;
	if (rm == 4) {
		if (left < 2)
			return 0;
		length = 2;
		if (mod == 0 && (code[1] & 7) == 5)
			return 6;
	} else if (mod == 0 && rm == 5) {
		return 5;
	}
	return length + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

#endif
