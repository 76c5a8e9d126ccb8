/* SPDX-License-Identifier: MIT */
/* i386/gregs.h (SAFE) - where a signal's machine state has the registers. */
#ifndef WCM_ARCH_GREGS_H
#define WCM_ARCH_GREGS_H

#include <stdint.h>
#include <sys/ucontext.h>

enum { WCM_GREG_PC = REG_EIP, WCM_GREG_SP = REG_ESP, WCM_GREG_RESULT = REG_EAX };

/* What is behind the call that has made the system call of SIGSYS: behind its instruction is
 * that of wcm__kernel_int80(), or popl %ebp; popl %edx; popl %ecx; ret of the vdso's function. */
static inline uintptr_t wcm__behind_syscall(const gregset_t gregs)
{
	enum { RET = 0xc3 };
	static const uint8_t pops[] = { 0x5d, 0x5a, 0x59, RET };
	const uintptr_t *sp = (const uintptr_t *)gregs[REG_ESP];
	const volatile uint8_t *code = (const uint8_t *)gregs[REG_EIP];
	unsigned same = 0;

	if (code[0] == RET)
		return sp[0];
	while (same < sizeof(pops) && code[same] == pops[same])
		same++;
	return same == sizeof(pops) ? sp[sizeof(pops) - 1] : (uintptr_t)gregs[REG_EIP];
}

/* The code of wcm__arch_thread_pointer_holds(), and what it is aligned to. */
enum { WCM_HOLDS_SIZE = 32 };

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
