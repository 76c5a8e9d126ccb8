/* SPDX-License-Identifier: MIT */
/* signal_words.c - names a signal and its cause in words. */
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

static const struct {
	int signal, code;
	const char *text;
} causes[] = {
	{ SIGSEGV, SEGV_MAPERR, "address not mapped" },
	{ SIGSEGV, SEGV_ACCERR, "access not permitted" },
	{ SIGSEGV, 3 /* SEGV_BNDERR */, "bounds check failed" },
	{ SIGSEGV, 4 /* SEGV_PKUERR */, "access denied by protection keys" },
	{ SIGSEGV, 10 /* SEGV_CPERR */, "control protection violated" },
	{ SIGSEGV, SI_KERNEL, "address not canonical, or a privileged instruction" },
	{ SIGBUS, BUS_ADRALN, "misaligned address" },
	{ SIGBUS, BUS_ADRERR, "no storage behind the address" },
	{ SIGBUS, BUS_OBJERR, "hardware error of the object" },
	{ SIGBUS, 4 /* BUS_MCEERR_AR */, "memory failed at this access" },
	{ SIGBUS, 5 /* BUS_MCEERR_AO */, "memory failure found" },
	{ SIGFPE, FPE_INTDIV, "integer division by zero" },
	{ SIGFPE, FPE_INTOVF, "integer overflow" },
	{ SIGFPE, FPE_FLTDIV, "floating-point division by zero" },
	{ SIGFPE, FPE_FLTOVF, "floating-point overflow" },
	{ SIGFPE, FPE_FLTUND, "floating-point underflow" },
	{ SIGFPE, FPE_FLTRES, "floating-point result is inexact" },
	{ SIGFPE, FPE_FLTINV, "invalid floating-point operation" },
	{ SIGFPE, FPE_FLTSUB, "subscript out of range" },
	{ SIGILL, ILL_ILLOPC, "illegal opcode" },
	{ SIGILL, ILL_ILLOPN, "illegal operand" },
	{ SIGILL, ILL_ILLADR, "illegal addressing mode" },
	{ SIGILL, ILL_ILLTRP, "illegal trap" },
	{ SIGILL, ILL_PRVOPC, "privileged opcode" },
	{ SIGILL, ILL_PRVREG, "privileged register" },
	{ SIGILL, ILL_COPROC, "coprocessor error" },
	{ SIGILL, ILL_BADSTK, "internal stack error" },
	{ SIGTRAP, TRAP_BRKPT, "breakpoint" },
	{ SIGTRAP, TRAP_TRACE, "single step" },
	{ SIGTRAP, SI_KERNEL, "breakpoint instruction" },
	{ SIGSYS, 1 /* SYS_SECCOMP */, "forbidden by seccomp" },
	{ SIGQUIT, SI_KERNEL, "sent by the terminal" }, /* nothing else of the kernel sends it */
	{ SIGXCPU, SI_KERNEL, "RLIMIT_CPU or RLIMIT_RTTIME is used up" },
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

const char *wcm__signal_cause(const siginfo_t *info)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (causes[i].signal == info->si_signo &&
		    causes[i].code == info->si_code)
			return causes[i].text;
	return sender(info->si_code);
}

bool wcm__signal_is_fault(const siginfo_t *info)
{
	switch (info->si_signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGTRAP:
		return info->si_code > 0 && info->si_code != SI_KERNEL;
	}
	return false;
}

bool wcm__signal_has_sender(const siginfo_t *info)
{
	return info->si_code == SI_USER || info->si_code == SI_TKILL ||
	       info->si_code == SI_QUEUE;
}
