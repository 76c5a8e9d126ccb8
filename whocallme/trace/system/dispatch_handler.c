/* SPDX-License-Identifier: MIT */
/* dispatch_handler.c (SAFE) - the handler that system calls are dispatched to.
 *
 * It makes the call for the program, with what the program would have blocked, and tells of it.
 * But for that time all signals are blocked, so that none finds the trace half way; one that the
 * call itself has sent comes where the program would have it, behind the call.
 *
 * While a call waits, signals come and their handlers' calls are dispatched as well: nothing is
 * kept that one of them could change, or leave behind by a jump.
 */
#include "trace/system/dispatch_handler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/os/clock.h"
#include "core/os/file.h"
#include "core/os/futex.h"
#include "core/os/mask.h"
#include "core/os/missing.h"
#include "core/os/process.h"
#include "core/os/read.h"
#include "core/os/self.h"
#include "core/os/slab.h"
#include "format/line.h"
#include "crash/signals/altstack.h"
#include "crash/threads/tasks.h"
#include "trace/engine/aside.h"
#include "trace/engine/handle_event.h"
#include "trace/engine/sharing.h"
#include "trace/engine/ticks.h"
#include "trace/engine/trace_stderr.h"
#include "trace/sleds/hold_threads.h"
#include "trace/system/dispatch_signals.h"
#include "trace/system/dispatch_tell.h"
#include "trace/system/dispatch_thread.h"
#include "trace/system/system_slots.h"

enum wcm_way {
	WCM_WAY_USUAL,
	WCM_WAY_RETURN,    /* from a handler: its frame is the program's */
	WCM_WAY_RUN,       /* another program, if it can be */
	WCM_WAY_END,       /* of the thread or the process */
	WCM_WAY_LET_GO,    /* the stack or the thread-local variables in use go */
	WCM_WAY_HAND_OVER, /* the program dispatches calls itself */
	WCM_WAY_FILTER,    /* calls are to be filtered, ours among them */
	WCM_WAY_STOP,      /* a tracer is to have the thread, or may have it by now */
};

/* Which system calls are not made like most. */

enum { SET_THREAD_POINTER = 0x1002, TRACE_ME = 0 /* PTRACE_TRACEME */ };
enum { STRICT = 1, FILTER = 2 }; /* SECCOMP_MODE_*, one more than seccomp(2) has them */

enum { BELOW = 8 << 10 }; /* bytes that the handler may take yet */

/* Whether the call changes memory that the handler, or who it returns to, stands on. */
static bool changes_stack(const struct wcm_dispatched *call)
{
	const uintptr_t lo = (uintptr_t)__builtin_frame_address(0) - BELOW;
	const uintptr_t at = (uintptr_t)call->argument[0], size = (uintptr_t)call->argument[1];

	if (lo > call->at.sp || call->at.sp - lo > 4 * BELOW) /* another stack */
		return call->at.sp - at < size || (at < lo + 2 * BELOW && at + size > lo);
	return at <= call->at.sp && at + size > lo;
}

/* Whether the kernel may do it: libraries ask what it knows by calls that it has to refuse. */
static bool filters(unsigned mode, unsigned flags, uintptr_t program)
{
	uint64_t words[2];

	return mode == STRICT ? flags == 0 && program == 0
			      : mode == FILTER && wcm__read_memory(program, words, sizeof(words));
}

static enum wcm_way way_of_prctl(const struct wcm_dispatched *call)
{
	const unsigned mode = (unsigned)call->argument[1];

	if (call->argument[0] == WCM_DISPATCH)
		return WCM_WAY_HAND_OVER;
	if (call->argument[0] == PR_SET_SECCOMP &&
	    filters(mode, 0, mode == STRICT ? 0 : (uintptr_t)call->argument[2]))
		return WCM_WAY_FILTER;
	return WCM_WAY_USUAL;
}

/* A tracer attaches to a thread that waits for it so. */
static bool stops_itself(const struct wcm_dispatched *call)
{
	const long target = call->argument[0];

	switch (call->number) {
	case SYS_kill:
		return call->argument[1] == SIGSTOP && target == wcm__process_id();
	case SYS_tkill:
		return call->argument[1] == SIGSTOP && target == wcm__thread_id();
	default:
		return call->argument[2] == SIGSTOP && call->argument[1] == wcm__thread_id();
	}
}

