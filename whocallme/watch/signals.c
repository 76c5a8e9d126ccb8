/* SPDX-License-Identifier: MIT */
/* signals.c - has the program see its signals as it would without the library.
 *
 * The calls by which programs ask and set what signals do are interposed, and in the shared
 * libraries those that say where handlers run, too.  In the static library they are weak, so that
 * a program may define its own.  Where our action is in the kernel, crash/signals/chain.c
 * keeps the program's, which is what it is told.  A thread whose system calls are dispatched is
 * answered at the call itself: see trace/system/dispatch_signals.c.  Handlers may call
 * these functions, too.  What a program asks the kernel by an instruction of its own is answered
 * by the kernel.
 */
#include "watch/interposed.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "core/os/mask.h"
#include "core/os/missing.h"
#include "core/os/start_page.h"
#include "crash/handler.h"
#include "crash/signals/altstack.h"
#include "crash/signals/chain.h"
#include "crash/signals/turn.h"
#include "crash/threads/tasks.h"
#include "format/line.h"
#include "trace/engine/gate.h"
#include "trace/engine/trace_stderr.h"
#include "trace/process/process_end.h"
#include "trace/process/readers.h"

/* Where nothing tells libc's own function, as in a static program of musl's, it is left alone. */
#if defined(PIC) || defined(__GLIBC__)

typedef void plain_handler(int signal);
typedef plain_handler *signal_function(int signal, plain_handler *handler);

static wcm_sigaction_function *real_sigaction WCM_START_PAGE;
static bool is_static WCM_START_PAGE; /* the program: nothing comes next */

#ifdef PIC
typedef long five(int option, long a, long b, long c, long d);
typedef long seven(long number, long a, long b, long c, long d, long e, long f);

static int (*real_sigaltstack)(const stack_t *set, stack_t *was) WCM_START_PAGE;
static five *real_prctl WCM_START_PAGE;
static seven *real_syscall WCM_START_PAGE;

/* libc has another name for its own. */
extern wcm_sigaction_function __sigaction __attribute__((weak));

/* Before they are called on a stack that has no room for dlsym(3). */
static void find_calls(void)
{
	*(void **)&real_sigaltstack = dlsym(RTLD_NEXT, "sigaltstack");
	*(void **)&real_prctl = dlsym(RTLD_NEXT, "prctl");
	*(void **)&real_syscall = dlsym(RTLD_NEXT, "syscall");
}
#else
extern wcm_sigaction_function __sigaction;

/* Where signals are taken, new threads are armed: that file is linked with this one. */
extern const char wcm__thread_start_is_linked;
__attribute__((used)) static const char *const with = &wcm__thread_start_is_linked;

static void find_calls(void)
{
}
#endif

/* ISO C has no cast from an object's to a function's address. */
static void find_sigaction(void)
{
	*(void **)&real_sigaction = dlsym(RTLD_NEXT, "sigaction");
#ifndef PIC
	is_static = !real_sigaction;
	if (is_static)
		real_sigaction = __sigaction;
#endif
}

/* Before anything takes a signal: it must reach libc's. */
__attribute__((constructor(101))) static void prepare(void)
{
	find_sigaction();
	find_calls();
#ifdef PIC
	if (real_sigaction)
		wcm__chain_sigaction = real_sigaction;
#else
	wcm__chain_sigaction = __sigaction;
#endif
}

#ifdef PIC
/* Ours, whoever else has one. */
static wcm_sigaction_function own_sigaction
	__attribute__((alias("sigaction"), nothrow));

bool wcm__sigaction_is_interposed(void)
{
	return (uintptr_t)dlsym(RTLD_DEFAULT, "sigaction") != (uintptr_t)own_sigaction ||
	       (uintptr_t)dlsym(RTLD_NEXT, "sigaction") != (uintptr_t)__sigaction;
}
#endif

/* Libraries may be initialised before we are. */
static int to_libc(int signal, const struct sigaction *action, struct sigaction *old)
{
	if (!real_sigaction)
		find_sigaction();
	if (real_sigaction)
		return real_sigaction(signal, action, old);
	errno = ENOSYS;
	return -1;
}

