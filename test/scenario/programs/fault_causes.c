/* SPDX-License-Identifier: MIT */
/* fault_causes.c - each way to have the CPU raise an exception whose signal says too little.
 *
 *	fault_causes NAME	dies of it, after a line with the address that it accesses, or "-"
 *	fault_causes		lists the names, each with the signal and what the report is to say
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static _Alignas(64) char memory[4096];
static char *const odd = memory + 68; /* no multiple of 16, but of 4 */
#define BAD ((char *)0xdead000000000010)

static void *volatile address;

static uintptr_t thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

static void say(const volatile void *accessed)
{
	if (accessed)
		printf("%#018lx\n", (unsigned long)(uintptr_t)accessed);
	else
		puts("-");
	fflush(stdout);
}

/* NAME accesses what ADDRESS is, with rdi = BASE, rsi = INDEX, rax = 1, rdx = 0, rcx = 2. */
#define RUN(name, where, base, index, code)                                                 \
	static void name(void)                                                              \
	{                                                                                   \
		say((const void *)(uintptr_t)(where)); \
		__asm__ volatile(code : : "D"(base), "S"((uintptr_t)(index)), "a"(1ul),     \
				 "d"(0ul), "c"(2ul) : "rbx", "r8", "r9", "r10", "r15",      \
				 "memory", "cc", "xmm0", "xmm1");                           \
	}

#define NOT_16 "misaligned address, not a multiple of 16"
#define NOT_32 "misaligned address, not a multiple of 32"
#define NOT_64 "misaligned address, not a multiple of 64"
#define ODD "address not canonical"
#define ODD_STACK "stack address not canonical"
#define RIGHTS "privileged instruction"

