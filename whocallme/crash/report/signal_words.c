/* SPDX-License-Identifier: MIT */
/* signal_words.c (SAFE) - names a signal and its cause in words. */
#include "crash/report/signal_words.h"

#include <stddef.h>

static const struct {
	int signal;
	const char *name, *text;
} signals[] = {
	{ SIGSEGV, "SIGSEGV", "segmentation fault" },
	{ SIGBUS, "SIGBUS", "bus error" },
	{ SIGFPE, "SIGFPE", "arithmetic exception" },
	{ SIGILL, "SIGILL", "illegal instruction" },
	{ SIGABRT, "SIGABRT", "aborted" },
	{ SIGTRAP, "SIGTRAP", "trace or breakpoint trap" },
	{ SIGSYS, "SIGSYS", "bad system call" },
	{ SIGQUIT, "SIGQUIT", "quit" },
	{ SIGXCPU, "SIGXCPU", "CPU time limit exceeded" },
	{ SIGXFSZ, "SIGXFSZ", "file size limit exceeded" },
};

/* Names that older headers lack: SEGV_BNDERR and so on (asm-generic/siginfo.h). */
enum {
	BOUNDS = 3,
	PROTECTION_KEY = 4,
	TAG_LATER = 8,
	TAG = 9,
	CONTROL = 10,
	MEMORY_NOW = 4,
	MEMORY = 5,
	UNKNOWN_FLOAT = 14,
	CONDITIONAL = 15,
	BRANCH = 3,
	WATCHPOINT = 4,
	UNKNOWN_TRAP = 5,
	COUNTER = 6,
	BAD_STACK = 8,
	SECCOMP = 1,
	DISPATCH = 2,
};

/* What each code of the kernel's means, and, where the instruction told more, that: the row of a
 * code alone says no more than holds for all its causes.  wcm_crash_install(3) has the table. */