static bool are_calls_seen(void)
{
	return wcm__chain_sees_calls && wcm__chain_sees_calls();
}

/* Past us, for a signal that is ours.  What comes next may be the sigaction(2) of another copy of
 * this library, a preloaded one, which would keep our handler and call it, while we have found
 * and call its own, without end: the static library asks libc itself. */
static int past_us(int signal, const struct sigaction *action, struct sigaction *old)
{
#ifdef PIC
	return to_libc(signal, action, old);
#else
	return __sigaction(signal, action, old);
#endif
}

/* Whether what is asked of SIGNAL is answered here. */
static bool is_ours(int signal)
{
	return wcm__chain_has(signal) && !are_calls_seen();
}

/* A program with cgo defines it. */
extern const char crosscall2 __attribute__((weak));

/* Go's runtime takes every signal and hands down what is no fault of Go code, but only to a
 * handler that it has found there. */
static void show_go(int signal, struct wcm_kernel_action *found)
{
	void (*const hand_down)(int, siginfo_t *, void *) = wcm__crash_hand_down;

	if (!&crosscall2 || !(WCM_MASK_FATAL & WCM_MASK_OF(signal)) ||
	    wcm__chain_is_later(signal) || wcm__chain_before(signal) != WCM_ACTION_DEFAULT)
		return;
	memcpy(&found->handler, &hand_down, sizeof(found->handler));
	found->flags = SA_SIGINFO | SA_ONSTACK;
}

static struct wcm_kernel_action from_libc(const struct sigaction *action)
{
	struct wcm_kernel_action made = { .flags = (unsigned)action->sa_flags };

	memcpy(&made.handler, &action->sa_handler, sizeof(made.handler));
	memcpy(&made.mask, &action->sa_mask, sizeof(made.mask));
	return wcm__chain_as_libc(made);
}

static void to_program(struct sigaction *old, const struct wcm_kernel_action *found)
{
	memcpy(&old->sa_handler, &found->handler, sizeof(found->handler));
	memcpy(&old->sa_mask, &found->mask, sizeof(found->mask));
	old->sa_flags = (int)found->flags;
	memcpy(&old->sa_restorer, &found->restorer, sizeof(found->restorer));
}

static int ask(int signal, struct sigaction *old)
{
	struct wcm_kernel_action found;

	if (!wcm__chain_ask(signal, &found))
		return past_us(signal, NULL, old);
	if (old) {
		show_go(signal, &found);
		to_program(old, &found);
	}
	return 0;
}

static int set(int signal, const struct sigaction *action, struct sigaction *old)
{
	const struct wcm_kernel_action wanted = from_libc(action);
	const bool is_borrowed = wcm__turn_is_borrowed();
	struct wcm_kernel_action found;
	int result;

	if (!is_borrowed && wcm__chain_change(signal, &wanted, &found)) {
		if (old)
			to_program(old, &found);
		return 0;
	}
	const bool is_shown = wcm__chain_ask(signal, &found);

	result = past_us(signal, action, old);
	if (result == 0 && old && is_shown)
		to_program(old, &found);
	return result;
}

WCM_INTERPOSED int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	const int kept = errno;
	int result;

	if (!is_ours(signal))
		return to_libc(signal, action, old);
	result = action ? set(signal, action, old) : ask(signal, old);
	if (result == 0)
		errno = kept;
	return result;
}

/* The function NAME of libc, which *FOUND keeps, where it is to be called: NULL elsewhere, and in a
 * static program. */
static signal_function *libcs(const char *name, signal_function **found, int signal,
			      plain_handler *handler)
{
	signal_function *real = __atomic_load_n(found, __ATOMIC_RELAXED);

	if (is_static || (handler != SIG_ERR && is_ours(signal)))
		return NULL;
	if (!real) {
		*(void **)&real = dlsym(RTLD_NEXT, name);
		__atomic_store_n(found, real, __ATOMIC_RELAXED);
	}
	return real;
}