#define MISALIGNED(X)                                                                        \
	X(movaps_store, odd, odd, 0, "movaps %%xmm0, (%%rdi)", "SEGV", NOT_16)               \
	X(movaps_load, odd + 8, odd, 0, "movaps 8(%%rdi), %%xmm1", "SEGV", NOT_16)           \
	X(movapd_store, odd, odd, 0, "movapd %%xmm8, (%%rdi)", "SEGV", NOT_16)               \
	X(movdqa_load, odd + 2 * 4 + 104, odd, 4, "movdqa 104(%%rdi,%%rsi,2), %%xmm0", "SEGV", \
	  NOT_16)                                                                            \
	X(movdqa_index, odd, 0, (uintptr_t)odd / 4, "movdqa (,%%rsi,4), %%xmm0", "SEGV", NOT_16) \
	X(movdqa_high, odd - 64, odd, 0, "mov %%rdi, %%r8; movdqa -64(%%r8), %%xmm9", "SEGV", \
	  NOT_16)                                                                            \
	X(movdqa_sib_high, odd + 8, odd, 1,                                                  \
	  "mov %%rdi, %%r9; mov %%rsi, %%r10; movdqa (%%r9,%%r10,8), %%xmm0", "SEGV", NOT_16) \
	X(movntps, odd, odd, 0, "movntps %%xmm0, (%%rdi)", "SEGV", NOT_16)                   \
	X(movntdq, odd, odd, 0, "movntdq %%xmm0, (%%rdi)", "SEGV", NOT_16)                   \
	X(addps, odd, odd, 0, "addps (%%rdi), %%xmm0", "SEGV", NOT_16)                       \
	X(pxor, odd, odd, 0, "pxor (%%rdi), %%xmm0", "SEGV", NOT_16)                         \
	X(pshufb, odd, odd, 0, "pshufb (%%rdi), %%xmm0", "SEGV", NOT_16)                     \
	X(palignr, odd, odd, 0, "palignr $3, (%%rdi), %%xmm0", "SEGV", NOT_16)               \
	X(pshufd_rip, memory + 72, 0, 0, "pshufd $1, memory+72(%%rip), %%xmm0", "SEGV", NOT_16) \
	X(movaps_rip, memory + 72, 0, 0, "movaps memory+72(%%rip), %%xmm0", "SEGV", NOT_16)  \
	X(movaps_32, (uint32_t)(uintptr_t)odd, odd, 0, "movaps (%%edi), %%xmm0", "SEGV", NOT_16) \
	X(movaps_rsp, odd + 4, odd, 0, "mov %%rdi, %%rsp; movaps 4(%%rsp), %%xmm0", "SEGV",  \
	  NOT_16)                                                                            \
	X(movaps_rbp, odd, odd, 0, "mov %%rdi, %%rbp; movaps (%%rbp), %%xmm0", "SEGV", NOT_16) \
	X(vmovaps_16, odd, odd, 0, "vmovaps %%xmm0, (%%rdi)", "SEGV", NOT_16)                \
	X(vmovaps_32, odd + 12, odd, 0, "vmovaps %%ymm0, 12(%%rdi)", "SEGV", NOT_32)         \
	X(vmovdqa_32, odd + 12, odd, 1, "vmovdqa 4(%%rdi,%%rsi,8), %%ymm0", "SEGV", NOT_32)  \
	X(vmovntdqa, odd + 12, odd, 0, "vmovntdqa 12(%%rdi), %%ymm0", "SEGV", NOT_32)        \
	X(vmovdqa_64, odd + 64, odd, 0, "vmovdqa64 64(%%rdi), %%zmm0", "SEGV", NOT_64)       \
	X(fxsave, odd, odd, 0, "fxsave (%%rdi)", "SEGV", NOT_16)                             \
	X(xsave, odd + 12, odd, 0, "xsave 12(%%rdi)", "SEGV", NOT_64)                        \
	X(cmpxchg16b, odd, odd, 0, "cmpxchg16b (%%rdi)", "SEGV", NOT_16)                     \
	X(lock_cmpxchg16b, odd, odd, 0, "lock cmpxchg16b (%%rdi)", "SEGV", NOT_16)           \
	X(checked_load, memory + 65, memory + 65, 0,                                         \
	  "pushf; orl $0x40000, (%%rsp); popf; mov (%%rdi), %%eax", "BUS",                   \
	  "misaligned address, not a multiple of 4")                                         \
	X(checked_store, memory + 66, memory + 66, 0,                                        \
	  "pushf; orl $0x40000, (%%rsp); popf; movq $1, (%%rdi)", "BUS",                     \
	  "misaligned address, not a multiple of 8")

