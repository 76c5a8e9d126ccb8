/* SPDX-License-Identifier: MIT */
/* handler.c (SAFE) - handles a fatal signal: decides who reports, and in which order things
 * happen.
 *
 * One thread reports.  Others that crash meanwhile wait for it; a crash of the report
 * itself ends it, and what has been written stands.  Then the action that was
 * installed before ours takes the signal, as it came.
 */
#include "whocallme/crash.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/modules/linked.h"
#include "core/modules/stay.h"
#include "core/os/attempt.h"
#include "core/os/auxv.h"
#include "core/os/clock.h"
#include "core/os/kernel_action.h"
#include "core/os/mask.h"
#include "core/os/output.h"
#include "core/os/owner.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/start_page.h"
#include "core/os/thread_pointer.h"
#include "core/os/unwatched.h"
#include "core/unwind/walk.h"
#include "crash/files/append.h"
#include "crash/handler.h"
#include "crash/options.h"
#include "crash/report/reason.h"
#include "crash/signals/altstack.h"
#include "crash/signals/called.h"
#include "crash/signals/chain.h"
#include "crash/signals/handler_code.h"
#include "crash/signals/stop.h"
#include "crash/signals/turn.h"
#include "crash/threads/threads.h"

static const int fatal[] = { SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
			     SIGABRT, SIGTRAP, SIGSYS };
enum { FATAL = sizeof(fatal) / sizeof(*fatal) };

/* By default they end the process with a core, too, but are no faults: programs handle or ignore
 * them, and are left to. */
static const int endings[] = { SIGQUIT, SIGXCPU, SIGXFSZ };
enum { ENDINGS = sizeof(endings) / sizeof(*endings) };

/* A crash may be reported by the old plan while a new one is made.  They are aligned so that
 * what a start touches of them lies in as few pages as possible. */
static struct wcm_crash_plan plans[2] __attribute__((aligned(4096)));
static const struct wcm_crash_plan *current_plan = &plans[0];

/* The signal that the one thread which reports was given: written in its turn only. */
static struct {
	int signal;
	siginfo_t info;
} first;

static void (*called_also)(void);

void wcm__crash_also(void (*also)(void))
{
	__atomic_store_n(&called_also, also, __ATOMIC_RELAXED);
}

static uint64_t in_milliseconds(uint32_t milliseconds)
{
	return wcm__clock_ns() + (uint64_t)milliseconds * 1000000u;
}

/* The file that has reached its limit may be the one that the report goes to: up to the hard limit
 * there is room meanwhile.  False: nothing is changed. */
static bool raise_file_limit(int signal, struct rlimit *was)
{
	struct rlimit raised;

	if (signal != SIGXFSZ || wcm__prlimit(RLIMIT_FSIZE, NULL, was) < 0)
		return false;
	raised = (struct rlimit){ was->rlim_max, was->rlim_max };
	return wcm__prlimit(RLIMIT_FSIZE, &raised, NULL) == 0;
}

static void report(const struct wcm_crash_plan *plan, siginfo_t *info,
		   void *ucontext)
{
	const uint64_t deadline = in_milliseconds(plan->deadline_ms);
	void (*const also)(void) = __atomic_load_n(&called_also, __ATOMIC_RELAXED);
	struct rlimit limit;
	bool is_raised;

	wcm__stop_arm(info->si_signo, deadline);
	is_raised = raise_file_limit(info->si_signo, &limit);
	wcm__outputs_report(plan, info, ucontext, deadline);
	wcm__output_bound(false);
	if (also)
		also();
	if (is_raised)
		wcm__prlimit(RLIMIT_FSIZE, &limit, NULL);
	if (plan->callback)
		plan->callback(info, ucontext, plan->callback_data);
	wcm__stop_disarm();
}

static bool is_from_outside(const siginfo_t *info)
{
	return (info->si_code == SI_USER || info->si_code == SI_TKILL ||
		info->si_code == SI_QUEUE) &&
	       info->si_pid != wcm__process_id();
}