static plain_handler *set_plain(int signal, plain_handler *handler, int flags, bool masks_itself)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags }, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (masks_itself)
		sigaddset(&action.sa_mask, signal);
	return sigaction(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* What siginterrupt(3) was asked for. */
static uint64_t interrupting;

/* As BSD has it, and glibc. */
WCM_INTERPOSED plain_handler *signal(int signal, plain_handler *handler)
{
	static signal_function *found;
	signal_function *const real = libcs("signal", &found, signal, handler);

	if (real)
		return real(signal, handler);
	return set_plain(signal, handler,
			 interrupting & WCM_MASK_OF(signal) ? 0 : SA_RESTART, true);
}

/* Not every libc's headers declare them. */
#pragma GCC diagnostic ignored "-Wredundant-decls"
signal_function ssignal, bsd_signal, sysv_signal, __sysv_signal;

WCM_INTERPOSED plain_handler *ssignal(int signal_number, plain_handler *handler)
{
	return signal(signal_number, handler);
}

WCM_INTERPOSED plain_handler *bsd_signal(int signal_number, plain_handler *handler)
{
	return signal(signal_number, handler);
}

/* As System V has it: good for one call, which nothing is blocked in. */
WCM_INTERPOSED plain_handler *sysv_signal(int signal, plain_handler *handler)
{
	static signal_function *found;
	signal_function *const real = libcs("sysv_signal", &found, signal, handler);

	if (real)
		return real(signal, handler);
	return set_plain(signal, handler, (int)(SA_RESETHAND | SA_NODEFER | 0x20000000), false);
}

WCM_INTERPOSED plain_handler *__sysv_signal(int signal, plain_handler *handler)
{
	return sysv_signal(signal, handler);
}

WCM_INTERPOSED int sigignore(int signal)
{
	const struct sigaction action = { .sa_handler = SIG_IGN };

	return sigaction(signal, &action, NULL);
}

WCM_INTERPOSED plain_handler *sigset(int signal, plain_handler *handler)
{
	static signal_function *found;
	signal_function *const real = libcs("sigset", &found, signal, handler);
	plain_handler *before;
	struct sigaction old;
	sigset_t set, was;

	if (real)
		return real(signal, handler);
	sigemptyset(&set);
	sigaddset(&set, signal);
	if (handler == SIG_HOLD) {
		if (sigprocmask(SIG_BLOCK, &set, &was) != 0 || sigaction(signal, NULL, &old) != 0)
			return SIG_ERR;
		before = old.sa_handler;
	} else {
		before = set_plain(signal, handler, 0, false);
		if (before == SIG_ERR || sigprocmask(SIG_UNBLOCK, &set, &was) != 0)
			return SIG_ERR;
	}
	return sigismember(&was, signal) ? SIG_HOLD : before;
}

WCM_INTERPOSED int siginterrupt(int signal, int interrupts)
{
	static int (*real)(int signal, int interrupts);
	struct sigaction action;

	if (!is_static && !is_ours(signal)) {
		if (!real)
			*(void **)&real = dlsym(RTLD_NEXT, "siginterrupt");
		return real ? real(signal, interrupts) : (errno = ENOSYS, -1);
	}
	if (sigaction(signal, NULL, &action) != 0)
		return -1;
	if (interrupts) {
		__atomic_or_fetch(&interrupting, WCM_MASK_OF(signal), __ATOMIC_RELAXED);
		action.sa_flags &= ~SA_RESTART;
	} else {
		__atomic_and_fetch(&interrupting, ~WCM_MASK_OF(signal), __ATOMIC_RELAXED);
		action.sa_flags |= SA_RESTART;
	}
	return sigaction(signal, &action, NULL);
}

#ifdef PIC
static long answered(long result)
{
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

WCM_API int sigaltstack(const stack_t *set, stack_t *was)
{
	if (!are_calls_seen())
		return (int)answered(wcm__altstack_change((uintptr_t)set, (uintptr_t)was,
							  (uintptr_t)__builtin_frame_address(0)));
	return real_sigaltstack(set, was);
}

/* The preloaded crash report has none. */
extern __typeof__(wcm__process_end_finish) wcm__process_end_finish __attribute__((weak));
extern __typeof__(wcm__process_end_give_up) wcm__process_end_give_up __attribute__((weak));
extern __typeof__(wcm__readers_call) wcm__readers_call __attribute__((weak));
extern __typeof__(wcm__readers_look) wcm__readers_look __attribute__((weak));

static void look(void)
{
	const int kept = errno;

	wcm__readers_look();
	errno = kept;
}

static bool call_changes_readers(long number, long a, long b)
{
	return wcm__readers_call && wcm__readers_call(number, (const long[]){ a, b });
}

/* A thread in seccomp's strict mode is killed by any call that a handler or a trace would make. */
static void leave_strict(void)
{
	if (wcm__gate_is_open() && wcm__process_end_finish) {
		wcm__process_end_finish();
		wcm__line_say(wcm__trace_stderr(), "nothing is traced any more: the program "
			      "enters seccomp's strict mode", NULL, "");
	}
	wcm__chain_remove_all();
}

/* libc's have variable arguments, which are passed as these are.  They are made by a jump, so that
 * a call that returns twice finds no frame of ours. */
five wcm__interposed_prctl __asm__("prctl") WCM_API;
seven wcm__interposed_syscall __asm__("syscall") WCM_API;

long wcm__interposed_prctl(int option, long a, long b, long c, long d)
{
	long result;

	if (!real_prctl)
		find_calls();
	if ((option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP ||
	     option == PR_CAPBSET_DROP) && wcm__process_end_give_up)
		wcm__process_end_give_up(WCM_GIVES_UP_CALLS);
	if (option == PR_SET_SECCOMP)
		wcm__task_asks_for_filter();
	if (option == PR_SET_SECCOMP && a == SECCOMP_MODE_STRICT)
		leave_strict();
	if (!call_changes_readers(SYS_prctl, option, a))
		return real_prctl(option, a, b, c, d);
	result = real_prctl(option, a, b, c, d);
	look();
	return result;
}

static bool change_action(int signal, const struct wcm_kernel_action *action,
			  struct wcm_kernel_action *was)
{
	struct wcm_kernel_action found;

	if (!is_ours(signal) ||
	    !(action ? !wcm__turn_is_borrowed() && wcm__chain_change(signal, action, &found) :
		       wcm__chain_ask(signal, &found)))
		return false;
	if (was)
		*was = found;
	return true;
}

long wcm__interposed_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long result;

	if (!real_syscall)
		find_calls();
	if (number == SYS_exit_group || number == SYS_exit)
		wcm__crash_ends();
	if (number == SYS_kill)
		wcm__crash_ends_by((int)a, (int)b);
	if (number == SYS_tgkill && (int)a > 0 && (int)b > 0)
		wcm__crash_ends_by((int)a, (int)c);
	if (number == SYS_rt_sigaction && d == sizeof(uint64_t) &&
	    change_action((int)a, (const struct wcm_kernel_action *)b,
			  (struct wcm_kernel_action *)c))
		return 0;
	if (number == SYS_sigaltstack && !are_calls_seen())
		return answered(wcm__altstack_change((uintptr_t)a, (uintptr_t)b,
						     (uintptr_t)__builtin_frame_address(0)));
	if ((number == SYS_prctl && a == PR_SET_SECCOMP) || number == SYS_seccomp)
		wcm__task_asks_for_filter();
	/* With flags or a pointer it is refused: libseccomp asks so what the kernel knows. */
	if ((number == SYS_prctl && a == PR_SET_SECCOMP && b == SECCOMP_MODE_STRICT) ||
	    (number == SYS_seccomp && a == SECCOMP_SET_MODE_STRICT && b == 0 && c == 0))
		leave_strict();
	if (!call_changes_readers(number, a, b))
		return real_syscall(number, a, b, c, d, e, f);
	result = real_syscall(number, a, b, c, d, e, f);
	look();
	return result;
}

#endif
#endif