#define NOT_CANONICAL(X)                                                                     \
	X(load, BAD, BAD, 0, "mov (%%rdi), %%eax", "SEGV", ODD)                              \
	X(store, BAD + 8, BAD, 0, "mov %%eax, 8(%%rdi)", "SEGV", ODD)                        \
	X(by_index, BAD + 8, 8, BAD, "mov (%%rdi,%%rsi), %%eax", "SEGV", ODD)                   \
	X(scaled, (uintptr_t)1 << 63, 0, (uintptr_t)1 << 60, "mov (%%rdi,%%rsi,8), %%eax",   \
	  "SEGV", ODD)                                                                       \
	X(beyond, ((uintptr_t)1 << 47) + 16, ((uintptr_t)1 << 47) - 16, 0,                   \
	  "mov 32(%%rdi), %%eax", "SEGV", ODD)                                               \
	X(across, ((uintptr_t)1 << 47) - 4, ((uintptr_t)1 << 47) - 4, 0,                     \
	  "mov (%%rdi), %%rax", "SEGV", ODD)                                                 \
	X(movaps_odd, BAD + 4, BAD, 0, "movaps 4(%%rdi), %%xmm0", "SEGV", ODD)               \
	X(immediate, BAD, BAD, 0, "addl $1000, (%%rdi)", "SEGV", ODD)                        \
	X(absolute, 0x1234567890123456, 0, 0, "movabs 0x1234567890123456, %%eax", "SEGV", ODD) \
	X(of_fs, BAD + thread_pointer(), BAD, 0, "mov %%fs:(%%rdi), %%eax", "SEGV", ODD) \
	X(of_gs, BAD, BAD, 0, "mov %%gs:(%%rdi), %%eax", "SEGV", ODD)                        \
	X(lods, BAD, 0, BAD, "lodsb", "SEGV", ODD)                                           \
	X(stos, BAD, BAD, 0, "stosq", "SEGV", ODD)                                           \
	X(rep_stos, BAD, BAD, 0, "rep stosb", "SEGV", ODD)                                   \
	X(rep_movs, BAD, memory, BAD, "rep movsb", "SEGV", ODD)                              \
	X(movs_to, BAD, BAD, memory, "movsq", "SEGV", ODD)                                   \
	X(cmps, BAD, BAD, memory, "repe cmpsb", "SEGV", ODD)                                 \
	X(scas, BAD, BAD, 0, "repne scasb", "SEGV", ODD)                                     \
	X(xlat, BAD + 1, BAD, 0, "mov %%rdi, %%rbx; xlatb", "SEGV", ODD)                     \
	X(lock_add, BAD, BAD, 0, "lock addl $1, (%%rdi)", "SEGV", ODD)                       \
	X(fild, BAD, BAD, 0, "fildl (%%rdi)", "SEGV", ODD)                                   \
	X(gather, 0, BAD, 0,                                                                 \
	  "vpcmpeqd %%xmm1, %%xmm1, %%xmm1; vpgatherdd %%xmm1, (%%rdi,%%xmm0), %%xmm2", \
	  "SEGV", ODD) \
	X(jump_by, BAD, BAD, 0, "jmp *(%%rdi)", "SEGV", ODD)                                 \
	X(of_rbp, BAD, BAD, 0, "mov %%rdi, %%rbp; mov (%%rbp), %%eax", "BUS", ODD_STACK)     \
	X(of_rsp, BAD + 8, BAD, 0, "mov %%rdi, %%rsp; mov 8(%%rsp), %%eax", "BUS", ODD_STACK) \
	X(push, BAD - 8, BAD, 0, "mov %%rdi, %%rsp; push %%rax", "BUS", ODD_STACK)           \
	X(push_number, BAD - 8, BAD, 0, "mov %%rdi, %%rsp; push $1", "BUS", ODD_STACK)       \
	X(pop, BAD, BAD, 0, "mov %%rdi, %%rsp; pop %%rax", "BUS", ODD_STACK)                 \
	X(call_push, BAD - 8, BAD, 0, "mov %%rdi, %%rsp; call abort@PLT", "BUS", ODD_STACK)      \
	X(ret_pop, BAD, BAD, 0, "mov %%rdi, %%rsp; ret", "BUS", ODD_STACK)                   \
	X(leave, BAD, BAD, 0, "mov %%rdi, %%rbp; leave", "BUS", ODD_STACK)                   \
	X(jump, BAD, BAD, 0, "jmp *%%rdi", "SEGV", "jump to an address that is not canonical") \
	X(call, BAD, BAD, 0, "call *%%rdi", "SEGV", "call of an address that is not canonical") \
	X(call_by, BAD, &address, 0, "call *(%%rdi)", "SEGV",                                \
	  "call of an address that is not canonical")                                        \
	X(ret, BAD, BAD, 0, "push %%rdi; ret", "SEGV", "return to an address that is not canonical")