static bool is_from_inside(const siginfo_t *info)
{
	return info->si_code <= 0 && !is_from_outside(info);
}

/* A report: of INFO, or of the fault that a handler of the program's was called for and is to deal
 * with where the process ends by that handler. */
struct call {
	const struct wcm_crash_plan *plan;
	siginfo_t *info;    /* NULL: no signal ends the process */
	void *ucontext;
	const void *from;   /* then, where the call that ends it returns to */
	bool is_if_aborted; /* nothing, unless abort(3) has sent it */
};

/* Of the thread whose turn it is. */
static struct wcm_walk way_out;

static struct wcm_called *called_for(const struct call *call)
{
	if (!wcm__called_ever())
		return NULL;
	if (!call->info)
		wcm__walk_start(&way_out, call->from);
	else if (is_from_inside(call->info))
		wcm__walk_start_context(&way_out, call->ucontext);
	else
		return NULL;
	return wcm__called_around(&way_out, (uintptr_t)wcm__chain_call);
}

static void note_first(const siginfo_t *info)
{
	first.signal = info->si_signo;
	first.info = *info;
}

static void report_call(void *argument)
{
	struct call call = *(const struct call *)argument;
	struct wcm_called *const called = called_for(&call);

	if (call.is_if_aborted && !wcm__reason_is_abort(call.ucontext))
		return;
	if (called) {
		if (called->is_reported)
			return;
		called->is_reported = true;
		if (!call.info)
			note_first(called->info);
		call.info = called->info;
		call.ucontext = called->ucontext;
	}
	if (call.info)
		report(call.plan, call.info, call.ucontext);
}

/* Report on a stack that is large enough.  The program may have given the thread a small
 * alternate stack, without a guard: what lies below it would be overwritten.  A report may
 * raise SIGPIPE or SIGXFSZ, which are blocked; the ones that it has raised are dropped. */
static void report_with_room(struct call *call)
{
	const uint64_t pending = wcm__mask_pending();

	if (wcm__altstack_has_room() ||
	    !wcm__altstack_call_on_reserve(report_call, call))
		report_call(call);
	wcm__mask_forget(WCM_MASK_WRITING & ~pending);
}

/* A system call of the report that a seccomp filter traps: the report goes on without it. */
static bool is_forbidden_call(const siginfo_t *info)
{
	return info->si_signo == SIGSYS && info->si_code == 1 /* SYS_SECCOMP */;
}

/* The thread that reports has got one more fatal signal.  One that another process has sent
 * makes no difference any more, nor does any that is sent to a process that lives on.  Any other
 * is a fault of the report: what is gathered for a shared file is written, and the process dies of
 * the first signal. */
static void again(const siginfo_t *info, void *ucontext)
{
	if (is_from_outside(info) ||
	    (wcm__chain_is_sent(info) && wcm__chain_is_survived(&first.info)))
		return;
	if (is_forbidden_call(info) && wcm__arch_refuse_syscall(ucontext))
		return;
	wcm__append_rescue(wcm__clock_ns() + WCM_APPENDING_NS);
	if (wcm__turn_is_borrowed())
		wcm__turn_give_back();
	wcm__chain_die_now(first.signal, &first.info);
}

/* While it waits, the thread still answers when the one that reports asks for its stack, unless the
 * program has blocked that: in BLOCKED. */
static bool take_turn(uint32_t deadline_ms, uint64_t blocked)
{
	const uint64_t grace_ns = 2000000000u;
	uint64_t mask = wcm__mask_set(WCM_MASK_QUIET);
	bool taken;

	wcm__mask_set_but_requests(mask, blocked);
	taken = wcm__turn_take(in_milliseconds(deadline_ms) + grace_ns);
	wcm__mask_set(mask);
	return taken;
}