static enum wcm_way system_way(const struct wcm_dispatched *call)
{
	switch (call->number) {
	case SYS_rt_sigreturn:
		return WCM_WAY_RETURN;
	case SYS_execve:
	case SYS_execveat:
		return WCM_WAY_RUN;
	case SYS_exit:
	case SYS_exit_group:
		return WCM_WAY_END;
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_mremap:
	case SYS_madvise:
		return changes_stack(call) ? WCM_WAY_LET_GO : WCM_WAY_USUAL;
	case SYS_prctl:
		return way_of_prctl(call);
	case SYS_ptrace:
		return call->argument[0] == TRACE_ME ? WCM_WAY_STOP : WCM_WAY_USUAL;
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill:
		return stops_itself(call) ? WCM_WAY_STOP : WCM_WAY_USUAL;
	case SYS_seccomp:
		return filters((unsigned)call->argument[0] + 1, (unsigned)call->argument[1],
			       (uintptr_t)call->argument[2]) ? WCM_WAY_FILTER : WCM_WAY_USUAL;
	case SYS_arch_prctl:
		return call->argument[0] == SET_THREAD_POINTER ? WCM_WAY_LET_GO : WCM_WAY_USUAL;
	default:
		return WCM_WAY_USUAL;
	}
}

/* Whether the call NUMBER may raise a signal of those that writing brings about. */
static bool system_is_writing(long number)
{
	switch (number) {
	case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_pwritev:
	case SYS_sendfile: case SYS_sendto: case SYS_sendmsg: case SYS_splice:
		return true;
	default:
		return false;
	}
}

/* Whether the call NUMBER waits for nothing, or what it sends is to come behind it. */
static bool system_is_quick(long number)
{
	switch (number) {
	case SYS_mmap: case SYS_munmap: case SYS_mprotect: case SYS_madvise: case SYS_mremap:
	case SYS_brk: case SYS_fstat: case SYS_lseek: case SYS_dup: case SYS_dup3:
	case SYS_pipe2: case SYS_getpid: case SYS_gettid: case SYS_getppid: case SYS_getuid:
	case SYS_geteuid: case SYS_getgid: case SYS_getegid: case SYS_getrusage:
	case SYS_prlimit64: case SYS_uname: case SYS_sysinfo: case SYS_times: case SYS_umask:
	case SYS_setsid: case SYS_getpgid: case SYS_setpgid: case SYS_set_robust_list:
	case SYS_set_tid_address: case SYS_getrandom: case SYS_sched_yield:
	case SYS_clock_gettime: case SYS_gettimeofday: case SYS_kill: case SYS_tkill:
	case SYS_tgkill: case SYS_rt_sigqueueinfo: case SYS_rt_tgsigqueueinfo:
	case SYS_timer_settime: case SYS_setitimer: case SYS_socket: case SYS_socketpair:
	case SYS_bind: case SYS_listen: case SYS_setsockopt: case SYS_getsockopt:
	case SYS_getsockname: case SYS_getpeername: case SYS_epoll_create1: case SYS_epoll_ctl:
	case SYS_eventfd2:
		return true;
	default:
		return false;
	}
}

struct wcm_system_wanted wcm__system_wanted;

#define LOOKS_EACH UINT64_C(50000000) /* nanoseconds, whether ptrace(2) traces the thread */
/* How often, and how long, the first thread is waited for, and how long no more. */
#define MOST_WAITS 2000
#define WAIT_EACH UINT64_C(100000)
#define NO_WAIT UINT64_C(1000000000)

__thread struct wcm_system_thread wcm__system_own
	__attribute__((tls_model("initial-exec")));
struct wcm_arming wcm__system_arming;

/* Those that no thread has.  All are taken at once, and what is not needed is put back, so that
 * nobody finds one that has come and gone meanwhile. */
static struct wcm_system_rest *unused, shared_rest;

