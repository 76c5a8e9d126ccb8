/* SPDX-License-Identifier: MIT */
/* x86_64/dispatch.c (SAFE) - system calls that are dispatched to a handler, and how they are made.
 *
 * The kernel dispatches no call that is made between wcm__arch_undispatched_begin and -end:
 * the handler's own, and its return.  A call that begins another thread, or borrows its memory
 * to a child, cannot be made in a handler, whose frame both would return to: the thread makes
 * it in a page of code for that place, when the handler has returned.
 */
#include "core/arch/arch.h"

#include <string.h>
#include <sys/ucontext.h>

#include "core/arch/x86_64/gregs.h"

/* NUMBER and its six arguments.  Nothing is between a call and its result but the kernel. */
long wcm__arch_undispatched(long number, const long argument[6])
	__attribute__((visibility("hidden")));

/* The same where signals come, which are to find what has been done by where they interrupt it. */
#define KEEP(name, offset)                                 \
	"pushq %" name "\n\t"                              \
	".cfi_def_cfa_offset " offset "\n\t"               \
	".cfi_offset %" name ", -" offset "\n\t"
#define GET_BACK(name, offset)                             \
	"popq %" name "\n\t"                               \
	".cfi_def_cfa_offset " offset "\n\t"               \
	".cfi_restore %" name "\n\t"
/* rt_sigprocmask(SIG_SETMASK, %rsi, NULL, 8) */
#define SET_MASK                                           \
	"movl $14, %eax\n\t"                               \
	"movl $2, %edi\n\t"                                \
	"xorl %edx, %edx\n\t"                              \
	"movl $8, %r10d\n\t"                               \
	"syscall\n\t"

__asm__(".text\n\t"
	".p2align 4\n\t"
	".globl wcm__arch_undispatched_begin, wcm__arch_undispatched_end\n\t"
	".hidden wcm__arch_undispatched_begin, wcm__arch_undispatched_end\n\t"
	".globl wcm__arch_undispatched, wcm__arch_undispatched_restorer\n\t"
	".hidden wcm__arch_undispatched, wcm__arch_undispatched_restorer\n\t"
	".type wcm__arch_undispatched, @function\n\t"
	".type wcm__arch_undispatched_restorer, @function\n"
	"wcm__arch_undispatched_begin:\n"
	"wcm__arch_undispatched:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	"movq %rdi, %rax\n\t"
	"movq (%rsi), %rdi\n\t"
	"movq 16(%rsi), %rdx\n\t"
	"movq 24(%rsi), %r10\n\t"
	"movq 32(%rsi), %r8\n\t"
	"movq 40(%rsi), %r9\n\t"
	"movq 8(%rsi), %rsi\n\t"
	"syscall\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_undispatched, . - wcm__arch_undispatched\n\t"
	".p2align 4\n\t"
	".globl wcm__arch_undispatched_open, wcm__arch_undispatched_made\n\t"
	".hidden wcm__arch_undispatched_open, wcm__arch_undispatched_made\n\t"
	".globl wcm__arch_undispatched_kept\n\t"
	".hidden wcm__arch_undispatched_kept\n\t"
	".type wcm__arch_undispatched_open, @function\n"
	"wcm__arch_undispatched_open:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	KEEP("rbx", "16") KEEP("r12", "24") KEEP("r13", "32") KEEP("r14", "40")
	"movq %rdi, %rbx\n\t"
	"movq %rsi, %r12\n\t"
	"movq %rdx, %r13\n\t"
	"movq %rcx, %r14\n\t"
	"movq %rdx, %rsi\n\t"
	SET_MASK
	"movq %rbx, %rax\n\t"
	"movq (%r12), %rdi\n\t"
	"movq 8(%r12), %rsi\n\t"
	"movq 16(%r12), %rdx\n\t"
	"movq 24(%r12), %r10\n\t"
	"movq 32(%r12), %r8\n\t"
	"movq 40(%r12), %r9\n\t"
	"syscall\n"
	"wcm__arch_undispatched_made:\n\t"
	"movq %rax, %rbx\n"
	"wcm__arch_undispatched_kept:\n\t"
	"leaq 8(%r13), %rsi\n\t"
	SET_MASK
	"movq %rbx, %rax\n\t"
	GET_BACK("r14", "32") GET_BACK("r13", "24") GET_BACK("r12", "16") GET_BACK("rbx", "8")
	"ret\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_undispatched_open, . - wcm__arch_undispatched_open\n\t"
	/* As libc's, so that unwinders know it by its bytes; they look in front of it, too. */
	"nop\n"
	"wcm__arch_undispatched_restorer:\n\t"
	"movq $15, %rax\n\t"
	"syscall\n\t"
	".size wcm__arch_undispatched_restorer, . - wcm__arch_undispatched_restorer\n\t"
	"ud2\n" /* the kernel compares the address behind the call */
	"wcm__arch_undispatched_end:");

