/* SPDX-License-Identifier: MIT */
/* x86/machine_state.c - a signal's machine state (psABI, and the kernel's sigcontext). */
#include "core/arch/arch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ucontext.h>

#include "core/arch/x86/instruction.h"

/* Where it lies it is read past a sanitizer, which does not know what the kernel puts on a
 * stack. */
__attribute__((no_sanitize("address"))) static bool
read_gregs(const void *ucontext, gregset_t *gregs, wcm_reader *read)
{
	const size_t offset = offsetof(ucontext_t, uc_mcontext) +
			      offsetof(mcontext_t, gregs);
	const uintptr_t at = (uintptr_t)ucontext + offset;

	if (read)
		return read(at, gregs, sizeof(*gregs));
	for (size_t i = 0; i < NGREG; i++)
		(*gregs)[i] = ((const volatile greg_t *)at)[i];
	return true;
}

bool wcm__arch_registers_from_context(struct wcm_registers *registers,
				      const void *ucontext, wcm_reader *read)
{
	static const uint8_t greg[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15,
	}; /* by DWARF number */
	gregset_t gregs;

	if (!read_gregs(ucontext, &gregs, read))
		return false;
	*registers = (struct wcm_registers){ .pc = (uintptr_t)gregs[REG_RIP] };
	for (unsigned i = 0; i < sizeof(greg); i++)
		wcm__register_set(registers, i, (uintptr_t)gregs[greg[i]]);
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
	gregset_t gregs;

	/* The address that failed tells a fetch from a load, and this fault
	 * from one that an earlier signal left behind. */
	return read_gregs(ucontext, &gregs, read) &&
	       gregs[REG_TRAPNO] == PAGE_FAULT &&
	       gregs[REG_CR2] == gregs[REG_RIP];
}

enum wcm_access wcm__arch_access(const void *ucontext, wcm_reader *read)
{
	enum { WRITE = 1 << 1, FETCH = 1 << 4 }; /* SDM vol. 3, 4.7 */
	gregset_t gregs;

	if (!read_gregs(ucontext, &gregs, read) || gregs[REG_TRAPNO] != PAGE_FAULT)
		return WCM_ACCESS_UNKNOWN;
	if ((gregs[REG_ERR] & FETCH) || gregs[REG_CR2] == gregs[REG_RIP])
		return WCM_ACCESS_EXECUTE;
	return gregs[REG_ERR] & WRITE ? WCM_ACCESS_WRITE : WCM_ACCESS_READ;
}

bool wcm__arch_is_canonical(uintptr_t address)
{
	intptr_t sign = (intptr_t)address >> 47;

	return sign == 0 || sign == -1;
}

size_t wcm__arch_general_registers(
	const void *ucontext, wcm_reader *read,
	struct wcm_named_register registers[WCM_MOST_NAMED_REGISTERS])
{
	static const struct {
		char name[7];
		uint8_t greg;
	} named[] = {
		{ "rax", REG_RAX }, { "rbx", REG_RBX }, { "rcx", REG_RCX },
		{ "rdx", REG_RDX }, { "rsi", REG_RSI }, { "rdi", REG_RDI },
		{ "rbp", REG_RBP }, { "rsp", REG_RSP }, { "r8", REG_R8 },
		{ "r9", REG_R9 },   { "r10", REG_R10 }, { "r11", REG_R11 },
		{ "r12", REG_R12 }, { "r13", REG_R13 }, { "r14", REG_R14 },
		{ "r15", REG_R15 }, { "rip", REG_RIP }, { "eflags", REG_EFL },
	};
	const size_t count = sizeof(named) / sizeof(*named);
	gregset_t gregs;

	if (!read_gregs(ucontext, &gregs, read))
		return 0;
	for (size_t i = 0; i < count; i++)
		registers[i] = (struct wcm_named_register){
			named[i].name, (uintptr_t)gregs[named[i].greg]
		};
	return count;
}

uintptr_t wcm__arch_signal_context(const struct wcm_regs *regs)
{
	/* struct rt_sigframe: the handler's return popped pretcode. */
	return regs->sp;
}

bool wcm__arch_refuse_syscall(void *ucontext)
{
	((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
	return true;
}

bool wcm__arch_is_own_syscall(const void *ucontext)
{
	/* As in syscall.h.  The first byte that differs may be the last of its page. */
	static const uint8_t mark[] = { 0x0f, 0x1f, 0x80, 'w', 'c', 'm', 0 };
	const greg_t pc = ((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
	const volatile uint8_t *code = (const uint8_t *)pc;
	size_t same = 0;

	while (same < sizeof(mark) && code[same] == mark[same])
		same++;
	return same == sizeof(mark);
}

/* movq %fs:0, %rax; cmpq (%rax), %rax; and a load from there.  Its stack is as its caller
 * left it wherever it faults, and nothing else is in the bytes that it is aligned to. */
enum { HOLDS_SIZE = 32 };

__attribute__((naked, noinline, aligned(HOLDS_SIZE))) bool
wcm__arch_thread_pointer_holds(__attribute__((unused)) ptrdiff_t variable)
{
	__asm__("movq %fs:0, %rax\n\t"
		"cmpq (%rax), %rax\n\t"
		"jne 1f\n\t"
		"movb (%rax,%rdi), %cl\n\t"
		"movl $1, %eax\n\t"
		"ret\n"
		"1:\txorl %eax, %eax\n\t"
		"ret\n\t"
		".p2align 5");
}

bool wcm__arch_thread_pointer_failed(void *ucontext)
{
	greg_t *gregs = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
	const uintptr_t start = (uintptr_t)wcm__arch_thread_pointer_holds;

	if ((uintptr_t)gregs[REG_RIP] - start >= HOLDS_SIZE)
		return false;
	gregs[REG_RAX] = false;
	gregs[REG_RIP] = *(const greg_t *)gregs[REG_RSP];
	gregs[REG_RSP] += (greg_t)sizeof(greg_t);
	return true;
}

/* arch_prctl(2): <asm/prctl.h> is not with every libc. */
enum { SET_FS = 0x1002, GET_FS = 0x1003 };

bool wcm__arch_thread_pointer_get(uintptr_t *pointer)
{
	*pointer = 0;
	return wcm__syscall(SYS_arch_prctl, GET_FS, (long)pointer, 0, 0, 0, 0) == 0;
}

void wcm__arch_thread_pointer_set(uintptr_t pointer)
{
	wcm__syscall(SYS_arch_prctl, SET_FS, (long)pointer, 0, 0, 0, 0);
}

/* REX, operand size, address size, a segment (SDM vol. 2, 2.1.1 and 2.2.1). */
static bool is_prefix(uint8_t byte)
{
	static const uint8_t others[] = { 0x66, 0x67, 0x26, 0x2e,
					  0x36, 0x3e, 0x64, 0x65 };

	return byte >> 4 == 4 || memchr(others, byte, sizeof(others));
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
	((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP]--;
	return true;
}

/* The kernel keeps a thread's last fault in the machine state of every signal; 0,
 * division, is also that of a thread without any. */
bool wcm__arch_fault_again(int signal, void *ucontext, wcm_reader *read)
{
	gregset_t gregs;

	if (!read_gregs(ucontext, &gregs, read))
		return false;
	switch (gregs[REG_TRAPNO]) {
	case DIVISION:
		return signal == SIGFPE && is_division((uintptr_t)gregs[REG_RIP], read);
	case BREAKPOINT:
		return signal == SIGTRAP &&
		       step_back(ucontext, (uintptr_t)gregs[REG_RIP], read);
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
