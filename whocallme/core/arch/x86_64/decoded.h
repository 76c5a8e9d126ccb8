/* SPDX-License-Identifier: MIT */
/* x86_64/decoded.h (SAFE) - an instruction taken apart: opcode, operands in memory, their
 * addresses. */
#ifndef WCM_ARCH_DECODED_H
#define WCM_ARCH_DECODED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"

/* Where an opcode is from: one byte, or behind 0f, 0f 38, 0f 3a; VEX and EVEX number them alike. */
enum wcm_opcode_map { WCM_MAP_1, WCM_MAP_0F, WCM_MAP_0F38, WCM_MAP_0F3A, WCM_MAP_OTHER };

enum wcm_encoding { WCM_LEGACY, WCM_VEX, WCM_EVEX };

struct wcm_decoded {
	enum wcm_opcode_map map;
	enum wcm_encoding encoding;
	uint8_t opcode, modrm;
	uint8_t prefix;       /* 0x66, 0xf3 or 0xf2, the one that counts; or 0 */
	uint8_t segment;      /* 0x64 or 0x65: that of fs or gs; or 0 */
	uint8_t vector_bytes; /* 16, 32, 64 */
	bool has_16, has_rex, wide, has_modrm, has_memory, is_known;
	uint8_t reg, rm;      /* register operands, 0 to 15 */
	uintptr_t address;    /* of the operand in memory, where HAS_MEMORY and IS_KNOWN say so */
	uintptr_t next;       /* the instruction behind */
	uint16_t uses;        /* general registers that the address is made of, by number */
};

/* Take the instruction at the pc of GREGS apart.  False: it cannot be read, or is not known. */
bool wcm__decode(struct wcm_decoded *decoded, const gregset_t gregs, wcm_reader *read);

/* The REG_ number of an instruction's register 0 to 15. */
extern const uint8_t wcm__greg_of_number[16] __attribute__((visibility("hidden")));

/* What the operand of modrm's r/m has in so many BYTES.  False: it cannot be read. */
bool wcm__decoded_value(const struct wcm_decoded *decoded, const gregset_t gregs, unsigned bytes,
			wcm_reader *read, uint64_t *value);

/* How many bytes the operand has that most instructions of this opcode take; 0: unknown. */
unsigned wcm__decoded_size(const struct wcm_decoded *decoded);

#endif