static const struct {
	int signal, code;
	enum wcm_fault fault;
	const char *text;
	const char *then; /* behind the number that belongs to it; NULL: there is none */
} causes[] = {
	{ SIGSEGV, SEGV_MAPERR, 0, "address not mapped", NULL },
	{ SIGSEGV, SEGV_ACCERR, 0, "access not permitted", NULL },
	{ SIGSEGV, BOUNDS, 0, "bounds check failed", NULL },
	{ SIGSEGV, PROTECTION_KEY, 0, "access denied by protection key ", "" },
	{ SIGSEGV, TAG_LATER, 0, "memory tag mismatch, found later", NULL },
	{ SIGSEGV, TAG, 0, "memory tag mismatch", NULL },
	{ SIGSEGV, CONTROL, 0, "control protection violated", NULL },
	{ SIGSEGV, CONTROL, WCM_FAULT_SHADOW_RETURN,
	  "the return address is not that of the shadow stack", NULL },
	{ SIGSEGV, CONTROL, WCM_FAULT_NO_LANDING,
	  "indirect call or jump to where none may lead", NULL },
	{ SIGSEGV, SI_KERNEL, WCM_FAULT_PROTECTION, "general protection fault", NULL },
	{ SIGSEGV, SI_KERNEL, WCM_FAULT_NOT_CANONICAL, "address not canonical", NULL },
	{ SIGSEGV, SI_KERNEL, WCM_FAULT_JUMP_NOT_CANONICAL,
	  "jump to an address that is not canonical", NULL },
	{ SIGSEGV, SI_KERNEL, WCM_FAULT_CALL_NOT_CANONICAL,
	  "call of an address that is not canonical", NULL },
	{ SIGSEGV, SI_KERNEL, WCM_FAULT_RETURN_NOT_CANONICAL,
	  "return to an address that is not canonical", NULL },
	{ SIGSEGV, SI_KERNEL, WCM_FAULT_MISALIGNED, "misaligned address, not a multiple of ", "" },
	{ SIGSEGV, SI_KERNEL, WCM_FAULT_PRIVILEGED, "privileged instruction", NULL },
	{ SIGSEGV, SI_KERNEL, WCM_FAULT_VECTOR, "interrupt ", " is not for programs" },
	{ SIGSEGV, SI_KERNEL, WCM_FAULT_SELECTOR, "segment selector not valid", NULL },
	{ SIGSEGV, SI_KERNEL, WCM_FAULT_OVERFLOW_TRAP, "overflow trap", NULL },
	{ SIGBUS, BUS_ADRALN, 0, "misaligned address", NULL },
	{ SIGBUS, BUS_ADRALN, WCM_FAULT_MISALIGNED, "misaligned address, not a multiple of ", "" },
	{ SIGBUS, BUS_ADRERR, 0, "no storage at the address", NULL },
	{ SIGBUS, BUS_OBJERR, 0, "hardware error of the object", NULL },
	{ SIGBUS, MEMORY_NOW, 0, "memory failed at this access", NULL },
	{ SIGBUS, MEMORY, 0, "memory failure found", NULL },
	{ SIGBUS, SI_KERNEL, WCM_FAULT_NOT_CANONICAL, "stack address not canonical", NULL },
	{ SIGBUS, SI_KERNEL, WCM_FAULT_SELECTOR, "segment not present", NULL },
	{ SIGFPE, FPE_INTDIV, 0, "integer division by zero, or overflow of one", NULL },
	{ SIGFPE, FPE_INTDIV, WCM_FAULT_ZERO_DIVISOR, "integer division by zero", NULL },
	{ SIGFPE, FPE_INTDIV, WCM_FAULT_QUOTIENT, "overflow of an integer division", NULL },
	{ SIGFPE, FPE_INTOVF, 0, "integer overflow", NULL },
	{ SIGFPE, FPE_FLTDIV, 0, "floating-point division by zero", NULL },
	{ SIGFPE, FPE_FLTOVF, 0, "floating-point overflow", NULL },
	{ SIGFPE, FPE_FLTUND, 0, "floating-point underflow", NULL },
	{ SIGFPE, FPE_FLTUND, WCM_FAULT_DENORMAL, "denormal floating-point operand", NULL },
	{ SIGFPE, FPE_FLTRES, 0, "floating-point result is inexact", NULL },
	{ SIGFPE, FPE_FLTINV, 0, "invalid floating-point operation", NULL },
	{ SIGFPE, FPE_FLTINV, WCM_FAULT_FLOAT_STACK,
	  "overflow or underflow of the floating-point stack", NULL },
	{ SIGFPE, FPE_FLTSUB, 0, "subscript out of range", NULL },
	{ SIGFPE, UNKNOWN_FLOAT, 0, "floating-point exception of an unknown kind", NULL },
	{ SIGFPE, CONDITIONAL, 0, "trap on a condition", NULL },
	{ SIGILL, ILL_ILLOPC, 0, "illegal opcode", NULL },
	{ SIGILL, ILL_ILLOPN, 0, "illegal operand", NULL },
	{ SIGILL, ILL_ILLOPN, WCM_FAULT_INVALID, "the CPU does not take this instruction", NULL },
	{ SIGILL, ILL_ILLOPN, WCM_FAULT_TRAP_0, "the instruction ud0, which always fails", NULL },
	{ SIGILL, ILL_ILLOPN, WCM_FAULT_TRAP_1, "the instruction ud1, which always fails", NULL },
	{ SIGILL, ILL_ILLOPN, WCM_FAULT_TRAP_2, "the instruction ud2, which always fails", NULL },
	{ SIGILL, ILL_ILLADR, 0, "illegal addressing mode", NULL },
	{ SIGILL, ILL_ILLTRP, 0, "illegal trap", NULL },
	{ SIGILL, ILL_PRVOPC, 0, "privileged opcode", NULL },
	{ SIGILL, ILL_PRVREG, 0, "privileged register", NULL },
	{ SIGILL, ILL_COPROC, 0, "coprocessor error", NULL },
	{ SIGILL, BAD_STACK, 0, "internal stack error", NULL },
	{ SIGTRAP, TRAP_BRKPT, 0, "breakpoint", NULL },
	{ SIGTRAP, TRAP_TRACE, 0, "single step", NULL },
	{ SIGTRAP, BRANCH, 0, "branch", NULL },
	{ SIGTRAP, WATCHPOINT, 0, "hardware breakpoint or watchpoint", NULL },
	{ SIGTRAP, UNKNOWN_TRAP, 0, "trap of an unknown kind", NULL },
	{ SIGTRAP, COUNTER, 0, "event of perf_event_open()", NULL },
	{ SIGTRAP, SI_KERNEL, WCM_FAULT_BREAKPOINT, "breakpoint instruction", NULL },
	{ SIGSYS, SECCOMP, 0, "forbidden by seccomp: system call ", "" },
	{ SIGSYS, DISPATCH, 0, "dispatched to the program: system call ", "" },
	{ SIGQUIT, SI_KERNEL, 0, "sent by the terminal", NULL }, /* nothing else sends it so */
	{ SIGXCPU, SI_KERNEL, 0, "RLIMIT_CPU or RLIMIT_RTTIME is used up", NULL },
};

