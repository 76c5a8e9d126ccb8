/* SPDX-License-Identifier: MIT */
/* x86/machine_state.c (SAFE) - a signal's machine state (psABI, and the kernel's sigcontext). */
#include "core/arch/arch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ucontext.h>

#include "core/arch/x86/instruction.h"
#include "gregs.h"

/* Where it lies it is read past a sanitizer, which does not know what the kernel puts on a
 * stack. */
__attribute__((no_sanitize("address"))) static bool
read_state(const void *ucontext, struct wcm_machine_state *state, wcm_reader *read)
{
	const uintptr_t at = (uintptr_t)ucontext + offsetof(ucontext_t, uc_mcontext);

	if (read)
		return read(at, state, sizeof(*state));
	for (size_t i = 0; i < sizeof(*state) / sizeof(uintptr_t); i++)
		((uintptr_t *)state)[i] = ((const volatile uintptr_t *)at)[i];
	return true;
}

bool wcm__arch_registers_from_context(struct wcm_registers *registers,
				      const void *ucontext, wcm_reader *read)
{
	struct wcm_machine_state state;

	if (!read_state(ucontext, &state, read))
		return false;
	*registers = (struct wcm_registers){ .pc = (uintptr_t)state.gregs[WCM_GREG_PC] };
	for (unsigned i = 0; i < sizeof(wcm__greg_of); i++)
		wcm__register_set(registers, i, (uintptr_t)state.gregs[wcm__greg_of[i]]);
	return true;
}

/* REG_TRAPNO (SDM vol. 3, table 6-1).  A page fault alone leaves an address. */
enum {
	DIVISION = 0,
	BREAKPOINT = 3,
	INVALID_OPCODE = 6,
	INVALID_TSS = 10,
	NOT_PRESENT = 11,
	STACK_FAULT = 12,
	PROTECTION = 13,
	PAGE_FAULT = 14,
	FLOATING_POINT = 16,
	ALIGNMENT = 17,
	SIMD = 19,
};

bool wcm__arch_fetch_failed(const void *ucontext, wcm_reader *read)
{
	struct wcm_machine_state state;

	/* The address that failed tells a fetch from a load, and this fault
	 * from one that an earlier signal left behind. */
	return read_state(ucontext, &state, read) &&
	       state.gregs[REG_TRAPNO] == PAGE_FAULT &&
	       WCM_FAULT_ADDRESS(state) == state.gregs[WCM_GREG_PC];
}

enum wcm_access wcm__arch_access(const void *ucontext, wcm_reader *read)
{
	enum { WRITE = 1 << 1, FETCH = 1 << 4 }; /* SDM vol. 3, 4.7 */
	struct wcm_machine_state state;

	if (!read_state(ucontext, &state, read) || state.gregs[REG_TRAPNO] != PAGE_FAULT)
		return WCM_ACCESS_UNKNOWN;
	if ((state.gregs[REG_ERR] & FETCH) || WCM_FAULT_ADDRESS(state) == state.gregs[WCM_GREG_PC])
		return WCM_ACCESS_EXECUTE;
	return state.gregs[REG_ERR] & WRITE ? WCM_ACCESS_WRITE : WCM_ACCESS_READ;
}

size_t wcm__arch_general_registers(
	const void *ucontext, wcm_reader *read,
	struct wcm_named_register registers[WCM_MOST_NAMED_REGISTERS])
{
	const size_t count = sizeof(wcm__greg_names) / sizeof(*wcm__greg_names);
	struct wcm_machine_state state;

	if (!read_state(ucontext, &state, read))
		return 0;
	for (size_t i = 0; i < count; i++)
		registers[i] = (struct wcm_named_register){
			wcm__greg_names[i].name,
			(uintptr_t)state.gregs[wcm__greg_names[i].greg],
		};
	return count;
}

uintptr_t *wcm__arch_context_pc(void *ucontext)
{
	ucontext_t *context = ucontext;

	return (uintptr_t *)&context->uc_mcontext.gregs[WCM_GREG_PC];
}

