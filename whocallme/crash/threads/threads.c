/* SPDX-License-Identifier: MIT */
/* threads.c (SAFE) - captures the stacks of all threads but the calling one.
 *
 * A thread is asked by a signal that nobody else uses, and captures its own stack from
 * what the signal interrupted.  One visitor asks at a time, and asks one thread after
 * the other.  It waits for each no longer than a running thread can take to answer.
 */
#include "crash/threads/threads.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include "core/arch/arch.h"
#include "core/os/clock.h"
#include "core/os/file.h"
#include "core/os/futex.h"
#include "core/os/mask.h"
#include "core/os/missing.h"
#include "core/os/owner.h"
#include "core/os/process.h"
#include "core/os/read.h"
#include "core/os/self.h"
#include "core/os/start_page.h"
#include "core/os/thread_pointer.h"
#include "format/line.h"
#include "crash/signals/altstack.h"
#include "crash/signals/chain.h"
#include "crash/signals/handler_code.h"
#include "crash/threads/own_threads.h"
#include "crash/threads/tasks.h"
#include "crash/threads/thread_stack.h"

struct wcm_mailbox {
	uint32_t state;
	struct wcm_thread thread;
};

/* Hands a thread's answer to the visitor that asked for it, or to nobody.
 *
 * A visitor that stops waiting and a thread that begins to answer may do so at the same
 * moment.  Each moves the mailbox's state on by one compare-and-swap, and the one that
 * fails has lost: a thread that answers too late writes nothing, and one that was given up while
 * it wrote keeps the mailbox until it is done. */

enum { MAILBOXES = 8, MOST_WAKEUPS = 256 };

/* Who may touch a mailbox's thread: the visitor in TAKEN and ANSWERED, the thread that
 * answers in ANSWERING and GIVEN_UP, nobody in FREE and ASKED.  The ways between are
 *
 *	FREE -> TAKEN -> ASKED -> ANSWERING -> ANSWERED -> FREE
 *	                 ASKED -> FREE		the visitor does not wait any longer
 *	                          ANSWERING -> GIVEN_UP -> FREE		nor here
 */
enum phase {
	FREE,
	TAKEN,     /* by a visitor */
	ASKED,     /* a thread may begin to answer */
	ANSWERING, /* it writes */
	ANSWERED,  /* the visitor reads */
	GIVEN_UP,  /* it still writes, for nobody */
	PHASES = 8
};

/* A state is a phase and, in units of PHASES, how often the mailbox was taken.  So the
 * state that a thread has seen does not come back when the mailbox is used again, and
 * its compare-and-swap fails, as it must. */
static struct wcm_mailbox mailboxes[MAILBOXES];

static enum phase phase_of(uint32_t state)
{
	return state % PHASES;
}

static uint32_t with_phase(uint32_t state, enum phase phase)
{
	return state - state % PHASES + phase;
}

static uint32_t state_of(const struct wcm_mailbox *box)
{
	return __atomic_load_n(&box->state, __ATOMIC_ACQUIRE);
}

/* By the one side that may change the mailbox in its present phase. */
static void set_phase(struct wcm_mailbox *box, enum phase phase)
{
	__atomic_store_n(&box->state, with_phase(state_of(box), phase),
			 __ATOMIC_RELEASE);
}

