/* SPDX-License-Identifier: MIT */
/* riscv64/context.c (SAFE) - a signal's machine state, its frame, and the thread pointer.
 *
 * The machine state has the registers and, behind those of floating-point, extensions that are
 * not read.  It says nothing of a fault.  But the kernel's frame has the siginfo_t in front of
 * the ucontext_t; one that is a copy, elsewhere, has not, which what is found there tells.
 */
#include "core/arch/arch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ucontext.h>

#include "core/arch/riscv64/instruction.h"

enum { SIGINFO_SIZE = 128, MOST = 32, A0 = 10 };

/* Where it lies it is read past a sanitizer, which does not know what the kernel puts on a
 * stack. */
__attribute__((no_sanitize("address"))) static bool
read_state(const void *ucontext, uintptr_t state[MOST], wcm_reader *read)
{
	const uintptr_t at = (uintptr_t)ucontext + offsetof(ucontext_t, uc_mcontext);

	if (read)
		return read(at, state, MOST * sizeof(*state));
	for (size_t i = 0; i < MOST; i++)
		state[i] = ((const volatile uintptr_t *)at)[i];
	return true;
}

/* The pc takes the place of the first register, which is always 0. */
bool wcm__arch_registers_from_context(struct wcm_registers *registers,
				      const void *ucontext, wcm_reader *read)
{
	uintptr_t state[MOST];

	if (!read_state(ucontext, state, read))
		return false;
	*registers = (struct wcm_registers){ .pc = state[0] };
	wcm__register_set(registers, WCM_X_ZERO, 0);
	for (unsigned i = 1; i < MOST; i++)
		wcm__register_set(registers, i, state[i]);
	return true;
}

/* As siginfo_t begins. */
struct fault {
	int signal, error, code, unused;
	uintptr_t address;
};

static bool read_fault(struct fault *fault, const void *ucontext, wcm_reader *read)
{
	return read((uintptr_t)ucontext - SIGINFO_SIZE, fault, sizeof(*fault)) &&
	       fault->code > 0 && fault->error == 0;
}

static bool is_of_memory(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS;
}

bool wcm__arch_fetch_failed(const void *ucontext, wcm_reader *read)
{
	uintptr_t state[MOST];
	struct fault fault;

	return read_state(ucontext, state, read) && read_fault(&fault, ucontext, read) &&
	       is_of_memory(fault.signal) && fault.address == state[0];
}

/* What INSTRUCTION, with the registers of STATE, wants of ADDRESS, if it can be that one which
 * the fault is about: an access that crosses a page fails at the beginning of the next. */
static enum wcm_access access_of(const struct wcm_instruction *instruction,
				 const uintptr_t state[MOST], uintptr_t address)
{
	const uintptr_t base = instruction->rs1 == WCM_X_ZERO ? 0 : state[instruction->rs1];
	const bool is_there = address - (base + (uintptr_t)(intptr_t)instruction->number) <
			      instruction->width;

	switch (instruction->operation) {
	case WCM_OP_LOAD:
	case WCM_OP_LOAD_ATOMIC:
		return is_there ? WCM_ACCESS_READ : WCM_ACCESS_UNKNOWN;
	case WCM_OP_STORE:
	case WCM_OP_STORE_ATOMIC:
		return is_there ? WCM_ACCESS_WRITE : WCM_ACCESS_UNKNOWN;
	case WCM_OP_VECTOR_LOAD:
		return WCM_ACCESS_READ;
	case WCM_OP_VECTOR_STORE:
		return WCM_ACCESS_WRITE;
	}
	return WCM_ACCESS_UNKNOWN;
}

enum wcm_access wcm__arch_access(const void *ucontext, wcm_reader *read)
{
	struct wcm_instruction instruction;
	uintptr_t state[MOST];
	struct fault fault;

	if (!read_state(ucontext, state, read) || !read_fault(&fault, ucontext, read) ||
	    !is_of_memory(fault.signal))
		return WCM_ACCESS_UNKNOWN;
	if (fault.address == state[0])
		return WCM_ACCESS_EXECUTE;
	if (!wcm__instruction_read(&instruction, state[0], read))
		return WCM_ACCESS_UNKNOWN;
	return access_of(&instruction, state, fault.address);
}