enum course { ENDS, GOES_ON, GOES_ON_UNLESS_ABORTED };

/* Report as the one thread that does; but for ENDS the process may live on.
 * False where that took too long. */
static bool report_in_turn(siginfo_t *info, void *ucontext, enum course course)
{
	struct call call = { .plan = __atomic_load_n(&current_plan, __ATOMIC_ACQUIRE),
			     .info = info, .ucontext = ucontext,
			     .is_if_aborted = course == GOES_ON_UNLESS_ABORTED };
	const uint64_t blocked = wcm__mask_interrupted(ucontext);

	if (!take_turn(call.plan->deadline_ms, blocked))
		return false;
	note_first(info);
	wcm__unwatched_begin();
	if (course == ENDS || wcm__turn_count())
		report_with_room(&call);
	wcm__unwatched_end();
	return true;
}

static const uint64_t harmless =
	WCM_MASK_OF(SIGCHLD) | WCM_MASK_OF(SIGCONT) | WCM_MASK_OF(SIGSTOP) |
	WCM_MASK_OF(SIGTSTP) | WCM_MASK_OF(SIGTTIN) | WCM_MASK_OF(SIGTTOU) |
	WCM_MASK_OF(SIGURG) | WCM_MASK_OF(SIGWINCH);

/* Those that a handler has sent to its own process, which had them blocked. */
static uint64_t sent_blocked;

static bool is_deadly(int signal)
{
	return signal > 0 && signal < _NSIG && !(harmless & WCM_MASK_OF(signal)) &&
	       (signal == SIGKILL || wcm__kernel_action(signal).handler == (uintptr_t)SIG_DFL);
}

/* A handler that was called first has returned.  Report the signal where the process ends all the
 * same: by what the handler has sent, or in abort(3). */
static void report_if_ending(int signal, siginfo_t *info, void *ucontext)
{
	const uint64_t sent = __atomic_load_n(&sent_blocked, __ATOMIC_RELAXED);
	const bool may_abort = signal == SIGABRT && is_from_inside(info);
	enum course course = may_abort ? GOES_ON_UNLESS_ABORTED : ENDS;

	if (sent) {
		const uint64_t due = wcm__mask_pending() & sent & ~wcm__mask_interrupted(ucontext);

		for (int each = 1; each < _NSIG; each++)
			if ((due & WCM_MASK_OF(each)) && is_deadly(each))
				course = GOES_ON;
	}
	if (course != ENDS && report_in_turn(info, ucontext, course))
		wcm__turn_give_back();
}

/* PID as kill(2) takes it.  -1 is all processes but the caller's, also where that is in group 1. */
static bool is_this_process(int pid)
{
	return pid == 0 || pid == wcm__process_id() ||
	       (pid < -1 && pid == -wcm__process_group());
}

/* Where no handler has been called, the kernel is asked nothing. */
void wcm__crash_ends_by(int pid, int signal)
{
	if (!wcm__called_ever() || !is_this_process(pid) || !is_deadly(signal))
		return;
	if (wcm__mask_now() & WCM_MASK_OF(signal))
		__atomic_or_fetch(&sent_blocked, WCM_MASK_OF(signal), __ATOMIC_RELAXED);
	else
		wcm__crash_ends();
}

/* In turn, from here, where the registers are those of the program's call. */
static __attribute__((noinline)) void report_end(uint64_t blocked)
{
	struct call call = { .plan = __atomic_load_n(&current_plan, __ATOMIC_ACQUIRE),
			     .from = __builtin_return_address(0) };

	if (wcm__turn_is_mine() || !take_turn(call.plan->deadline_ms, blocked))
		return;
	wcm__arch_registers_here(&way_out.file);
	wcm__unwatched_begin();
	report_with_room(&call);
	wcm__unwatched_end();
	wcm__turn_give_back();
}