static bool change(struct wcm_mailbox *box, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&box->state, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Move BOX, which was in STATE at some time, from one phase to another. */
static bool move(struct wcm_mailbox *box, uint32_t state, enum phase from,
		 enum phase to)
{
	return change(box, with_phase(state, from), with_phase(state, to));
}

/* A mailbox of the caller's own, or NULL where all are in use; and its end. */
static struct wcm_mailbox *mailbox_take(void)
{
	for (struct wcm_mailbox *box = mailboxes; box < mailboxes + MAILBOXES; box++) {
		uint32_t state = state_of(box);

		if (phase_of(state) == FREE &&
		    change(box, state, with_phase(state, TAKEN) + PHASES))
			return box;
	}
	return NULL;
}

static void mailbox_free(struct wcm_mailbox *box)
{
	set_phase(box, FREE);
}

/* From now on thread TID may answer in BOX. */
static void mailbox_ask(struct wcm_mailbox *box, int tid)
{
	box->thread.answered = box->thread.blocked = false;
	__atomic_store_n(&box->thread.tid, tid, __ATOMIC_RELAXED);
	set_phase(box, ASKED);
}

/* Wait for BOX to leave STATE.  Where the kernel knows no futex, or no clock, the
 * caller's count of tries is the bound. */
static void wait_for_change(struct wcm_mailbox *box, uint32_t state, uint64_t ns)
{
	const int result = wcm__futex_wait(&box->state, state, ns);

	if (result < 0 && result != -EAGAIN && result != -EINTR && result != -ETIMEDOUT)
		wcm__nanosleep(1000000);
}

/* Wait for the answer until UNTIL, of wcm__clock_ns().  Without it, BOX is the
 * caller's no longer. */
static bool mailbox_await(struct wcm_mailbox *box, uint64_t until)
{
	uint32_t state = state_of(box);

	for (int i = 0; i < MOST_WAKEUPS && phase_of(state) != ANSWERED; i++) {
		uint64_t now = wcm__clock_ns();

		if (now >= until)
			break;
		wait_for_change(box, state, until - now);
		state = state_of(box);
	}
	/* The thread may begin to answer, and end, between any two looks: each of these
	 * fails if it has.  Where both do, the answer has come after all. */
	if (move(box, state, ASKED, FREE) ||
	    move(box, state, ANSWERING, GIVEN_UP))
		return false;
	return true;
}

/* The mailbox in which thread TID, the calling one, is to answer, or NULL; and that
 * it has done so. */
static struct wcm_mailbox *mailbox_find(int tid)
{
	for (struct wcm_mailbox *box = mailboxes; box < mailboxes + MAILBOXES; box++) {
		uint32_t state = state_of(box);

		if (phase_of(state) == ASKED &&
		    /* The id may be of a later use: then STATE has changed. */
		    __atomic_load_n(&box->thread.tid, __ATOMIC_RELAXED) == tid &&
		    change(box, state, with_phase(state, ANSWERING)))
			return box;
	}
	return NULL;
}

/* Where the visitor has given up, this thread is the last that uses the mailbox. */
static void mailbox_answer(struct wcm_mailbox *box)
{
	if (move(box, state_of(box), ANSWERING, ANSWERED))
		wcm__futex_wake(&box->state, 1);
	else
		set_phase(box, FREE);
}

/* In a child of fork(2) no thread is left that could still write.  In the same process
 * one may be: its mailbox is freed by itself, in mailbox_answer(). */
static void mailboxes_recover(bool forked)
{
	for (struct wcm_mailbox *box = mailboxes; box < mailboxes + MAILBOXES; box++) {
		uint32_t state = state_of(box);
		enum phase phase = phase_of(state);

		if (forked || (phase != ANSWERING && phase != GIVEN_UP))
			change(box, state, with_phase(state, FREE));
		else
			move(box, state, ANSWERING, GIVEN_UP);
	}
}

/* libc keeps the first two real-time signals for itself, and programs that use
 * some mostly count from there. */
enum { LAST_SIGNAL = 64, FIRST_SIGNAL = 36 };

/* What a capture takes of a stack: 4 KiB were measured. */
enum { ROOM = 8 * 1024 };

#define MILLISECOND ((uint64_t)1000000)
#define PATIENCE (100 * MILLISECOND) /* with a thread that is asked */
#define HOPE (25 * MILLISECOND)      /* for one that may not take the signal */
#define TURN (5000 * MILLISECOND)    /* of another visitor, or of arming */

/* A visitor may end on its way, in a child of fork(2) for one.  The next one finds that the
 * thread does not exist, and frees the mailboxes that were left; since there is one visitor
 * at a time, all that are in use are those. */
static struct wcm_owner visitor;
static bool is_visiting;  /* the visitor has not ended on its way */
static int mailboxes_pid; /* the process that the mailboxes were used in */
static int signal_number WCM_START_PAGE;
static int last_signal = LAST_SIGNAL; /* that can be sent, as far as is known */

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* In the thread that is asked. */

/* Whether a capture fits on the alternate stack that we run on, if we do: programs
 * have small ones. */
static bool has_room(const ucontext_t *context)
{
	const stack_t *stack = &context->uc_stack;
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t lo = (uintptr_t)stack->ss_sp;

	return (stack->ss_flags & SS_DISABLE) || here < lo ||
	       here - lo > stack->ss_size || here - lo >= ROOM;
}

/* Where the thread is, and no more. */
static size_t capture_first(const void *ucontext, struct wcm_frame *frame,
			    enum wcm_stop *stop)
{
	struct wcm_registers file;

	*stop = WCM_STOP_FULL;
	if (!wcm__arch_registers_from_context(&file, ucontext, wcm__read_memory))
		return 0;
	*frame = (struct wcm_frame){ .pc = file.pc,
				     .flags = WCM_FRAME_INTERRUPTED };
	return 1;
}

static void leave_out_handlers(struct wcm_thread *thread)
{
	size_t kept = 0;

	for (size_t i = 0; i < thread->count; i++)
		if (!wcm__is_of_handler(&thread->frames[i]))
			thread->frames[kept++] = thread->frames[i];
	thread->count = kept;
}

static void answer(struct wcm_thread *thread, const void *ucontext)
{
	wcm__thread_name(thread->tid, thread->name);
	if (has_room(ucontext))
		thread->count = wcm_stack_capture_from(ucontext, thread->frames,
						       WCM_THREAD_FRAMES, 0,
						       &thread->stop);
	else
		thread->count = capture_first(ucontext, thread->frames,
					      &thread->stop);
	leave_out_handlers(thread);
	thread->answered = true;
}

/* The signal's mask holds the fatal signals, too, and the look at the thread pointer may
 * fault: they are unblocked for that.  Anybody may send the signal: only a request from
 * this process is answered.  The thread has its alternate stack before the visitor hears
 * of it, as wcm__threads_arm() relies on. */
static void on_request(int signal, siginfo_t *info, void *ucontext)
{
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	const enum wcm_thread_pointer pointer = wcm__thread_pointer_lend();
	struct wcm_mailbox *box;
	int kept;

	(void)signal;
	wcm__mask_set(mask);
	if (pointer == WCM_POINTER_LOST)
		return;
	kept = errno;
	if (info->si_code == SI_TKILL && info->si_pid == wcm__process_id()) {
		box = mailbox_find(wcm__thread_id());
		if (box)
			answer(&box->thread, ucontext);
		if (wcm__altstack_is_wanted())
			wcm__altstack_arm_interrupted(ucontext);
		if (box)
			mailbox_answer(box);
	}
	if (pointer == WCM_POINTER_LENT)
		wcm__thread_pointer_give_back(false);
	else
		errno = kept;
}

/* The signal. */

static bool is_ours(int signal)
{
	return signal && wcm__chain_is_ours(signal, on_request);
}

/* Only where the program has no action for SIGNAL. */
static bool install(int signal)
{
	return wcm__kernel_action(signal).handler == (uintptr_t)SIG_DFL &&
	       wcm__chain_install(signal, on_request);
}

/* The program may since have taken the signal that was free: then there is another. */
bool wcm__threads_prepare(void)
{
	const int kept = errno;
	int signal = __atomic_load_n(&signal_number, __ATOMIC_RELAXED);

	if (!is_ours(signal)) {
		signal = last_signal;
		while (signal >= FIRST_SIGNAL && !is_ours(signal) &&
		       !install(signal))
			signal--;
		if (signal < FIRST_SIGNAL)
			signal = 0;
		__atomic_store_n(&signal_number, signal, __ATOMIC_RELAXED);
	}
	errno = kept;
	return signal != 0;
}

/* In the visitor. */

/* An emulator has fewer signals than its program's kernel, and lets one have actions that
 * it cannot send. */
static bool take_another_signal(int refused)
{
	last_signal = refused - 1;
	__atomic_store_n(&signal_number, 0, __ATOMIC_RELAXED);
	return wcm__threads_prepare();
}

struct visit {
	uint64_t deadline;
	bool can_ask;
	struct wcm_mailbox *silent; /* what is told of threads that do not answer */
	wcm_thread_visitor *visit;
	void *data;
};

/* A person with a debugger looks at the program's terminal, or at where gdb's own words go, too. */
static bool is_seen(int fd)
{
	struct stat status;

	return wcm__fstat(fd, &status) == 0 &&
	       (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode));
}

