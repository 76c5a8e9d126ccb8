/* SPDX-License-Identifier: MIT */
/* aarch64/context.c (SAFE) - the signal frame, a signal's machine state, and the thread pointer.
 *
 * Behind the general registers the kernel's sigcontext has records, each with its size, for
 * those of vectors and for the exception syndrome (ESR), which tells what a fault was about.
 * An emulator may leave that out; then the instruction tells.
 */
#include "core/arch/arch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ucontext.h>

#include "core/arch/aarch64/instruction.h"

/* What an mcontext_t begins with: libcs differ in the names. */
struct machine_state {
	uint64_t fault_address, regs[31], sp, pc, pstate;
};

/* From there, aligned to 16 bytes; of so many bytes. */
enum { RECORDS = 288, RECORDS_SIZE = 4096 };

struct record {
	uint32_t magic, size;
};

/* Where it lies it is read past a sanitizer, which does not know what the kernel puts on a
 * stack. */
__attribute__((no_sanitize("address"))) static bool
read_words(uintptr_t at, void *words, size_t size, wcm_reader *read)
{
	if (read)
		return read(at, words, size);
	for (size_t i = 0; i < size / sizeof(uint64_t); i++)
		((uint64_t *)words)[i] = ((const volatile uint64_t *)at)[i];
	return true;
}

static uintptr_t state_at(const void *ucontext)
{
	return (uintptr_t)ucontext + offsetof(ucontext_t, uc_mcontext);
}

static bool read_state(const void *ucontext, struct machine_state *state, wcm_reader *read)
{
	return read_words(state_at(ucontext), state, sizeof(*state), read);
}

static struct machine_state *state_of(void *ucontext)
{
	return (struct machine_state *)state_at(ucontext);
}

bool wcm__arch_registers_from_context(struct wcm_registers *registers,
				      const void *ucontext, wcm_reader *read)
{
	struct machine_state state;

	if (!read_state(ucontext, &state, read))
		return false;
	*registers = (struct wcm_registers){ .pc = state.pc, .known = UINT32_MAX };
	memcpy(registers->value, state.regs, sizeof(state.regs));
	registers->value[WCM_COLUMN_SP] = state.sp;
	return true;
}

/* The exception syndrome; false where the kernel does not tell. */
static bool read_syndrome(const void *ucontext, uint64_t *syndrome, wcm_reader *read)
{
	enum { MAGIC = 0x45535201, ALIGNMENT = 16, SIZE = 16 };
	uintptr_t at = state_at(ucontext) + RECORDS;
	const uintptr_t end = at + RECORDS_SIZE - SIZE;
	struct record record;

	while (at <= end && read_words(at, &record, sizeof(record), read) &&
	       record.magic != 0 && record.size >= SIZE && record.size % ALIGNMENT == 0) {
		if (record.magic == MAGIC)
			return read_words(at + sizeof(record), syndrome, sizeof(*syndrome), read);
		at += record.size;
	}
	return false;
}

/* Of the syndrome's uppermost bits: what kind of exception it was (D17.2.37). */
enum {
	INSTRUCTION_ABORT = 0x20,
	INSTRUCTION_ABORT_SAME = 0x21,
	PC_ALIGNMENT = 0x22,
	DATA_ABORT = 0x24,
	DATA_ABORT_SAME = 0x25,
	SP_ALIGNMENT = 0x26,
};

static unsigned kind_of(uint64_t syndrome)
{
	return syndrome >> 26 & 63;
}

static bool is_fetch(unsigned kind)
{
	return kind == INSTRUCTION_ABORT || kind == INSTRUCTION_ABORT_SAME ||
	       kind == PC_ALIGNMENT;
}

bool wcm__arch_fetch_failed(const void *ucontext, wcm_reader *read)
{
	struct machine_state state;
	uint64_t syndrome;

	if (!read_state(ucontext, &state, read))
		return false;
	if (read_syndrome(ucontext, &syndrome, read))
		return is_fetch(kind_of(syndrome)) &&
		       (state.fault_address == state.pc || state.pc % WCM_INSTRUCTION != 0);
	return state.fault_address == state.pc;
}

/* The same by the instruction, which is one of those that do both if it is atomic: that is
 * called a write. */
static enum wcm_access access_by_code(const void *ucontext, wcm_reader *read)
{
	struct machine_state state;
	uint32_t code;

	if (!read_state(ucontext, &state, read) || !read(state.pc, &code, sizeof(code)))
		return WCM_ACCESS_UNKNOWN;
	switch (wcm__memory(code)) {
	case WCM_LOADS:
		return WCM_ACCESS_READ;
	case WCM_STORES:
		return WCM_ACCESS_WRITE;
	case WCM_NO_MEMORY:
		break;
	}
	return WCM_ACCESS_UNKNOWN;
}

enum wcm_access wcm__arch_access(const void *ucontext, wcm_reader *read)
{
	enum { WRITE = 1 << 6, MAINTENANCE = 1 << 8 };
	uint64_t syndrome;

	if (wcm__arch_fetch_failed(ucontext, read))
		return WCM_ACCESS_EXECUTE;
	if (!read_syndrome(ucontext, &syndrome, read))
		return access_by_code(ucontext, read);
	if (kind_of(syndrome) != DATA_ABORT && kind_of(syndrome) != DATA_ABORT_SAME)
		return WCM_ACCESS_UNKNOWN;
	/* What is done to a cache is called a write, and needs no more than to read. */
	return (syndrome & (WRITE | MAINTENANCE)) == WRITE ? WCM_ACCESS_WRITE : WCM_ACCESS_READ;
}

