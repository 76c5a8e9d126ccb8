/* SPDX-License-Identifier: MIT */
/* i386/context.c (SAFE) - the signal frames, and the thread pointer. */
#include "core/arch/arch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ucontext.h>

#include "encoding.h"
#include "gregs.h"

__attribute__((constructor)) static void find_kernel_entry(void)
{
	const int kept = errno;
	const uintptr_t entry = getauxval(AT_SYSINFO);

	errno = kept;
	if (entry)
		wcm__kernel_entry = entry;
}

bool wcm__arch_is_canonical(uintptr_t address)
{
	(void)address;
	return true;
}

/* The handler's return has popped pretcode: of struct rt_sigframe, the signal, two pointers
 * and the siginfo_t are in front of the ucontext_t.  Of struct sigframe, to which a trampoline
 * belongs that begins with a pop, the signal is in front of a struct sigcontext, which is
 * what a ucontext_t has as its mcontext_t. */
uintptr_t wcm__arch_signal_context(const struct wcm_regs *regs, wcm_reader *read)
{
	enum { POP = 0x58, SIGNAL = 4, POINTER = 4, SIGINFO = 128 };
	uint8_t first;

	if (read(regs->pc, &first, sizeof(first)) && first == POP)
		return regs->sp + SIGNAL - offsetof(ucontext_t, uc_mcontext);
	return regs->sp + SIGNAL + 2 * POINTER + SIGINFO;
}

/* Whether a handler that returns to RA was called by the kernel in a struct sigframe.  A call of
 * the program's may have a pop behind it, but not all of the trampoline. */
static bool is_plain_frame(uintptr_t ra)
{
	static const uint8_t trampoline[] = { WCM_PLAIN_SIGRETURN };
	const volatile uint8_t *code = (const uint8_t *)ra;
	size_t same = 0;

	while (same < sizeof(trampoline) && code[same] == trampoline[same])
		same++;
	return same == sizeof(trampoline);
}

/* The return address is in front of the CFA, the signal's number there.  Behind that, where two
 * more arguments would be, which a compiler may have changed, the machine state begins. */
struct wcm_handed wcm__arch_handed(const void *cfa, siginfo_t *info, void *ucontext)
{
	enum { SYSTEM_CALL = 1 };
	static siginfo_t unknown = { .si_code = SYSTEM_CALL };
	uintptr_t *words = (uintptr_t *)(uintptr_t)cfa;
	struct wcm_handed handed = { .info = info, .ucontext = ucontext };

	if (is_plain_frame(words[-1])) {
		handed.info = &unknown;
		handed.ucontext = (char *)(words + 1) - offsetof(ucontext_t, uc_mcontext);
		handed.state = words + 1;
		memcpy(handed.begins, handed.state, sizeof(handed.begins));
	}
	return handed;
}

/* movl %gs:0, %eax; cmpl (%eax), %eax; and a load from there.  Its stack is as its caller
 * left it wherever it faults, and nothing else is in the bytes that it is aligned to. */
__attribute__((naked, noinline, aligned(WCM_HOLDS_SIZE))) bool
wcm__arch_thread_pointer_holds(__attribute__((unused)) ptrdiff_t variable)
{
	__asm__("movl %gs:0, %eax\n\t"
		"movl 4(%esp), %ecx\n\t"
		"cmpl (%eax), %eax\n\t"
		"jne 1f\n\t"
		"movb (%eax,%ecx), %cl\n\t"
		"movl $1, %eax\n\t"
		"ret\n"
		"1:\txorl %eax, %eax\n\t"
		"ret\n\t"
		".p2align 5");
}

bool wcm__arch_thread_pointer_get(uintptr_t *pointer)
{
	struct wcm_segment segment = { .number = wcm__arch_thread_segment() };
	const bool is_known =
		wcm__syscall(SYS_get_thread_area, (long)&segment, 0, 0, 0, 0, 0) == 0;

	*pointer = is_known ? segment.base : 0;
	return is_known;
}

/* The kernel loads the segment's register anew. */
void wcm__arch_thread_pointer_set(uintptr_t pointer)
{
	const struct wcm_segment segment = wcm__arch_segment_of(pointer);

	wcm__syscall(SYS_set_thread_area, (long)&segment, 0, 0, 0, 0, 0);
}