void wcm__crash_ends(void)
{
	enum wcm_thread_pointer pointer;
	uint64_t mask;
	int kept;

	if (!wcm__called_ever())
		return;
	mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	pointer = wcm__thread_pointer_lend();
	if (pointer != WCM_POINTER_LOST) {
		kept = errno;
		report_end(mask);
		if (pointer == WCM_POINTER_LENT)
			wcm__thread_pointer_give_back(true);
		else
			errno = kept;
	}
	wcm__mask_set(mask);
}

/* Another thread that crashes may report. */
static void let_others(void)
{
	if (wcm__turn_is_mine())
		wcm__turn_give_back();
}

static bool is_called_first(int signal)
{
	const struct wcm_crash_plan *plan =
		__atomic_load_n(&current_plan, __ATOMIC_ACQUIRE);

	return ((plan->flags & WCM_CRASH_CHAIN_FIRST) ||
		wcm__chain_is_later(signal)) &&
	       wcm__chain_before(signal) == WCM_ACTION_CALL;
}

/* Call the program's handler before the report.  Whether there is to be none. */
WCM_HANDLER_CODE static bool is_dealt_with(int signal, siginfo_t *info, void *ucontext,
					   bool borrowed, bool *is_end)
{
	const bool is_reported = wcm__chain_call(signal, info, ucontext, borrowed, false);

	*is_end = wcm__turn_is_mine(); /* it has handed the signal down */
	if (*is_end)
		return true;
	if (!wcm__chain_gave_up(signal)) {
		if (!is_reported)
			report_if_ending(signal, info, ucontext);
		return true;
	}
	*is_end = is_reported && !wcm__chain_is_survived(info);
	return is_reported;
}

/* Whether the program ignores it.  A copy knows what it has found. */
WCM_HANDLER_CODE static bool is_ignored(int signal, siginfo_t *info, void *ucontext,
					struct wcm_claim *claim)
{
	if (!wcm__chain_is_copy(signal))
		return wcm__chain_before(signal) == WCM_ACTION_IGNORE;
	claim->is_question = true;
	wcm__chain_call(signal, info, ucontext, true, true);
	claim->is_question = false;
	return claim->is_ignored;
}

/* Report the signal and call the action that was there before, in the order that the plan
 * says.  Returns whether the process is to die of the signal by its default action. */
WCM_HANDLER_CODE static bool is_end_of(int signal, siginfo_t *info, void *ucontext,
				       struct wcm_claim *claim)
{
	enum wcm_action before = wcm__chain_before(signal);
	bool borrowed = wcm__turn_is_borrowed(), survived = wcm__chain_is_survived(info);
	bool is_end;

	if (wcm__chain_is_sent(info) && is_ignored(signal, info, ucontext, claim))
		return false;
	if (is_called_first(signal)) {
		if (is_dealt_with(signal, info, ucontext, borrowed, &is_end))
			return is_end;
		/* It wants the process dead, and may have sent what kills it:
		 * that is blocked until the report is out. */
		before = WCM_ACTION_DEFAULT;
	}
	if (!report_in_turn(info, ucontext,
			    before == WCM_ACTION_CALL || survived ? GOES_ON : ENDS))
		return !survived;
	if ((before == WCM_ACTION_CALL && !wcm__chain_is_copy(signal)) || borrowed || survived)
		wcm__turn_give_back();
	if (before != WCM_ACTION_CALL) {
		if (survived && !borrowed)
			wcm__chain_live_on(signal);
		return !survived;
	}
	claim->is_reported = true;
	wcm__chain_call(signal, info, ucontext, borrowed, true);
	if (claim->is_dying)
		return true;
	let_others();
	/* The handler may have set the default action; its crash is reported already. */
	if (!borrowed)
		wcm__chain_let_go(signal);
	return false;
}

/* The signal comes from another copy of this library, which reports it: where the program has no
 * handler here, either the process dies, or this gives up, for that copy to see. */