#define REFUSED(X)                                                                           \
	X(hlt, 0, 0, 0, "hlt", "SEGV", RIGHTS)                                               \
	X(cli, 0, 0, 0, "cli", "SEGV", RIGHTS)                                               \
	X(sti, 0, 0, 0, "sti", "SEGV", RIGHTS)                                               \
	X(in, 0, 0, 0, "inb %%dx, %%al", "SEGV", RIGHTS)                                     \
	X(in_number, 0, 0, 0, "inl $0x70, %%eax", "SEGV", RIGHTS)                            \
	X(out, 0, 0, 0, "outl %%eax, %%dx", "SEGV", RIGHTS)                                  \
	X(outs, 0, BAD, BAD, "outsb", "SEGV", RIGHTS)                                        \
	X(rdmsr, 0, 0, 0, "rdmsr", "SEGV", RIGHTS)                                           \
	X(wrmsr, 0, 0, 0, "wrmsr", "SEGV", RIGHTS)                                           \
	X(read_cr, 0, 0, 0, "mov %%cr0, %%rax", "SEGV", RIGHTS)                              \
	X(write_cr, 0, 0, 0, "mov %%rax, %%cr3", "SEGV", RIGHTS)                             \
	X(read_dr, 0, 0, 0, "mov %%dr7, %%rax", "SEGV", RIGHTS)                              \
	X(lgdt, 0, BAD, 0, "lgdt (%%rdi)", "SEGV", RIGHTS)                                   \
	X(invlpg, 0, memory, 0, "invlpg (%%rdi)", "SEGV", RIGHTS)                            \
	X(ltr, 0, 0, 0, "ltr %%ax", "SEGV", RIGHTS)                                          \
	X(wbinvd, 0, 0, 0, "wbinvd", "SEGV", RIGHTS)                                         \
	X(clts, 0, 0, 0, "clts", "SEGV", RIGHTS)                                             \
	X(swapgs, 0, 0, 0, "swapgs", "SEGV", RIGHTS)                                         \
	X(int_81, 0, 0, 0, "int $0x81", "SEGV", "interrupt 129 is not for programs")         \
	X(int_0, 0, 0, 0, "int $0", "SEGV", "interrupt 0 is not for programs")               \
	X(int_4, 0, 0, 0, "int $4", "SEGV", "overflow trap")                                 \
	X(selector, 0, 0, 0, "mov $0x1000, %%eax; mov %%eax, %%es", "SEGV",                  \
	  "segment selector not valid")                                                      \
	X(xgetbv, 0, 0, 0, "xgetbv", "SEGV", "general protection fault")                     \
	X(int3, 0, 0, 0, "int3", "TRAP", "breakpoint instruction")                           \
	X(int_3, 0, 0, 0, ".byte 0xcd, 3", "TRAP", "breakpoint instruction")                 \
	X(icebp, 0, 0, 0, ".byte 0xf1", "TRAP", "breakpoint")                                \
	X(ud0, 0, 0, 0, ".byte 0x0f, 0xff, 0xc0",                                            \
	  "ILL", "the instruction ud0, which always fails") \
	X(ud1, 0, 0, 0, ".byte 0x0f, 0xb9, 0x40, 0x10", "ILL",                               \
	  "the instruction ud1, which always fails")                                         \
	X(ud2, 0, 0, 0, "ud2", "ILL", "the instruction ud2, which always fails")             \
	X(into, 0, 0, 0, ".byte 0xce", "ILL", "the CPU does not take this instruction")

