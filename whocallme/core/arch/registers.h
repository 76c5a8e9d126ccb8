/* SPDX-License-Identifier: MIT */
/* registers.h (SAFE) - all registers that CFI may speak of. */
#ifndef WCM_ARCH_REGISTERS_H
#define WCM_ARCH_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "columns.h"

/* The registers of a frame by DWARF number (psABI); those not in KNOWN were
 * overwritten by a callee and cannot be had back.  Of these PASSED has the ones that the ABI
 * lets a callee change, and that had a value in it. */
struct wcm_registers {
	uintptr_t pc;
	uintptr_t value[WCM_COLUMNS];
	uint32_t known, passed; /* a bit each */
};

static inline bool wcm__register_get(const struct wcm_registers *registers,
				     uint64_t column, uintptr_t *value)
{
	if (column >= WCM_COLUMNS || !(registers->known >> column & 1))
		return false;
	*value = registers->value[column];
	return true;
}

static inline void wcm__register_set(struct wcm_registers *registers,
				     unsigned column, uintptr_t value)
{
	registers->value[column] = value;
	registers->known |= UINT32_C(1) << column;
}

static inline void wcm__register_forget(struct wcm_registers *registers, unsigned column)
{
	registers->known &= ~(UINT32_C(1) << column);
}

#endif