static void put(struct wcm_system_rest *first)
{
	struct wcm_system_rest *last = first, *after = NULL;

	if (!first)
		return;
	while (last->next)
		last = last->next;
	do
		last->next = after;
	while (!__atomic_compare_exchange_n(&unused, &after, first, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
}

struct wcm_system_rest *wcm__system_rest(void)
{
	struct wcm_system_thread *own = &wcm__system_own;
	struct wcm_system_rest *rest;

	if (own->rest)
		return own->rest;
	rest = __atomic_exchange_n(&unused, NULL, __ATOMIC_ACQUIRE);
	if (rest) {
		put(rest->next);
		*rest = (struct wcm_system_rest){ 0 };
	} else {
		rest = wcm__slab_take(sizeof(*rest));
	}
	own->rest = rest;
	return rest ? rest : &shared_rest;
}

static bool rest_is_own(void)
{
	return wcm__system_rest() != &shared_rest;
}

/* The thread ends: another one may have it. */
static void give_rest_back(void)
{
	struct wcm_system_rest *rest = wcm__system_own.rest;

	wcm__system_own.rest = NULL;
	if (rest)
		rest->next = NULL;
	put(rest);
}

long wcm__system_arm(void)
{
	struct wcm_system_thread *own = &wcm__system_own;
	long error;

	if (own->is_armed)
		return 0;
	own->selector = WCM_DISPATCH_ALLOWS;
	own->is_later = !wcm__is_first_thread();
	wcm__mask_take(wcm__system_kept);
	error = wcm__dispatch(WCM_DISPATCH_ON, wcm__system_arming.lo, wcm__system_arming.size,
			      &own->selector);
	own->is_armed = error == 0;
	if (error == 0 && own->pauses == 0)
		__atomic_store_n(&own->selector, WCM_DISPATCH_BLOCKS, __ATOMIC_RELEASE);
	return error;
}

void wcm__system_disarm(void)
{
	struct wcm_system_thread *own = &wcm__system_own;

	own->selector = WCM_DISPATCH_ALLOWS;
	wcm__dispatch(WCM_DISPATCH_OFF, 0, 0, NULL);
	own->is_armed = false;
}

static long make(const struct wcm_making *making)
{
	return wcm__arch_undispatched(making->at.number, making->at.argument);
}

static void wait_for_first(void *awaited)
{
	const uint64_t *set = awaited;

	for (unsigned i = 0; wcm__task_first_awaits() & *set; i++) {
		if (i == MOST_WAITS) {
			wcm__system_rest()->waited = wcm__ticks_ns();
			return;
		}
		wcm__nanosleep(WAIT_EACH);
	}
}

/* The kernel wakes the first thread for a signal to the process, unless that blocks it; but
 * whichever thread changes its mask before that one is awake takes it.  Programs count on the first
 * thread, and change masks seldom, so a thread that is about to have MASK leaves it the signal. */
static void leave_to_first(uint64_t mask)
{
	struct wcm_system_thread *own = &wcm__system_own;
	uint64_t awaited;

	if (!own->is_later || own->child != 0 || wcm__system_is_filtered())
		return;
	awaited = wcm__mask_pending() & ~mask;
	if (awaited != 0 && wcm__ticks_ns() - wcm__system_rest()->waited > NO_WAIT)
		wcm__aside_in_handler(wcm__sharing_tracer((uintptr_t)__builtin_frame_address(0)),
				      wait_for_first, &awaited);
}

/* Signals that MASK lets through come meanwhile, and their handlers' calls are dispatched: before
 * it lets the first through, for a handler may jump away. */
static long make_open(const struct wcm_making *making, uint64_t mask, const void *ucontext)
{
	const uint64_t masks[2] = { mask, WCM_MASK_QUIET };
	struct wcm_system_thread *own = &wcm__system_own;
	long result;

	leave_to_first(mask);
	__atomic_store_n(&own->selector, WCM_DISPATCH_BLOCKS, __ATOMIC_SEQ_CST);
	result = wcm__arch_undispatched_open(making->at.number, making->at.argument, masks,
					     ucontext);
	__atomic_store_n(&own->selector, WCM_DISPATCH_ALLOWS, __ATOMIC_SEQ_CST);
	return result;
}

struct saying {
	const char *whose, *why;
};

static void say(void *argument)
{
	const struct saying *saying = argument;
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, saying->whose);
	wcm__line_text(&line, " are traced no more: ");
	wcm__line_text(&line, saying->why);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

static void say_no_more(const char *whose, const char *why)
{
	wcm__aside_in_handler(NULL, say, &(struct saying){ whose, why });
}

/* Some thread's calls come no longer, by which it could block what is kept. */
static void lose(void)
{
	if (wcm__system_wanted.at_loss)
		wcm__system_wanted.at_loss();
}

/* The thread is to make the call by itself, and its handler is told of it no more. */
static void let_go(struct wcm_making *making, void *ucontext)
{
	lose();
	wcm__system_tell_whole(making, WCM_SYSTEM_NEVER);
	wcm__system_disarm();
	wcm__arch_dispatched_again(ucontext);
}

/* Those that have come since the handler began: they are to find a thread whose calls are
 * dispatched. */
static void let_signals_come(uint64_t mask)
{
	struct wcm_system_thread *own = &wcm__system_own;

	leave_to_first(mask);
	__atomic_store_n(&own->selector, WCM_DISPATCH_BLOCKS, __ATOMIC_SEQ_CST);
	wcm__mask_set(mask);
	wcm__mask_set(WCM_MASK_QUIET);
	__atomic_store_n(&own->selector, WCM_DISPATCH_ALLOWS, __ATOMIC_SEQ_CST);
}

/* The same, and the handler is told when it is over. */
static void pass(struct wcm_making *making, void *ucontext, enum wcm_beginning beginning)
{
	struct wcm_system_thread *own = &wcm__system_own;
	const uintptr_t code = wcm__system_pass_code(making->at.at.pc, beginning);
	struct wcm_passing *passing;

	if (code == 0 || own->passing == WCM_MOST_PASSING || !rest_is_own()) {
		say_no_more("a thread's system calls",
			    code == 0 ? "no code can be made for a new one" :
			    !own->rest ? "there is no memory" :
					"it is in too many of vfork(2)");
		let_go(making, ucontext);
		return;
	}
	let_signals_come(wcm__mask_interrupted(ucontext));
	if (beginning == WCM_BEGINS_SHARER)
		wcm__sharing_begins();
	wcm__system_tell_begin(making);
	passing = &own->rest->pass[own->passing++];
	*passing = (struct wcm_passing){ .call = making->call,
					 .begin = making->is_told ? making->begin : UINT64_MAX,
					 .borrows = beginning == WCM_BEGINS_BORROWER,
					 .stays = beginning == WCM_BEGINS_NONE,
					 .clears = wcm__system_clears_actions(&making->at),
					 .child = own->child,
					 .is_child_known = own->is_child_known,
					 .blocked = own->blocked,
					 .action = { *wcm__system_signal_action(SIGSYS),
						     *wcm__system_signal_action(SIGTRAP) } };
	for (int i = 0; i < WCM_SYSTEM_SIGNALS && passing->clears; i++)
		wcm__system_signal_clear(&passing->action[i]);
	wcm__arch_dispatched_pass(ucontext, code);
}

/* In a child that has a copy of this thread's stack, MAKING's call is its parent's. */
static void forget(const struct wcm_making *making)
{
	struct wcm_tracer *tracer = wcm__tracer_own;
	const struct wcm_call *top;

	if (!making->is_told || !tracer || !tracer->shadow || tracer->shadow->depth == 0)
		return;
	top = wcm__shadow_innermost(tracer->shadow);
	if (top->func == wcm__system_address(making->call.number) &&
	    top->cfa == making->at.at.sp)
		wcm__shadow_closed(tracer->shadow, 0);
}

/* In the thread, or in what it has begun, which has the result 0: that has another thread's
 * variables, or is a child that has this one's. */
static void passed(void *ucontext)
{
	struct wcm_system_thread *own = &wcm__system_own;
	struct wcm_making making = { 0 };
	struct wcm_passing *passing;
	bool is_child;
	uintptr_t site, sp;
	const long result = wcm__arch_passed(ucontext, &site, &sp);

	wcm__arch_dispatched_result(ucontext, result);
	own->is_armed = true;
	if (result == 0 && (own->passing == 0 || !own->rest->pass[own->passing - 1].borrows))
		own->is_later = !wcm__is_first_thread();
	if (own->passing == 0)
		return;
	passing = &own->rest->pass[own->passing - 1];
	is_child = result == 0 && !passing->stays;
	if (is_child && passing->clears)
		(passing->borrows ? wcm__system_signals_again : wcm__system_signals_cleared)();
	if (is_child && passing->borrows) {
		own->child = wcm__thread_id();
		own->is_child_known = false;
		return;
	}
	own->passing--;
	own->child = passing->child;
	own->is_child_known = passing->is_child_known;
	own->blocked = (uint32_t)passing->blocked;
	making.call = passing->call;
	making.is_told = passing->begin != UINT64_MAX;
	making.begin = passing->begin;
	making.at.at = (struct wcm_regs){ .pc = site, .sp = sp };
	if (is_child)
		forget(&making);
	else
		wcm__system_tell_end(&making, result);
}

/* With all signals blocked; a child has this frame, too, and is armed again. */
static void copy_process(struct wcm_making *making, void *ucontext)
{
	struct wcm_system_thread *own = &wcm__system_own;
	long result;

	wcm__system_tell_begin(making);
	result = make(making);
	wcm__arch_dispatched_result(ucontext, result);
	if (result != 0) {
		wcm__system_tell_end(making, result);
		return;
	}
	forget(making);
	own->is_armed = false;
	own->child = 0;
	wcm__system_wanted.turner = 0; /* the parent has that thread */
	if (wcm__system_clears_actions(&making->at))
		wcm__system_signals_cleared();
	wcm__system_arm();
}

/* What writes a call where that ends has to be told of it whole, before and behind it. */
static bool is_told_whole(void)
{
	const struct wcm_sink *mode = wcm__gate_mode();

	return wcm__system_own.child != 0 || (mode && mode->writes_at_ends);
}

static void run_program(struct wcm_making *making, void *ucontext)
{
	const bool is_whole = is_told_whole();
	uint64_t lent;
	long result;

	wcm__system_tell_begin(making);
	if (is_whole)
		wcm__system_tell_end(making, WCM_SYSTEM_NEVER);
	if (wcm__system_wanted.at_exec && wcm__system_own.child == 0)
		wcm__system_wanted.at_exec();
	/* The program inherits what this one believes to be blocked. */
	lent = wcm__system_signals_lend();
	result = make_open(making, wcm__mask_interrupted(ucontext) | wcm__system_own.blocked,
			   ucontext);
	wcm__chain_take_back(lent);
	wcm__system_signals_again();
	if (is_whole)
		wcm__system_tell_begin(making);
	wcm__system_tell_end(making, result);
	wcm__arch_dispatched_result(ucontext, result);
}

/* exit(2) ends the process if it has no other thread: as many folders are in one of /proc, two of
 * which are its own links.  Only its first thread asks, for others come and go by the thousand. */
static bool ends_process(long number)
{
	struct stat tasks;

	return number == SYS_exit_group ||
	       (wcm__thread_id() == wcm__process_id() &&
		wcm__fstatat(AT_FDCWD, "/proc/self/task", &tasks, 0) == 0 && tasks.st_nlink == 3);
}

static void end(struct wcm_making *making, void *ucontext)
{
	wcm__system_tell_whole(making, WCM_SYSTEM_NEVER);
	if (ends_process(making->call.number) && wcm__system_wanted.at_end &&
	    wcm__system_own.child == 0)
		wcm__system_wanted.at_end();
	if (making->call.number == SYS_exit && wcm__system_own.child == 0 &&
	    wcm__system_own.passing == 0)
		give_rest_back();
	wcm__arch_dispatched_result(ucontext, make(making));
}

/* A program that dispatches calls itself has its own way; ours of this thread end.  Behind its call
 * those of this library may be dispatched, too. */
static void hand_over(struct wcm_making *making, void *ucontext)
{
	struct wcm_system_thread *own = &wcm__system_own;
	long result;

	lose();
	say_no_more("system calls", "the program dispatches them itself");
	wcm__system_tell_whole(making, WCM_SYSTEM_NEVER);
	result = make(making);
	if (result == 0) {
		own->is_armed = false;
		own->is_handed_over = true;
	}
	wcm__arch_dispatched_result(ucontext, result);
}

/* Another thread turns it off: it makes calls for that, and may have this one stand still.  Once it
 * is done a filter may hold here, so that nothing is called but what every program calls. */
static void await_off(void)
{
	uint32_t *turner = &wcm__system_wanted.turner;
	const uint32_t seen = __atomic_load_n(turner, __ATOMIC_SEQ_CST);

	if (seen == 0 || wcm__system_own.child != 0 || seen == (uint32_t)wcm__thread_id())
		return;
	for (int i = 0; i < MOST_WAITS && __atomic_load_n(turner, __ATOMIC_SEQ_CST) == seen; i++) {
		wcm__mask_set(WCM_MASK_QUIET & ~WCM_MASK_OF(WCM_HOLD_SIGNAL));
		wcm__futex_wait(turner, seen, WAIT_EACH);
		wcm__mask_set(WCM_MASK_QUIET);
	}
}

/* A filter of the program's would have to allow what this handler does, in each thread that it is
 * for.  All threads are held once nothing is told any more: who told something has done so,
 * and who comes back from a call tells nothing. */
static void step_back(struct wcm_making *making, void *ucontext)
{
	wcm__task_asks_for_filter();
	wcm__system_tell_whole(making, WCM_SYSTEM_NEVER);
	lose();
	say_no_more("system calls", "the program filters them by seccomp(2)");
	__atomic_store_n(&wcm__system_wanted.is_filtered, true, __ATOMIC_SEQ_CST);
	if (wcm__system_wanted.off)
		wcm__system_wanted.off(ucontext);
	await_off();
	wcm__arch_dispatched_again(ucontext);
}

/* The signals that writing brings about come behind it, and find it told. */
static uint64_t mask_of(const struct wcm_making *making, const void *ucontext)
{
	return wcm__mask_interrupted(ucontext) |
	       (system_is_writing(making->call.number) ? WCM_MASK_WRITING : 0);
}

static long make_usual(struct wcm_making *making, void *ucontext)
{
	struct wcm_signal_words words;
	const bool is_followed = wcm__system_wanted.before_rights &&
				 wcm__system_wanted.before_rights(making->at.number,
								  making->at.argument);
	long result;

	wcm__system_tell_begin(making);
	if (!wcm__system_signal_call(&making->at, ucontext, &result)) {
		wcm__system_mask_without(&making->at, &words);
		result = system_is_quick(making->call.number) ?
				 make(making) :
				 make_open(making, mask_of(making, ucontext), ucontext);
	}
	if (is_followed)
		wcm__system_wanted.after_rights();
	wcm__system_tell_end(making, result);
	wcm__arch_dispatched_result(ucontext, result);
	return result;
}

/* A tracer stops the thread at each SIGSYS, and has it go on without one.  A child that has its
 * parent's memory leaves the probes in it alone. */
static void leave_to_tracer(void)
{
	if (wcm__system_own.child == 0)
		lose();
	say_no_more("a thread's system calls", "ptrace(2) traces it");
	wcm__system_disarm();
}

static void look(void *is_traced)
{
	*(bool *)is_traced = wcm__task_is_traced();
}

static bool is_traced(void)
{
	bool is = false;

	wcm__aside_in_handler(wcm__sharing_tracer((uintptr_t)__builtin_frame_address(0)), look,
			      &is);
	return is;
}

static bool is_traced_now(void)
{
	const uint64_t now = wcm__ticks_ns();
	struct wcm_system_rest *rest = wcm__system_rest();

	if (now - rest->looked < LOOKS_EACH || !wcm__system_wanted.leaves_tracers)
		return false;
	rest->looked = now;
	return is_traced();
}

/* The call is PTRACE_TRACEME, or has stopped the thread until a tracer has it. */
static void stop(struct wcm_making *making, void *ucontext)
{
	const long result = make_usual(making, ucontext);

	if (making->call.number == SYS_ptrace ? result == 0 : is_traced())
		leave_to_tracer();
}

static void make_call(struct wcm_making *making, void *ucontext)
{
	enum wcm_beginning beginning;

	switch (system_way(&making->at)) {
	case WCM_WAY_RETURN:
		making->is_return = true;
		if (!wcm__system_own.hides_return)
			wcm__system_tell_whole(making, WCM_SYSTEM_NEVER);
		wcm__system_own.hides_return = false;
		wcm__system_frame_without(making->at.at.sp);
		wcm__arch_dispatched_pass(ucontext, wcm__arch_undispatched_code().restorer);
		return;
	case WCM_WAY_RUN:
		run_program(making, ucontext);
		return;
	case WCM_WAY_END:
		end(making, ucontext);
		return;
	case WCM_WAY_LET_GO:
		let_go(making, ucontext);
		return;
	case WCM_WAY_HAND_OVER:
		hand_over(making, ucontext);
		return;
	case WCM_WAY_FILTER:
		step_back(making, ucontext);
		return;
	case WCM_WAY_STOP:
		stop(making, ucontext);
		return;
	case WCM_WAY_USUAL:
		break;
	}
	beginning = wcm__system_begins(&making->at);
	if (beginning == WCM_BEGINS_COPY)
		copy_process(making, ucontext);
	else if (beginning != WCM_BEGINS_NONE ||
		 /* The kernel refuses it on that stack. */
		 (making->call.number == SYS_sigaltstack && wcm__system_signal_is_aside() &&
		  !wcm__altstack_answers((uintptr_t)making->at.argument[0])))
		pass(making, ucontext, beginning);
	else
		make_usual(making, ucontext);
}

static void dispatch(const siginfo_t *info, void *ucontext)
{
	struct wcm_making making = { 0 };

	wcm__arch_dispatched(&making.at, ucontext);
	if (!wcm__arch_dispatches(info)) {
		lose();
		say_no_more("a thread's system calls", "it makes them as another CPU would");
		wcm__system_disarm();
		wcm__arch_dispatched_again(ucontext);
		return;
	}
	if (making.at.number == WCM_PASSED_NUMBER && wcm__system_pass_holds(making.at.at.pc)) {
		passed(ucontext);
		return;
	}
	if (wcm__arch_is_own_syscall(ucontext)) {
		wcm__arch_dispatched_result(ucontext, make(&making));
		return;
	}
	if (!__atomic_load_n(&wcm__system_wanted.is_on, __ATOMIC_ACQUIRE)) {
		await_off();
		wcm__system_own.is_armed = false; /* its selector allows all */
		wcm__arch_dispatched_again(ucontext);
		return;
	}
	if (is_traced_now()) {
		leave_to_tracer();
		wcm__arch_dispatched_again(ucontext);
		return;
	}
	making.call.number = making.at.number;
	memcpy(making.call.argument, making.at.argument, sizeof(making.call.argument));
	make_call(&making, ucontext);
}

/* The program's handler has its calls dispatched, wherever the signal has come. */
void wcm__system_pass_on(int signal, siginfo_t *info, void *ucontext)
{
	struct wcm_system_thread *own = &wcm__system_own;
	const uint8_t selector = own->selector;
	struct wcm_making making = { 0 };
	bool is_handled;

	if (own->is_armed && own->pauses == 0)
		__atomic_store_n(&own->selector, WCM_DISPATCH_BLOCKS, __ATOMIC_SEQ_CST);
	is_handled = wcm__system_signal_pass_on(signal, info, ucontext);
	__atomic_store_n(&own->selector, WCM_DISPATCH_ALLOWS, __ATOMIC_SEQ_CST);
	if (is_handled && own->is_armed) {
		wcm__arch_dispatched(&making.at, ucontext);
		making.call.number = SYS_rt_sigreturn;
		wcm__system_tell_whole(&making, WCM_SYSTEM_NEVER);
	}
	__atomic_store_n(&own->selector, selector, __ATOMIC_SEQ_CST);
}

void wcm__system_dispatched(int signal, siginfo_t *info, void *ucontext)
{
	struct wcm_system_thread *own = &wcm__system_own;

	if (own->is_handed_over) {
		wcm__system_signal_handed(signal, info, ucontext);
		return;
	}
	if (info->si_code != WCM_DISPATCHED) {
		wcm__system_pass_on(signal, info, ucontext);
		return;
	}
	own->selector = WCM_DISPATCH_ALLOWS;
	dispatch(info, ucontext);
	leave_to_first(wcm__mask_interrupted(ucontext));
	if (own->is_armed && own->pauses == 0)
		__atomic_store_n(&own->selector,
				 own->passing > 0 &&
						 wcm__system_pass_holds(
							 *wcm__arch_context_pc(ucontext)) ?
					 WCM_DISPATCH_ALLOWS : WCM_DISPATCH_BLOCKS,
				 __ATOMIC_SEQ_CST);
}