extern const uint8_t wcm__arch_undispatched_begin[] __attribute__((visibility("hidden")));
extern const uint8_t wcm__arch_undispatched_end[] __attribute__((visibility("hidden")));
extern const uint8_t wcm__arch_undispatched_restorer[] __attribute__((visibility("hidden")));
extern const uint8_t wcm__arch_undispatched_made[] __attribute__((visibility("hidden")));
extern const uint8_t wcm__arch_undispatched_kept[] __attribute__((visibility("hidden")));

struct wcm_undispatched wcm__arch_undispatched_code(void)
{
	return (struct wcm_undispatched){
		.lo = (uintptr_t)wcm__arch_undispatched_begin,
		.hi = (uintptr_t)wcm__arch_undispatched_end,
		.restorer = (uintptr_t)wcm__arch_undispatched_restorer,
	};
}

static const uint8_t argument_gregs[6] = { REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9 };

void wcm__arch_dispatched(struct wcm_dispatched *call, const void *ucontext)
{
	const greg_t *gregs = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	call->number = gregs[REG_RAX];
	for (int i = 0; i < 6; i++)
		call->argument[i] = gregs[argument_gregs[i]];
	call->at = (struct wcm_regs){ .pc = (uintptr_t)gregs[REG_RIP],
				      .sp = (uintptr_t)gregs[REG_RSP],
				      .fp = (uintptr_t)gregs[REG_RBP] };
}

/* Its registers are on the stack before they are others, and again behind: a signal comes only in
 * between.  One that the kernel makes once more it has gone back to. */
bool wcm__arch_undispatched_shown(const void *ucontext, void *shown)
{
	const greg_t *gregs = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
	greg_t *to = ((ucontext_t *)shown)->uc_mcontext.gregs;
	const uintptr_t pc = (uintptr_t)gregs[REG_RIP];
	const bool is_kept = pc >= (uintptr_t)wcm__arch_undispatched_kept;

	if (pc < (uintptr_t)wcm__arch_undispatched_open ||
	    pc >= (uintptr_t)wcm__arch_undispatched_restorer)
		return false;
	memcpy(to, ((const ucontext_t *)gregs[REG_R14])->uc_mcontext.gregs, sizeof(gregset_t));
	if (pc < (uintptr_t)wcm__arch_undispatched_made)
		wcm__arch_dispatched_again(shown);
	else
		wcm__arch_dispatched_result(shown, gregs[is_kept ? REG_RBX : REG_RAX]);
	return true;
}

/* AUDIT_ARCH_X86_64 of <linux/audit.h>. */
bool wcm__arch_dispatches(const siginfo_t *info)
{
	return info->si_arch == 0xc000003e;
}

/* As the kernel leaves the registers. */
void wcm__arch_dispatched_result(void *ucontext, long result)
{
	greg_t *gregs = ((ucontext_t *)ucontext)->uc_mcontext.gregs;

	gregs[REG_RAX] = result;
	gregs[REG_RCX] = gregs[REG_RIP];
	gregs[REG_R11] = gregs[REG_EFL];
}