#define ZERO "integer division by zero"
#define TOO_LARGE "overflow of an integer division"
#define DIVISIONS(X)                                                                         \
	X(div_8, 0, 0, 0, "divb %%dl", "FPE", ZERO)                                          \
	X(div_8_high, 0, 0, 0, "divb %%dh", "FPE", ZERO)                                     \
	X(div_8_rex, 0, 0, 0, "mov $0x100, %%esi; divb %%sil", "FPE", ZERO)                  \
	X(div_8_ah, 0, 0, 0, "mov $0x1ff, %%eax; divb %%ah", "FPE", TOO_LARGE)               \
	X(div_16, 0, 0, 0, "mov $0x10000, %%esi; divw %%si", "FPE", ZERO)                    \
	X(div_32, 0, 0, 0, "divl %%esi", "FPE", ZERO)                                        \
	X(div_64, 0, 0, 0, "divq %%rsi", "FPE", ZERO)                                        \
	X(idiv_8, 0, 0, 0, "idivb %%dl", "FPE", ZERO)                                        \
	X(idiv_16, 0, 0, 0, "idivw %%dx", "FPE", ZERO)                                       \
	X(idiv_32, 0, 0, 0, "xor %%r15d, %%r15d; idivl %%r15d", "FPE", ZERO)                 \
	X(idiv_64, 0, memory, 0, "idivq 64(%%rdi)", "FPE", ZERO)                             \
	X(idiv_memory, 0, memory, 0, "movb $0, 1(%%rdi); idivb 1(%%rdi)", "FPE", ZERO)       \
	X(big_div_8, 0, 0, 0, "mov $0x7000, %%eax; mov $1, %%dl; divb %%dl", "FPE", TOO_LARGE) \
	X(big_div_16, 0, 0, 0, "mov $9, %%edx; divw %%cx", "FPE", TOO_LARGE)                 \
	X(big_div_32, 0, 0, 0, "mov $9, %%edx; divl %%ecx", "FPE", TOO_LARGE)                \
	X(big_div_64, 0, memory, 0, "mov $9, %%edx; movq $3, (%%rdi); divq (%%rdi)", "FPE",  \
	  TOO_LARGE)                                                                         \
	X(big_idiv_32, 0, -1, 0, "mov $0x80000000, %%eax; cltd; idivl %%edi", "FPE", TOO_LARGE) \
	X(big_idiv_64, 0, -1l, 0, "mov $1, %%eax; shl $63, %%rax; cqto; idivq %%rdi", "FPE",  \
	  TOO_LARGE)                                                                         \
	X(big_idiv_16, 0, -1, 0, "mov $0x8000, %%eax; cwtd; idivw %%di", "FPE", TOO_LARGE)   \
	X(big_idiv_8, 0, -1, 0, "mov $0xff80, %%eax; idivb %%dil", "FPE", TOO_LARGE)

#define X_FUNCTION(name, where, base, index, code, signal, cause) \
	RUN(name, where, base, index, code)
MISALIGNED(X_FUNCTION)
NOT_CANONICAL(X_FUNCTION)
REFUSED(X_FUNCTION)
DIVISIONS(X_FUNCTION)

static void no_time_stamps(void)
{
	say(NULL);
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	__asm__ volatile("rdtsc" : : : "rax", "rdx");
}

/* SSE's exceptions of ENABLED, those of BEFORE having come while they were masked: a / b. */
static void divide(unsigned enabled, unsigned before, double a, double b)
{
	const unsigned state = (0x1f80 & ~(enabled << 7)) | before;

	say(NULL);
	__asm__ volatile("ldmxcsr %0; divsd %2, %1" : : "m"(state), "x"(a), "x"(b));
}

static void sse_zero(void) { divide(4, 0, 1, 0); }
static void sse_invalid(void) { divide(1, 0, 0, 0); }
static void sse_overflow(void) { divide(8, 0, 1e300, 1e-300); }
static void sse_underflow(void) { divide(16, 0, 1e-300, 1e300); }
static void sse_denormal(void) { divide(2, 0, 1e-310, 1); }
static void sse_inexact(void) { divide(32, 0, 1, 3); }
static void sse_several(void) { divide(5, 1, 1, 0); }
static void sse_one_of_many(void) { divide(4, 1, 1, 0); }

/* x87's exceptions that are masked by CONTROL; the second instruction finds them. */
#define X87(name, control, code)                                                             \
	static void name(void)                                                               \
	{                                                                                    \
		const unsigned short word = control;                                         \
                                                                                             \
		say(NULL);                                                                   \
		__asm__ volatile("fninit; fldcw %0;" code "; fwait" : : "m"(word));          \
	}

X87(x87_zero, 0x33b, "fld1; fldz; fdivrp")
X87(x87_invalid, 0x33e, "fldz; fldz; fdivrp")
X87(x87_stack, 0x33e, "fstp %%st(0)")
X87(x87_inexact, 0x31f, "fldpi; fld1; fadd %%st(1)")

