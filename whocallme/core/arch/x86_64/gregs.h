/* SPDX-License-Identifier: MIT */
/* x86_64/gregs.h (SAFE) - where a signal's machine state has the registers. */
#ifndef WCM_ARCH_GREGS_H
#define WCM_ARCH_GREGS_H

#include <stdint.h>
#include <sys/ucontext.h>

enum { WCM_GREG_PC = REG_RIP, WCM_GREG_SP = REG_RSP, WCM_GREG_RESULT = REG_RAX };

/* What is behind the instruction that has made the system call of SIGSYS. */
static inline uintptr_t wcm__behind_syscall(const gregset_t gregs)
{
	return (uintptr_t)gregs[REG_RIP];
}

/* The code of wcm__arch_thread_pointer_holds(), and what it is aligned to. */
enum { WCM_HOLDS_SIZE = 32 };

/* What a ucontext_t has as its mcontext_t, as far as that counts. */
struct wcm_machine_state {
	gregset_t gregs;
};

#define WCM_FAULT_ADDRESS(state) ((state).gregs[REG_CR2])

static const uint8_t wcm__greg_of[] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
	REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
}; /* by DWARF number */

static const struct {
	char name[7];
	uint8_t greg;
} wcm__greg_names[] = {
	{ "rax", REG_RAX }, { "rbx", REG_RBX }, { "rcx", REG_RCX },
	{ "rdx", REG_RDX }, { "rsi", REG_RSI }, { "rdi", REG_RDI },
	{ "rbp", REG_RBP }, { "rsp", REG_RSP }, { "r8", REG_R8 },
	{ "r9", REG_R9 },   { "r10", REG_R10 }, { "r11", REG_R11 },
	{ "r12", REG_R12 }, { "r13", REG_R13 }, { "r14", REG_R14 },
	{ "r15", REG_R15 }, { "rip", REG_RIP }, { "eflags", REG_EFL },
};

#endif