/* Of 52 bits at most; the uppermost byte is a tag, which the CPU ignores. */
bool wcm__arch_is_canonical(uintptr_t address)
{
	const unsigned above = address >> 52 & 15;

	return above == 0 || above == 15;
}

size_t wcm__arch_general_registers(
	const void *ucontext, wcm_reader *read,
	struct wcm_named_register registers[WCM_MOST_NAMED_REGISTERS])
{
	static const char names[][4] = {
		"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",  "x9",  "x10",
		"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
		"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30",
	};
	const size_t count = sizeof(names) / sizeof(*names);
	struct machine_state state;

	if (!read_state(ucontext, &state, read))
		return 0;
	for (size_t i = 0; i < count; i++)
		registers[i] = (struct wcm_named_register){ names[i], state.regs[i] };
	registers[count] = (struct wcm_named_register){ "sp", state.sp };
	registers[count + 1] = (struct wcm_named_register){ "pc", state.pc };
	registers[count + 2] = (struct wcm_named_register){ "pstate", state.pstate };
	return count + 3;
}

/* struct rt_sigframe: a siginfo_t, then the ucontext_t. */
enum { SIGINFO = 128 };

uintptr_t wcm__arch_signal_context(const struct wcm_regs *regs, wcm_reader *read)
{
	(void)read;
	return regs->sp + SIGINFO;
}

/* A handler that the kernel has called, which returns to a trampoline, stands in front of the
 * frame; another handler that calls it has been given its arguments. */
struct wcm_handed wcm__arch_handed(void *cfa, const void *ra, siginfo_t *info, void *ucontext)
{
	const volatile uint32_t *code =
		(const volatile uint32_t *)wcm__arch_strip((uintptr_t)ra);

	if (code[0] != WCM_SIGRETURN_FIRST || code[1] != WCM_SIGRETURN_SECOND)
		return (struct wcm_handed){ info, ucontext };
	return (struct wcm_handed){ cfa, (char *)cfa + SIGINFO };
}

bool wcm__arch_refuse_syscall(void *ucontext)
{
	state_of(ucontext)->regs[0] = (uint64_t)-ENOSYS;
	return true;
}

bool wcm__arch_call_result(const void *ucontext, wcm_reader *read, intptr_t *result)
{
	enum { SVC = 0xd4000001 };
	struct machine_state state;
	uint32_t code;

	if (!read_state(ucontext, &state, read) ||
	    !read(state.pc - sizeof(code), &code, sizeof(code)) || code != (uint32_t)SVC)
		return false;
	*result = (intptr_t)state.regs[0];
	return true;
}

bool wcm__arch_is_own_syscall(const void *ucontext)
{
	const uintptr_t pc = state_of((void *)ucontext)->pc;

	return *(const volatile uint32_t *)pc == (uint32_t)WCM_ARCH_SYSCALL_MARK;
}

/* A load of the variable: nothing that all libcs have there leads to itself.  Its stack is as
 * its caller left it wherever it faults, and nothing else is in the bytes that it is aligned
 * to. */
enum { HOLDS_SIZE = 32 };

__asm__(".text\n\t"
	".globl wcm__arch_thread_pointer_holds\n\t"
	".hidden wcm__arch_thread_pointer_holds\n\t"
	".type wcm__arch_thread_pointer_holds, @function\n\t"
	".p2align 5\n"
	"wcm__arch_thread_pointer_holds:\n\t"
	".cfi_startproc\n\t"
	"hint #34\n\t"
	"mrs x1, tpidr_el0\n\t"
	"ldrb w2, [x1, x0]\n\t"
	"tst x1, #15\n\t"
	"cset w0, eq\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_thread_pointer_holds, . - wcm__arch_thread_pointer_holds\n\t"
	".p2align 5");

bool wcm__arch_thread_pointer_failed(void *ucontext)
{
	struct machine_state *state = state_of(ucontext);

	if (state->pc - (uintptr_t)wcm__arch_thread_pointer_holds >= HOLDS_SIZE)
		return false;
	state->regs[0] = false;
	state->pc = wcm__arch_strip(state->regs[WCM_X30]);
	return true;
}

bool wcm__arch_thread_pointer_get(uintptr_t *pointer)
{
	*pointer = wcm__arch_thread_pointer();
	return true;
}

void wcm__arch_thread_pointer_set(uintptr_t pointer)
{
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(pointer) : "memory");
}

/* Whether the instruction at the state's pc is one of those that are there to fail: brk, or
 * udf, of which zeroes are one. */
static bool is_trap(const struct machine_state *state, int signal, wcm_reader *read)
{
	uint32_t code;

	if (!read(state->pc, &code, sizeof(code)))
		return false;
	return signal == SIGTRAP ? (code & 0xffe0001f) == 0xd4200000 : code >> 16 == 0;
}

/* The kernel keeps the syndrome of a thread's last fault for all signals that follow.  Where it
 * does not, the fault is by the instruction, if that can have one. */
bool wcm__arch_fault_again(int signal, void *ucontext, wcm_reader *read)
{
	struct machine_state state;
	uint64_t syndrome;

	if (!read_state(ucontext, &state, read))
		return false;
	if (signal == SIGTRAP || signal == SIGILL)
		return is_trap(&state, signal, read);
	if (signal != SIGSEGV && signal != SIGBUS)
		return false;
	if (!read_syndrome(ucontext, &syndrome, read))
		return state.fault_address != 0 ||
		       access_by_code(ucontext, read) != WCM_ACCESS_UNKNOWN;
	return is_fetch(kind_of(syndrome)) || kind_of(syndrome) == DATA_ABORT ||
	       kind_of(syndrome) == DATA_ABORT_SAME || kind_of(syndrome) == SP_ALIGNMENT;
}