static char *map(size_t size, int protection)
{
	return mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void beyond_file(void)
{
	FILE *file = tmpfile();
	char *mapped;

	fputs("one page", file);
	fflush(file);
	mapped = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fileno(file), 0);
	say(mapped + 4100);
	__asm__ volatile("movb (%0), %%al" : : "r"(mapped + 4100) : "rax");
}

static void guard(void)
{
	char *mapped = map(8192, PROT_READ | PROT_WRITE);

	mprotect(mapped, 4096, PROT_NONE);
	say(mapped + 4090);
	mapped[4090] = 1;
}

static void read_only(void)
{
	char *mapped = map(4096, PROT_READ);

	say(mapped + 8);
	mapped[8] = 1;
}

static void protected_by_key(void)
{
	char *mapped = map(4096, PROT_READ | PROT_WRITE);
	const int key = pkey_alloc(0, PKEY_DISABLE_ACCESS);

	if (key < 0 || pkey_mprotect(mapped, 4096, PROT_READ | PROT_WRITE, key) != 0)
		_exit(77);
	say(mapped + 16);
	mapped[16] = 1;
}

#define X_ENTRY(name, where, base, index, code, signal, cause) { #name, signal, cause, name },

static const struct {
	const char *name, *signal, *cause;
	void (*run)(void);
} all[] = {
	MISALIGNED(X_ENTRY) NOT_CANONICAL(X_ENTRY) REFUSED(X_ENTRY) DIVISIONS(X_ENTRY)
	{ "no_time_stamps", "SEGV", RIGHTS, no_time_stamps },
	{ "sse_zero", "FPE", "floating-point division by zero", sse_zero },
	{ "sse_invalid", "FPE", "invalid floating-point operation", sse_invalid },
	{ "sse_overflow", "FPE", "floating-point overflow", sse_overflow },
	{ "sse_underflow", "FPE", "floating-point underflow", sse_underflow },
	{ "sse_denormal", "FPE", "denormal floating-point operand", sse_denormal },
	{ "sse_inexact", "FPE", "floating-point result is inexact", sse_inexact },
	{ "sse_several", "FPE",
	  "floating-point exception, one of: invalid operation, division by zero", sse_several },
	{ "sse_one_of_many", "FPE", "floating-point division by zero", sse_one_of_many },
	{ "x87_zero", "FPE", "floating-point division by zero, of an earlier instruction",
	  x87_zero },
	{ "x87_invalid", "FPE", "invalid floating-point operation, of an earlier instruction",
	  x87_invalid },
	{ "x87_stack", "FPE",
	  "overflow or underflow of the floating-point stack, of an earlier instruction",
	  x87_stack },
	{ "x87_inexact", "FPE", "floating-point result is inexact, of an earlier instruction",
	  x87_inexact },
	{ "beyond_file", "BUS", "no storage at the address", beyond_file },
	{ "guard", "SEGV", "access not permitted", guard },
	{ "read_only", "SEGV", "access not permitted", read_only },
	{ "protected_by_key", "SEGV", "access denied by protection key 1", protected_by_key },
};

static int is_supported(const char *name)
{
	__builtin_cpu_init();
	if (strcmp(name, "vmovdqa_64") == 0)
		return __builtin_cpu_supports("avx512f");
	return __builtin_cpu_supports("avx2") || (name[0] != 'v' && strcmp(name, "gather") != 0);
}

int main(int argc, char *argv[])
{
	address = BAD;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (argc < 2)
			printf("%s %s %s\n", all[i].name, all[i].signal, all[i].cause);
		else if (strcmp(all[i].name, argv[1]) == 0 && !is_supported(argv[1]))
			return 77;
		else if (strcmp(all[i].name, argv[1]) == 0)
			all[i].run(); /* which does not return */
	return argc < 2 ? 0 : 1;
}