WCM_HANDLER_CODE static bool is_end_for(int signal, siginfo_t *info, void *ucontext,
					struct wcm_claim *claim)
{
	if (claim->is_question) {
		claim->is_ignored = is_ignored(signal, info, ucontext, claim);
	} else if (wcm__chain_before(signal) == WCM_ACTION_CALL) {
		claim->let_others();
		wcm__chain_call(signal, info, ucontext, wcm__turn_is_borrowed(), true);
	} else if (claim->is_reported) {
		claim->is_dying = !wcm__chain_is_survived(info);
	} else {
		wcm__kernel_action_reset(signal);
	}
	return false;
}

WCM_HANDLER_CODE static bool is_end(int signal, siginfo_t *info, void *ucontext)
{
	struct wcm_claim *const others = wcm__claim_of(info);
	struct wcm_claim ours = { .let_others = let_others };
	bool is_end;

	if (others)
		return is_end_for(signal, info, ucontext, others);
	wcm__claim(info, &ours);
	is_end = is_end_of(signal, info, ucontext, &ours);
	wcm__claim(info, NULL);
	return is_end;
}

/* What is known of SIGNAL without siginfo: SIGABRT is abort(3)'s. */
static siginfo_t unknown_info(int signal)
{
	enum { UNKNOWN_REASON = -100 }; /* what nothing sends with */
	siginfo_t info = { .si_signo = signal, .si_code = UNKNOWN_REASON };

	if (signal == SIGABRT) {
		info.si_code = SI_TKILL;
		info.si_pid = wcm__process_id();
	}
	return info;
}

/* Whether the thread is in a call of libc's that makes system calls, sigaction(2): their
 * code is not ours to recognise by its address. */
static __thread bool in_libc __attribute__((tls_model("initial-exec")));

/* Let a system call of our own fail that a seccomp filter has trapped; its caller goes on
 * without it.  False if the signal came for something else.  *INFO may be garbage: see
 * is_to_be_handled(). */
static bool refuse(const siginfo_t *info, void *ucontext)
{
	return !(info->si_signo == SIGSYS && wcm__chain_is_sent(info)) &&
	       wcm__arch_refuse_syscall(ucontext);
}

/* Whether *INFO can be relied on.  A program that gets our handler from signal(2) and sets
 * it again drops its flags: without SA_SIGINFO, *INFO is what the stack happens to hold.
 * Then the flags are put back and the signal comes again, which returns false; if that
 * cannot be done, *INFO becomes UNKNOWN. */
static bool is_to_be_handled(int signal, siginfo_t **info, siginfo_t *unknown,
			     void *ucontext)
{
	bool comes_again = false;

	in_libc = true;
	if ((*info)->si_signo != signal || wcm__chain_lacks_siginfo(signal)) {
		*unknown = unknown_info(signal);
		*info = unknown;
		comes_again = wcm__chain_come_again(signal, unknown, ucontext);
	}
	in_libc = false;
	return !comes_again;
}

/* What the signal means depends on where it came: first in a call that may be refused, then
 * in a thread that is to die, in work that may fault, in the report, in the program.
 * Returns what is to be blocked afterwards; MASK is what was. */
WCM_HANDLER_CODE static uint64_t handle_fatal(int signal, siginfo_t *info,
					      void *ucontext, uint64_t mask)
{
	const uint64_t dying = WCM_MASK_QUIET | WCM_MASK_OF(signal);
	siginfo_t unknown;

	if (signal == SIGSYS && in_libc && refuse(info, ucontext))
		return mask;
	if (!is_to_be_handled(signal, &info, &unknown, ucontext))
		mask = dying;
	else if (wcm__chain_is_condemned())
		wcm__chain_leave(signal);
	else if (wcm__attempt_is_running() && !wcm__chain_is_sent(info) && !is_forbidden_call(info))
		wcm__attempt_give_up();
	else if (wcm__turn_is_mine())
		again(info, ucontext);
	else if (is_end(signal, info, ucontext))
		wcm__chain_die(signal, info, ucontext), mask = dying;
	return mask;
}