/* gdb stops at every real-time signal.  The signals that it passes are the program's: SIGCHLD,
 * SIGURG, SIGALRM and others, which are merged with the program's own.  So a line says, before the
 * first signal and once, how gdb passes this one. */
static void tell_debugger(void)
{
	static bool is_told;
	struct wcm_line line;

	if (is_told || !is_seen(STDERR_FILENO) || !wcm__task_is_in_gdb())
		return;
	is_told = true;
	wcm__line_begin(&line, STDERR_FILENO);
	wcm__line_text(&line, "gdb stops where threads are asked for their "
			      "stacks, unless it is told: handle SIG");
	wcm__line_decimal(&line, signal_number);
	wcm__line_text(&line, " nostop noprint pass\n");
	wcm__line_write(&line);
}

/* Wait to be the visitor.  *AGAIN says that the thread is one already: a signal
 * came between, whose handler is here. */
static bool wait_for_turn(uint64_t until, bool *again)
{
	const uint64_t latest = earlier(until, wcm__clock_ns() + TURN);
	const enum wcm_owned owned = wcm__owner_take(&visitor, latest, wcm__owner_has_ended);
	const int self = wcm__process_id();

	*again = owned == WCM_OWNED_TWICE;
	if (owned != WCM_OWNED)
		return *again;
	if (mailboxes_pid != self || is_visiting)
		mailboxes_recover(mailboxes_pid != self);
	mailboxes_pid = self;
	is_visiting = true;
	return true;
}