/* As though it had returned false to where it was called from. */
bool wcm__arch_thread_pointer_failed(void *ucontext)
{
	greg_t *gregs = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
	const uintptr_t start = (uintptr_t)wcm__arch_thread_pointer_holds;

	if ((uintptr_t)gregs[WCM_GREG_PC] - start >= WCM_HOLDS_SIZE)
		return false;
	gregs[WCM_GREG_RESULT] = false;
	gregs[WCM_GREG_PC] = *(const greg_t *)gregs[WCM_GREG_SP];
	gregs[WCM_GREG_SP] += (greg_t)sizeof(greg_t);
	return true;
}

bool wcm__arch_refuse_syscall(void *ucontext)
{
	((ucontext_t *)ucontext)->uc_mcontext.gregs[WCM_GREG_RESULT] = -ENOSYS;
	return true;
}

bool wcm__arch_call_result(const void *ucontext, wcm_reader *read, intptr_t *result)
{
	static const uint8_t syscall[] = { 0x0f, 0x05 }, int80[] = { 0xcd, 0x80 };
	struct wcm_machine_state state;
	uint8_t code[2];

	if (!read_state(ucontext, &state, read) ||
	    !read((uintptr_t)state.gregs[WCM_GREG_PC] - sizeof(code), code, sizeof(code)) ||
	    (memcmp(code, syscall, sizeof(code)) != 0 && memcmp(code, int80, sizeof(code)) != 0))
		return false;
	*result = (intptr_t)state.gregs[WCM_GREG_RESULT];
	return true;
}

bool wcm__arch_is_own_syscall(const void *ucontext)
{
	/* As in syscall.h.  The first byte that differs may be the last of its page. */
	static const uint8_t mark[] = { 0x0f, 0x1f, 0x80, 'w', 'c', 'm', 0 };
	const ucontext_t *context = ucontext;
	const volatile uint8_t *code =
		(const uint8_t *)wcm__behind_syscall(context->uc_mcontext.gregs);
	size_t same = 0;

	while (same < sizeof(mark) && code[same] == mark[same])
		same++;
	return same == sizeof(mark);
}

/* REX, operand size, address size, a segment (SDM vol. 2, 2.1.1 and 2.2.1). */
static bool is_prefix(uint8_t byte)
{
	static const uint8_t others[] = { 0x66, 0x67, 0x26, 0x2e,
					  0x36, 0x3e, 0x64, 0x65 };

	return wcm__is_rex(byte) || memchr(others, byte, sizeof(others));
}

/* div or idiv at PC: f6 or f7, /6 or /7, behind prefixes. */
static bool is_division(uintptr_t pc, wcm_reader *read)
{
	enum { MOST_PREFIXES = 4 };
	uint8_t code[2];

	for (int i = 0; i <= MOST_PREFIXES; i++, pc++) {
		if (!read(pc, code, sizeof(code)))
			return false;
		if (!is_prefix(code[0]))
			return (code[0] & 0xfe) == 0xf6 && ((code[1] >> 3) & 7) >= 6;
	}
	return false;
}

/* It is behind the one byte of its instruction that a breakpoint is reported. */
static bool step_back(void *ucontext, uintptr_t pc, wcm_reader *read)
{
	enum { INT3 = 0xcc };
	uint8_t code;

	if (!read(pc - 1, &code, 1) || code != INT3)
		return false;
	((ucontext_t *)ucontext)->uc_mcontext.gregs[WCM_GREG_PC]--;
	return true;
}

/* The kernel keeps a thread's last fault in the machine state of every signal; 0,
 * division, is also that of a thread without any. */
bool wcm__arch_fault_again(int signal, void *ucontext, wcm_reader *read)
{
	struct wcm_machine_state state;

	if (!read_state(ucontext, &state, read))
		return false;
	switch (state.gregs[REG_TRAPNO]) {
	case DIVISION:
		return signal == SIGFPE && is_division((uintptr_t)state.gregs[WCM_GREG_PC], read);
	case BREAKPOINT:
		return signal == SIGTRAP &&
		       step_back(ucontext, (uintptr_t)state.gregs[WCM_GREG_PC], read);
	case FLOATING_POINT:
	case SIMD:
		return signal == SIGFPE;
	case INVALID_OPCODE:
		return signal == SIGILL;
	case INVALID_TSS:
	case NOT_PRESENT:
	case STACK_FAULT:
	case PROTECTION:
	case PAGE_FAULT:
	case ALIGNMENT:
		return signal == SIGSEGV || signal == SIGBUS;
	default:
		return false;
	}
}