void wcm__arch_dispatched_pass(void *ucontext, uintptr_t code)
{
	((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP] = (greg_t)code;
}

/* The instruction is two bytes. */
void wcm__arch_dispatched_again(void *ucontext)
{
	((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP] -= 2;
}

/* What passes a call: the call itself; then, below the red zone, where it was made and its
 * result; then the thread is armed; then another call, which is dispatched, and whose handler
 * has the thread go on where the first was made.  Where it is not dispatched it goes on at once. */
struct code {
	uint8_t *at;
};

static void put(struct code *code, const void *bytes, size_t size)
{
	memcpy(code->at, bytes, size);
	code->at += size;
}

static void put_word(struct code *code, uint8_t rex, uint8_t opcode, uintptr_t word)
{
	const uint8_t movabs[] = { rex, opcode };

	put(code, movabs, sizeof(movabs));
	put(code, &word, sizeof(word));
}

/* The bytes of arming the thread: the selector, which a child in the same memory may have set, the
 * action of SIGSYS, which a new process may have lost, and prctl(59, 1, LO, SIZE, SELECTOR). */
static void put_arming(struct code *code, const struct wcm_arming *arming)
{
	static const uint8_t keep[] = {
		0x57, 0x56, 0x52, 0x41, 0x52, 0x41, 0x50, /* push rdi rsi rdx r10 r8 */
	};
	static const uint8_t allow[] = {
		0x64, 0x4c, 0x03, 0x04, 0x25, 0, 0, 0, 0, /* add %fs:0, %r8 */
		0x41, 0xc6, 0x00, 0x00,                   /* movb $0, (%r8) */
		0xbf, 31, 0, 0, 0,                        /* mov $31, %edi */
		0x31, 0xd2,                               /* xor %edx, %edx */
		0x41, 0xba, 8, 0, 0, 0,                   /* mov $8, %r10d */
		0xb8, 13, 0, 0, 0,                        /* mov $13, %eax */
	};
	static const uint8_t act[] = {
		0x0f, 0x05,                               /* syscall */
		0xbf, 59, 0, 0, 0,                        /* mov $59, %edi */
		0xbe, 1, 0, 0, 0,                         /* mov $1, %esi */
		0xb8, 157, 0, 0, 0,                       /* mov $157, %eax */
	};
	static const uint8_t arm[] = {
		0x0f, 0x05,                               /* syscall */
		0x41, 0xc6, 0x00, 0x01,                   /* movb $1, (%r8) */
		0x41, 0x58, 0x41, 0x5a, 0x5a, 0x5e, 0x5f, /* pop r8 r10 rdx rsi rdi */
	};

	put(code, keep, sizeof(keep));
	put_word(code, 0x49, 0xb8, (uintptr_t)arming->selector);
	put(code, allow, sizeof(allow));
	put_word(code, 0x48, 0xbe, (uintptr_t)arming->action);
	put(code, act, sizeof(act));
	put_word(code, 0x48, 0xba, arming->lo);
	put_word(code, 0x49, 0xba, arming->size);
	put(code, arm, sizeof(arm));
}

size_t wcm__arch_pass_make(uint8_t page[WCM_PASS_MOST], uintptr_t site, bool arms_child,
			   const struct wcm_arming *arming)
{
	static const uint8_t syscall[] = { 0x0f, 0x05 };
	/* test %rax, %rax; jnz over the next; jmp *%rcx */
	static const uint8_t is_child[] = { 0x48, 0x85, 0xc0, 0x75, 0x02, 0xff, 0xe1 };
	/* lea -128(%rsp), %rsp; push %rcx; push %rax */
	static const uint8_t keep[] = { 0x48, 0x8d, 0x64, 0x24, 0x80, 0x51, 0x50 };
	static const uint8_t number[] = { 0xb8 }; /* mov $, %eax */
	/* pop %rax; pop %rcx; lea 128(%rsp), %rsp; jmp *%rcx */
	static const uint8_t go_on[] = { 0x58, 0x59, 0x48, 0x8d, 0xa4, 0x24,
					 0x80, 0, 0, 0, 0xff, 0xe1 };
	const uint32_t passed = WCM_PASSED_NUMBER;
	struct code code = { page };

	put(&code, syscall, sizeof(syscall));
	put_word(&code, 0x48, 0xb9, site);
	if (!arms_child)
		put(&code, is_child, sizeof(is_child));
	put(&code, keep, sizeof(keep));
	put_arming(&code, arming);
	put(&code, number, sizeof(number));
	put(&code, &passed, sizeof(passed));
	put(&code, syscall, sizeof(syscall));
	put(&code, go_on, sizeof(go_on));
	return (size_t)(code.at - page);
}

/* The two words on the stack of the code above. */
long wcm__arch_passed(void *ucontext, uintptr_t *site, uintptr_t *sp)
{
	greg_t *gregs = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
	const uintptr_t *words = (const uintptr_t *)gregs[REG_RSP];

	*site = words[1];
	*sp = (uintptr_t)(words + 2) + 128;
	gregs[REG_RSP] = (greg_t)*sp;
	gregs[REG_RIP] = (greg_t)*site;
	return (long)words[0];
}