/* The mailbox with the answer of thread TID, or NULL; then *BLOCKED says whether that is
 * because it has the signal blocked. */
static struct wcm_mailbox *ask(const struct visit *visit, int tid, bool *blocked)
{
	const int signal = __atomic_load_n(&signal_number, __ATOMIC_RELAXED);
	enum wcm_task_answer answer;
	struct wcm_mailbox *box;
	uint64_t patience;
	int error;

	*blocked = false;
	if (!visit->can_ask || wcm__clock_ns() >= visit->deadline)
		return NULL;
	answer = wcm__task_answers(tid, signal);
	*blocked = answer != WCM_TASK_SURELY;
	box = answer == WCM_TASK_NEVER ? NULL : mailbox_take();
	if (!box)
		return NULL;
	mailbox_ask(box, tid);
	patience = answer == WCM_TASK_PERHAPS ? HOPE : PATIENCE;
	error = wcm__tgkill(wcm__process_id(), tid, signal);
	if (error == 0)
		return mailbox_await(box, earlier(wcm__clock_ns() + patience,
						  visit->deadline))
			       ? box
			       : NULL;
	mailbox_free(box);
	return error == -EINVAL && take_another_signal(signal) ? ask(visit, tid, blocked) : NULL;
}

/* A thread that has ended meanwhile is not visited; one that has not answered is, and
 * /proc tells its name. */
static bool visit_thread(const struct visit *visit, int tid)
{
	bool blocked, go_on;
	struct wcm_mailbox *box = ask(visit, tid, &blocked);
	struct wcm_thread *silent = &visit->silent->thread;

	if (box) {
		go_on = visit->visit(&box->thread, visit->data);
		mailbox_free(box);
		return go_on;
	}
	if (wcm__thread_is_gone(wcm__process_id(), tid))
		return true;
	silent->tid = tid;
	silent->count = 0;
	silent->stop = WCM_STOP_NONE;
	silent->answered = false;
	silent->blocked = blocked;
	wcm__thread_name(tid, silent->name);
	return visit->visit(silent, visit->data);
}

/* A full list may not be all: the next one begins behind its last id. */
static bool visit_all(const struct visit *visit, struct wcm_tasks *tasks)
{
	for (;;) {
		for (int i = 0; i < tasks->count; i++)
			if (!wcm__own_thread_is(tasks->tid[i]) &&
			    !visit_thread(visit, tasks->tid[i]))
				return true;
		if (tasks->count < WCM_TASKS)
			return true;
		if (!wcm__tasks_list(tasks, tasks->tid[WCM_TASKS - 1]))
			return false;
	}
}

bool wcm__threads_visit(uint64_t deadline, wcm_thread_visitor *visitor_call,
			void *data)
{
	struct visit visit = { .deadline = deadline, .visit = visitor_call,
			       .data = data };
	struct wcm_tasks tasks;
	bool again, listed = false;

	/* Before anything is written: a child of vfork(2) has one thread, and its parent's
	 * memory. */
	if (!wcm__tasks_list(&tasks, 0))
		return false;
	if (tasks.count == 0)
		return true;
	if (!wait_for_turn(deadline, &again))
		return false;
	visit.can_ask = wcm__threads_prepare();
	if (visit.can_ask)
		tell_debugger();
	visit.silent = mailbox_take();
	if (visit.silent) {
		listed = visit_all(&visit, &tasks);
		mailbox_free(visit.silent);
	}
	if (!again) {
		is_visiting = false;
		wcm__owner_give_back(&visitor);
	}
	return listed;
}

static bool go_on(const struct wcm_thread *thread, void *data)
{
	(void)thread, (void)data;
	return true;
}

void wcm__threads_arm(void)
{
	wcm__altstack_want();
	wcm__altstack_arm();
	/* A thread that is asked is armed.  Listing them takes as long as all else at a
	 * process's start: a process that is known to have one does not. */
	if (!wcm__has_one_thread())
		wcm__threads_visit(wcm__clock_ns() + TURN, go_on, NULL);
}