/* Whether it is this instruction's fault again, if it is run again.  Without a fault that is
 * known to be its own a signal may have been sent, whatever its siginfo_t says. */
bool wcm__arch_fault_again(int signal, void *ucontext, wcm_reader *read)
{
	struct wcm_instruction instruction;
	uintptr_t state[MOST];
	struct fault fault;

	if (!read_state(ucontext, state, read) || !read_fault(&fault, ucontext, read) ||
	    fault.signal != signal)
		return false;
	if (is_of_memory(signal))
		return wcm__arch_access(ucontext, read) != WCM_ACCESS_UNKNOWN;
	if (signal == SIGILL)
		return fault.address == state[0];
	return signal == SIGTRAP && wcm__instruction_read(&instruction, state[0], read) &&
	       instruction.operation == WCM_OP_BREAK;
}

/* An access to an address that is not canonical is reported with the address. */
bool wcm__arch_is_canonical(uintptr_t address)
{
	(void)address;
	return true;
}

size_t wcm__arch_general_registers(
	const void *ucontext, wcm_reader *read,
	struct wcm_named_register registers[WCM_MOST_NAMED_REGISTERS])
{
	static const char names[MOST][4] = {
		"ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp",  "s1",	"a0", "a1",
		"a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3",  "s4",	"s5", "s6",
		"s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "pc",
	};
	uintptr_t state[MOST];

	if (!read_state(ucontext, state, read))
		return 0;
	for (unsigned i = 0; i < MOST; i++)
		registers[i] = (struct wcm_named_register){ names[i], state[(i + 1) % MOST] };
	return MOST;
}

/* struct rt_sigframe, at the stack pointer. */
uintptr_t wcm__arch_signal_context(const struct wcm_regs *regs, wcm_reader *read)
{
	(void)read;
	return regs->sp + SIGINFO_SIZE;
}

bool wcm__arch_refuse_syscall(void *ucontext)
{
	((ucontext_t *)ucontext)->uc_mcontext.__gregs[A0] = (unsigned long)-ENOSYS;
	return true;
}

bool wcm__arch_call_result(const void *ucontext, wcm_reader *read, intptr_t *result)
{
	enum { ECALL = 0x73 };
	uintptr_t state[MOST];
	uint32_t code;

	if (!read_state(ucontext, state, read) ||
	    !read(state[0] - sizeof(code), &code, sizeof(code)) || code != ECALL)
		return false;
	*result = (intptr_t)state[A0];
	return true;
}

bool wcm__arch_is_own_syscall(const void *ucontext)
{
	/* As in syscall.h.  By halves: the first may be the last of its page. */
	enum { LOW = 0xa013, HIGH = 0x63d3 };
	const volatile uint16_t *code = (const uint16_t *)
		((const ucontext_t *)ucontext)->uc_mcontext.__gregs[0];

	return code[0] == LOW && code[1] == HIGH;
}

/* A load from where VARIABLE is.  Its stack and ra are as its caller left them wherever it
 * faults, and nothing else is in the bytes that it is aligned to. */
enum { HOLDS_SIZE = 16 };

__attribute__((naked, noinline, aligned(HOLDS_SIZE))) bool
wcm__arch_thread_pointer_holds(__attribute__((unused)) ptrdiff_t variable)
{
	__asm__("add a0, tp, a0\n\t"
		"lb a0, 0(a0)\n\t"
		"li a0, 1\n\t"
		"ret\n\t"
		".p2align 4");
}

bool wcm__arch_thread_pointer_failed(void *ucontext)
{
	unsigned long *const gregs = ((ucontext_t *)ucontext)->uc_mcontext.__gregs;
	const uintptr_t start = (uintptr_t)wcm__arch_thread_pointer_holds;

	if (gregs[0] - start >= HOLDS_SIZE)
		return false;
	gregs[A0] = false;
	gregs[0] = gregs[WCM_X_RA];
	return true;
}

bool wcm__arch_thread_pointer_get(uintptr_t *pointer)
{
	*pointer = wcm__arch_thread_pointer();
	return true;
}

void wcm__arch_thread_pointer_set(uintptr_t pointer)
{
	__asm__ volatile("mv tp, %0" : : "r"(pointer) : "memory");
}