static const char *sender(int code)
{
	switch (code) {
	case SI_USER:
		return "sent by kill";
	case SI_TKILL:
		return "sent by tgkill";
	case SI_QUEUE:
		return "sent by sigqueue";
	case SI_TIMER:
		return "sent by a timer";
	case SI_KERNEL:
		return "sent by the kernel";
	}
	return "for an unknown reason";
}

const char *wcm__signal_name(int signal)
{
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (signals[i].signal == signal)
			return signals[i].name;
	return "signal";
}

const char *wcm__signal_text(int signal)
{
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (signals[i].signal == signal)
			return signals[i].text;
	return "fatal signal";
}

/* The number that the words of a code have a place for, from the siginfo_t. */
static unsigned number_of(const siginfo_t *info)
{
	return info->si_signo == SIGSYS ? (unsigned)info->si_syscall : info->si_pkey;
}

struct wcm_signal_cause wcm__signal_cause(const siginfo_t *info,
					  const struct wcm_fault_found *found)
{
	struct wcm_signal_cause cause = { sender(info->si_code), NULL, 0 };

	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		if (causes[i].signal != info->si_signo || causes[i].code != info->si_code ||
		    (causes[i].fault != WCM_FAULT_UNKNOWN && causes[i].fault != found->fault))
			continue;
		cause.text = causes[i].text;
		cause.then = causes[i].then;
		cause.number = causes[i].fault ? found->number : number_of(info);
	}
	return cause;
}

const char *wcm__float_words(unsigned exception)
{
	static const struct {
		unsigned exception;
		const char *text;
	} words[] = {
		{ WCM_FLOAT_INVALID, "invalid operation" },
		{ WCM_FLOAT_DENORMAL, "denormal operand" },
		{ WCM_FLOAT_DIVISION, "division by zero" },
		{ WCM_FLOAT_OVERFLOW, "overflow" },
		{ WCM_FLOAT_UNDERFLOW, "underflow" },
		{ WCM_FLOAT_INEXACT, "inexact result" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].exception == exception)
			return words[i].text;
	return "";
}

bool wcm__signal_is_fault(const siginfo_t *info)
{
	switch (info->si_signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGTRAP:
		return info->si_code > 0 && info->si_code != SI_KERNEL &&
		       !(info->si_signo == SIGSEGV && info->si_code == TAG_LATER);
	}
	return false;
}

bool wcm__signal_has_sender(const siginfo_t *info)
{
	return info->si_code == SI_USER || info->si_code == SI_TKILL ||
	       info->si_code == SI_QUEUE;
}