/* Put back what the program had, for its own code that goes on, or for its core. */
static void leave(enum wcm_thread_pointer pointer, int kept)
{
	if (pointer == WCM_POINTER_LENT)
		wcm__thread_pointer_give_back(wcm__chain_is_condemned());
	else
		errno = kept;
}

/* The order of the first steps matters.  A fault of the look at the thread pointer comes
 * first, since nothing thread-local may be touched before it.  A trapped system call of our
 * own is recognised by its code, since another system call to find out may be trapped, too.
 * Then all but the fatal signals are blocked, and the thread gets a thread pointer. */
WCM_HANDLER_CODE static void take_fatal(int signal, siginfo_t *info, void *ucontext)
{
	enum wcm_thread_pointer pointer;
	uint64_t mask;
	int kept;

	if (wcm__arch_thread_pointer_failed(ucontext))
		return;
	if (signal == SIGSYS && wcm__arch_is_own_syscall(ucontext) &&
	    refuse(info, ucontext))
		return;
	mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	pointer = wcm__thread_pointer_lend();
	if (pointer == WCM_POINTER_LOST) {
		wcm__kernel_action_reset(signal); /* the fault comes again */
		wcm__mask_set(mask);
		return;
	}
	kept = errno;
	wcm__mask_set(handle_fatal(signal, info, ucontext, mask));
	leave(pointer, kept);
}

WCM_HANDLER_CODE static void on_fatal_signal(int signal, siginfo_t *info, void *ucontext)
{
	const struct wcm_handed handed = WCM_ARCH_HANDED(info, ucontext);

	WCM_ARCH_ALLOW_MISALIGNED();
	take_fatal(signal, handed.info, handed.ucontext);
	wcm__arch_handed_back(&handed);
}

void wcm__crash_hand_down(int signal, siginfo_t *info, void *ucontext)
{
	const int kept = errno;
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	const bool survived = wcm__chain_is_survived(info);

	if (wcm__turn_is_mine()) {
		again(info, ucontext);
	} else if (!survived) {
		report_in_turn(info, ucontext, ENDS);
		wcm__chain_die(signal, info, ucontext);
	} else if (report_in_turn(info, ucontext, GOES_ON)) {
		wcm__turn_give_back();
	}
	wcm__mask_set(survived ? mask : WCM_MASK_QUIET);
	errno = kept;
}

/* One writer at a time: a second request while all threads are being written is served by
 * the first. */
