/* SPDX-License-Identifier: MIT */
/* x86_64/context.c - a signal's machine state, and code bytes that tell what an
 * address is. */
#include "arch/arch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ucontext.h>

#include "instruction.h"
#include "unwind/read.h"

static bool read_gregs_on(const struct wcm_span *stack, const void *ucontext,
			  gregset_t *gregs)
{
	const size_t offset = offsetof(ucontext_t, uc_mcontext) +
			      offsetof(mcontext_t, gregs);
	const uintptr_t at = (uintptr_t)ucontext + offset;

	if (!wcm__span_holds(stack, at, sizeof(*gregs)))
		return wcm__read_memory(at, gregs, sizeof(*gregs));
	memcpy(gregs, (const void *)at, sizeof(*gregs));
	return true;
}

static bool read_gregs(const void *ucontext, gregset_t *gregs)
{
	return read_gregs_on(&wcm__no_span, ucontext, gregs);
}

bool wcm__arch_registers_from_context(struct wcm_registers *registers,
				      const void *ucontext,
				      const struct wcm_span *stack)
{
	static const uint8_t greg[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15,
	}; /* by DWARF number */
	gregset_t gregs;

	if (!read_gregs_on(stack, ucontext, &gregs))
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

bool wcm__arch_fetch_failed(const void *ucontext, const struct wcm_span *stack)
{
	gregset_t gregs;

	/* The address that failed tells a fetch from a load, and this fault
	 * from one that an earlier signal left behind. */
	return read_gregs_on(stack, ucontext, &gregs) &&
	       gregs[REG_TRAPNO] == PAGE_FAULT &&
	       gregs[REG_CR2] == gregs[REG_RIP];
}

enum wcm_access wcm__arch_access(const void *ucontext)
{
	enum { WRITE = 1 << 1, FETCH = 1 << 4 }; /* SDM vol. 3, 4.7 */
	gregset_t gregs;

	if (!read_gregs(ucontext, &gregs) || gregs[REG_TRAPNO] != PAGE_FAULT)
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
	const void *ucontext,
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

	if (!read_gregs(ucontext, &gregs))
		return 0;
	for (size_t i = 0; i < count; i++)
		registers[i] = (struct wcm_named_register){
			named[i].name, (uintptr_t)gregs[named[i].greg]
		};
	return count;
}

/* Whether the LENGTH bytes of CODE are one indirect call: ff /2. */
static bool is_indirect_call(const uint8_t *code, unsigned length)
{
	return code[0] == 0xff && ((code[1] >> 3) & 7) == 2 &&
	       wcm__operand_length(code + 1, length - 1) == length - 1;
}

/* The SIZE bytes in front of PC.  Code that is made at run time may begin a page
 * with no other in front of it: zeroes stand for what cannot be read there. */
static bool read_before(uintptr_t pc, uint8_t *code, size_t size)
{
	size_t left = (pc - 1) % WCM_PAGE + 1;

	if (pc < size)
		return false;
	if (wcm__read_code(pc - size, code, size))
		return true;
	if (left >= size)
		return false;
	memset(code, 0, size - left);
	return wcm__read_code(pc - left, code + size - left, left);
}

/* The SIZE bytes from PC on, which may be the last of their page likewise. */
static bool read_behind(uintptr_t pc, uint8_t *code, size_t size)
{
	size_t left = WCM_PAGE - pc % WCM_PAGE;

	if (wcm__read_code(pc, code, size))
		return true;
	if (left >= size)
		return false;
	memset(code + left, 0, size - left);
	return wcm__read_code(pc, code, left);
}

bool wcm__arch_follows_call(uintptr_t pc)
{
	enum { LONGEST = 7, SHORTEST = 2 };
	uint8_t code[LONGEST];

	if (!read_before(pc, code, LONGEST))
		return false;
	if (code[LONGEST - 5] == 0xe8)
		return true;
	for (unsigned length = SHORTEST; length <= LONGEST; length++)
		if (is_indirect_call(code + LONGEST - length, length))
			return true;
	return false;
}

/* Register NUMBER of an instruction, as it was before the call. */
static uintptr_t before_call(const struct wcm_registers *registers,
			     unsigned number)
{
	enum { RSP = 4 };
	static const uint8_t column[] = { 0, 2, 1, 3, 7, 6, 4, 5 };
	uintptr_t value = 0;

	wcm__register_get(registers, number < 8 ? column[number] : number,
			  &value);
	return number == RSP ? value + sizeof(value) : value;
}

static uintptr_t displacement(const uint8_t *at, unsigned size)
{
	int32_t wide = 0;

	if (size == 1)
		return (uintptr_t)(intptr_t)(int8_t)*at;
	memcpy(&wide, at, size);
	return (uintptr_t)(intptr_t)wide;
}

/* Where the operand at CODE, a ModRM byte with what belongs to it, lies in memory;
 * the instruction ends at RA (SDM vol. 2, tables 2-2 and 2-3). */
static uintptr_t operand_address(const uint8_t *code, unsigned rex, uintptr_t ra,
				 const struct wcm_registers *registers)
{
	enum { NO_INDEX = 4, B = 1, X = 2 };
	const unsigned mod = code[0] >> 6, rm = code[0] & 7;
	const unsigned extra = rex & B ? 8 : 0;
	unsigned base = rm, index = NO_INDEX, size;
	uintptr_t address = 0;

	if (mod == 0 && rm == 5)
		return ra + displacement(code + 1, 4);
	code++;
	if (rm == 4) {
		base = *code & 7;
		index = (*code >> 3 & 7) | (rex & X ? 8 : 0);
		if (index != NO_INDEX)
			address = before_call(registers, index) << (*code >> 6);
		code++;
	}
	if (mod == 0 && base == 5)
		return address + displacement(code, 4);
	size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	return address + before_call(registers, base | extra) +
	       (size ? displacement(code, size) : 0);
}

/* Whether code at PC begins with a frame: endbr64, which is optional; a push, or
 * sub $x,%rsp. */
static bool begins_frame(uintptr_t pc)
{
	enum { LONGEST = 8, PUSH = 0x50, HIGH_REGISTER = 0x41 };
	uint8_t bytes[LONGEST];
	const uint8_t *code = bytes;

	if (!read_behind(pc, bytes, sizeof(bytes)))
		return true;
	code += wcm__endbr_size(code);
	if (code[0] == 0x48 && (code[1] | 2) == 0x83 && code[2] == 0xec)
		return true;
	return (*(code + (*code == HIGH_REGISTER)) & 0xf8) == PUSH;
}

/* Whether a call of TO can be at PC, WITHIN so many bytes of it, and have no frame. */
static bool leads_to(uintptr_t to, uintptr_t pc, unsigned within)
{
	return to == pc || (to < pc && pc - to <= within && !begins_frame(to));
}

/* Whether the indirect call, or jump, at CODE, REX in front of it, RA behind, led to the
 * pc, or WITHIN so many bytes of it. */
static bool has_called_by(const uint8_t *code, unsigned rex, uintptr_t ra,
			  const struct wcm_registers *registers, unsigned within)
{
	const unsigned number = (code[1] & 7) | (rex & 1 ? 8 : 0);
	uintptr_t to;

	if (code[1] >> 6 == 3)
		return leads_to(before_call(registers, number), registers->pc, within);
	return wcm__read_memory(operand_address(code + 1, rex, ra, registers),
				&to, sizeof(to)) &&
	       leads_to(to, registers->pc, within);
}

/* Whether code at PC does no more than jump to the pc of REGISTERS, or WITHIN so many
 * bytes of it: a linkage stub, or a function that has nothing else to do. */
static bool jumps_to(uintptr_t pc, const struct wcm_registers *registers, unsigned within)
{
	enum { LONGEST = 16, MOST_OPERAND = 6 };
	uint8_t bytes[LONGEST];
	const uint8_t *code = bytes;
	unsigned rex = 0;

	if (!read_behind(pc, bytes, sizeof(bytes)))
		return false;
	code += wcm__endbr_size(code);
	if (*code == 0xf2)
		code++;
	if (*code >> 4 == 4)
		rex = *code++;
	pc += (uintptr_t)(code - bytes);
	if (code[0] == 0xe9)
		return leads_to(pc + 5 + displacement(code + 1, 4), registers->pc, within);
	if (code[0] != 0xff || (code[1] >> 3 & 7) != 4)
		return false;
	pc += 1 + wcm__operand_length(code + 1, MOST_OPERAND);
	return has_called_by(code, rex, pc, registers, within);
}

bool wcm__arch_has_called(uintptr_t ra, const struct wcm_registers *registers,
			  unsigned within)
{
	enum { LONGEST = 8, SHORTEST = 2 };
	uint8_t code[LONGEST];
	uintptr_t to;

	if (!read_before(ra, code, LONGEST))
		return false;
	to = ra + displacement(code + LONGEST - 4, 4);
	if (code[LONGEST - 5] == 0xe8 &&
	    (leads_to(to, registers->pc, within) || jumps_to(to, registers, within)))
		return true;
	for (unsigned length = SHORTEST; length < LONGEST; length++) {
		const uint8_t *call = code + LONGEST - length;
		const unsigned rex = call[-1] >> 4 == 4 ? call[-1] : 0;

		if (is_indirect_call(call, length) &&
		    (has_called_by(call, rex, ra, registers, within) ||
		     has_called_by(call, 0, ra, registers, within)))
			return true;
	}
	return false;
}

bool wcm__arch_is_return(uintptr_t pc)
{
	enum { REP = 0xf3, BND = 0xf2, RET = 0xc3, RET_AND_POP = 0xc2 };
	uint8_t code[2];

	if (!wcm__read_code(pc, code, 1))
		return false;
	if (code[0] == RET || code[0] == RET_AND_POP)
		return true;
	return (code[0] == REP || code[0] == BND) &&
	       wcm__read_code(pc + 1, code + 1, 1) && code[1] == RET;
}

bool wcm__arch_is_stub(uintptr_t pc)
{
	/* endbr64; bnd jmp *x(%rip), both prefixes optional, or what comes
	 * before the name is bound: endbr64; push $number; bnd jmp first */
	enum { PREFIX = 1, PUSH = 5, LONGEST = 11 };
	uint8_t bytes[LONGEST];
	const uint8_t *code = bytes;
	bool pushes;

	if (!read_behind(pc, bytes, sizeof(bytes)))
		return false;
	code += wcm__endbr_size(code);
	pushes = code[0] == 0x68;
	if (pushes)
		code += PUSH;
	if (code[0] == 0xf2)
		code += PREFIX;
	return pushes ? code[0] == 0xe9 : code[0] == 0xff && code[1] == 0x25;
}

bool wcm__arch_is_sigreturn(uintptr_t pc)
{
	/* mov $__NR_rt_sigreturn,%rax; syscall.  gdb and libgcc know it by the
	 * same bytes, which is why libc keeps them. */
	static const uint8_t trampoline[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00,
					      0x00, 0x00, 0x0f, 0x05 };
	uint8_t code[sizeof(trampoline)];

	return wcm__read_code(pc, code, sizeof(code)) &&
	       memcmp(code, trampoline, sizeof(code)) == 0;
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
static bool is_division(uintptr_t pc)
{
	enum { MOST_PREFIXES = 4 };
	uint8_t code[2];

	for (int i = 0; i <= MOST_PREFIXES; i++, pc++) {
		if (!wcm__read_code(pc, code, sizeof(code)))
			return false;
		if (!is_prefix(code[0]))
			return (code[0] & 0xfe) == 0xf6 && ((code[1] >> 3) & 7) >= 6;
	}
	return false;
}

/* It is behind the one byte of its instruction that a breakpoint is reported. */
static bool step_back(void *ucontext, uintptr_t pc)
{
	enum { INT3 = 0xcc };
	uint8_t code;

	if (!wcm__read_code(pc - 1, &code, 1) || code != INT3)
		return false;
	((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP]--;
	return true;
}

/* The kernel keeps a thread's last fault in the machine state of every signal; 0,
 * division, is also that of a thread without any. */
bool wcm__arch_fault_again(int signal, void *ucontext)
{
	gregset_t gregs;

	if (!read_gregs(ucontext, &gregs))
		return false;
	switch (gregs[REG_TRAPNO]) {
	case DIVISION:
		return signal == SIGFPE && is_division((uintptr_t)gregs[REG_RIP]);
	case BREAKPOINT:
		return signal == SIGTRAP &&
		       step_back(ucontext, (uintptr_t)gregs[REG_RIP]);
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
