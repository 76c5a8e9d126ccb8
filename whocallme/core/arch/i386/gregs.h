/* SPDX-License-Identifier: MIT */
/* i386/gregs.h - where a signal's machine state has the registers. */
#ifndef WCM_ARCH_GREGS_H
#define WCM_ARCH_GREGS_H

#include <stdint.h>
#include <sys/ucontext.h>

enum { WCM_GREG_PC = REG_EIP, WCM_GREG_RESULT = REG_EAX };

/* What a ucontext_t has as its mcontext_t. */
struct wcm_machine_state {
	gregset_t gregs;
	uint32_t x87, old_mask, cr2;
};

#define WCM_FAULT_ADDRESS(state) ((greg_t)(state).cr2)

static const uint8_t wcm__greg_of[] = {
	REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_ESP, REG_EBP, REG_ESI, REG_EDI,
}; /* by DWARF number */

static const struct {
	char name[7];
	uint8_t greg;
} wcm__greg_names[] = {
	{ "eax", REG_EAX }, { "ecx", REG_ECX }, { "edx", REG_EDX }, { "ebx", REG_EBX },
	{ "esp", REG_ESP }, { "ebp", REG_EBP }, { "esi", REG_ESI }, { "edi", REG_EDI },
	{ "eip", REG_EIP }, { "eflags", REG_EFL },
};

#endif