static void write_threads(const struct wcm_crash_plan *plan,
			  const void *ucontext)
{
	static int writer; /* the process that does; 0: none */
	const int self = wcm__process_id();
	const uint64_t pending = wcm__mask_pending();
	int before = __atomic_load_n(&writer, __ATOMIC_RELAXED);

	if (before == self ||
	    !__atomic_compare_exchange_n(&writer, &before, self, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	wcm__unwatched_begin();
	wcm__outputs_threads(plan, ucontext);
	wcm__unwatched_end();
	wcm__mask_forget(WCM_MASK_WRITING & ~pending);
	__atomic_store_n(&writer, 0, __ATOMIC_RELEASE);
}

WCM_HANDLER_CODE static void take_quit(int signal, siginfo_t *info, void *ucontext)
{
	const struct wcm_crash_plan *plan =
		__atomic_load_n(&current_plan, __ATOMIC_ACQUIRE);
	uint64_t mask = wcm__mask_set_but_requests(WCM_MASK_ALL & ~WCM_MASK_FATAL,
						   wcm__mask_interrupted(ucontext));
	const enum wcm_thread_pointer pointer = wcm__thread_pointer_lend();
	struct wcm_claim claim = { .is_reported = true, .let_others = let_others };
	siginfo_t unknown;
	int kept;

	if (pointer == WCM_POINTER_LOST) {
		wcm__mask_set(mask);
		return;
	}
	kept = errno;
	if (is_to_be_handled(signal, &info, &unknown, ucontext)) {
		if (!wcm__claim_of(info)) {
			write_threads(plan, ucontext);
			wcm__claim(info, &claim);
		}
		if (wcm__chain_before(signal) == WCM_ACTION_CALL)
			wcm__chain_call(signal, info, ucontext, false, true);
	} else {
		mask = WCM_MASK_QUIET;
	}
	wcm__mask_set(mask);
	leave(pointer, kept);
}

WCM_HANDLER_CODE static void on_quit(int signal, siginfo_t *info, void *ucontext)
{
	const struct wcm_handed handed = WCM_ARCH_HANDED(info, ucontext);

	WCM_ARCH_ALLOW_MISALIGNED();
	take_quit(signal, handed.info, handed.ucontext);
	wcm__arch_handed_back(&handed);
}

static bool install_endings(bool writes_on_quit)
{
	bool installed = true;

	if (!writes_on_quit)
		wcm__chain_remove(SIGQUIT, on_quit);
	for (int i = 0; i < ENDINGS; i++)
		installed &= endings[i] == SIGQUIT && writes_on_quit ?
				     wcm__chain_install(SIGQUIT, on_quit) :
				     wcm__chain_install_default(endings[i], on_fatal_signal);
	return installed;
}

static enum wcm_status install_all(uint32_t flags)
{
	bool installed;

	wcm__altstack_expect(1);
	installed = wcm__altstack_arm();
	wcm__thread_pointer_note();
	wcm__turn_prepare();
	wcm__signal_prepare();
	wcm__threads_prepare();
	for (int i = 0; i < FATAL; i++)
		installed &= wcm__chain_install(fatal[i], on_fatal_signal);
	installed &= install_endings(flags & WCM_CRASH_THREADS_ON_QUIT);
	in_libc = true;
	wcm__threads_arm();
	in_libc = false;
	return installed ? WCM_OK : WCM_ESYSTEM;
}

static struct wcm_owner installer WCM_START_PAGE;

enum wcm_status wcm_crash_install(const struct wcm_crash_options *options)
{
	struct wcm_crash_plan *plan;
	enum wcm_status status;

	/* In a signal handler that has interrupted this there is half a plan. */
	if (wcm__owner_take(&installer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return WCM_ESYSTEM;
	wcm__stay();
	wcm__auxv_keep();
	wcm__linked_prepare();
	plan = current_plan == &plans[0] ? &plans[1] : &plans[0];
	status = wcm__crash_plan_init(plan, options);
	if (status == WCM_OK) {
		__atomic_store_n(&current_plan, plan, __ATOMIC_RELEASE);
		status = install_all(plan->flags);
	}
	wcm__owner_give_back(&installer);
	return status;
}

/* A process that ends while one of its threads reports would take the report with
 * it, and the crash: what ends it waits.  So it would where a handler of its own ends it. */
__attribute__((destructor)) static void wait_for_report(void)
{
	const struct wcm_crash_plan *plan =
		__atomic_load_n(&current_plan, __ATOMIC_ACQUIRE);
	const uint64_t grace_ns = 2000000000u;
	uint64_t until;

	wcm__crash_ends();
	if (!wcm__turn_is_anothers())
		return;
	until = in_milliseconds(plan->deadline_ms) + grace_ns;
	while (wcm__turn_is_anothers() && wcm__clock_ns() < until)
		wcm__nanosleep(5000000);
}

void wcm_crash_remove(void)
{
	for (int i = 0; i < FATAL; i++)
		wcm__chain_remove(fatal[i], on_fatal_signal);
	for (int i = 0; i < ENDINGS; i++)
		wcm__chain_remove(endings[i], on_fatal_signal);
	wcm__chain_remove(SIGQUIT, on_quit);
}
