/* SPDX-License-Identifier: MIT */
/* threads.c - the stacks of all threads but our own.
 *
 * A thread is asked by a signal that nobody else uses, and captures its own stack
 * from what the signal interrupted.  One visitor asks at a time, one thread after
 * the other; each is waited for no longer than it may take a living one.
 */
#include "crash/threads.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ucontext.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "arch/arch.h"
#include "crash/altstack.h"
#include "crash/chain.h"
#include "crash/clock.h"
#include "crash/handler_code.h"
#include "crash/mask.h"
#include "crash/slots.h"
#include "crash/start_page.h"
#include "crash/tasks.h"
#include "syscall.h"
#include "unwind/self.h"
#include "unwind/thread_pointer.h"

/* libc keeps the first two real-time signals for itself, and programs that use
 * some mostly count from there. */
enum { LAST_SIGNAL = 64, FIRST_SIGNAL = 36 };

/* What a capture takes of a stack: 4 KiB were measured. */
enum { ROOM = 8 * 1024 };

#define MILLISECOND ((uint64_t)1000000)
#define PATIENCE (100 * MILLISECOND) /* with a thread that is asked */
#define HOPE (25 * MILLISECOND)      /* for one that may not take the signal */
#define TURN (5000 * MILLISECOND)    /* of another visitor, or of arming */

static int visitor;   /* the thread whose turn it is, or 0 */
static int slots_pid; /* the process that the slots were used in */
static int signal_number WCM_START_PAGE;

static long send(int tid, int signal)
{
	return wcm__syscall(SYS_tgkill, wcm__process_id(), tid, signal, 0, 0, 0);
}

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
	if (!wcm__arch_registers_from_context(&file, ucontext, &wcm__no_span))
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

static void on_question(int signal, siginfo_t *info, void *ucontext)
{
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	const enum wcm_thread_pointer pointer = wcm__thread_pointer_lend();
	struct wcm_slot *slot;
	int kept;

	(void)signal;
	wcm__mask_set(mask);
	if (pointer == WCM_POINTER_LOST)
		return;
	kept = errno;
	if (info->si_code == SI_TKILL && info->si_pid == wcm__process_id()) {
		slot = wcm__slot_find(wcm__thread_id());
		if (slot)
			answer(&slot->thread, ucontext);
		if (wcm__altstack_is_wanted())
			wcm__altstack_arm_interrupted(ucontext);
		if (slot)
			wcm__slot_answer(slot);
	}
	if (pointer == WCM_POINTER_LENT)
		wcm__thread_pointer_give_back(false);
	else
		errno = kept;
}

/* The signal. */

static bool is_ours(int signal)
{
	struct sigaction now;

	return signal && wcm__chain_sigaction(signal, NULL, &now) == 0 &&
	       (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_question;
}

static bool install(int signal)
{
	struct sigaction action = { .sa_sigaction = on_question,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK |
						SA_RESTART };
	const uint64_t quiet = WCM_MASK_QUIET;
	struct sigaction old;

	if (sigaction(signal, NULL, &old) != 0 || (old.sa_flags & SA_SIGINFO) ||
	    old.sa_handler != SIG_DFL)
		return false;
	/* libc's own, too: a cancellation would leave the handler half-way. */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	memcpy(&action.sa_mask, &quiet, sizeof(quiet));
	return wcm__chain_sigaction(signal, &action, NULL) == 0;
}

/* The program may have taken for itself what was free when we did. */
bool wcm__threads_prepare(void)
{
	const int kept = errno;
	int signal = __atomic_load_n(&signal_number, __ATOMIC_RELAXED);

	if (!is_ours(signal)) {
		signal = LAST_SIGNAL;
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

struct visit {
	uint64_t deadline;
	bool can_ask;
	struct wcm_slot *silent; /* what is told of threads that do not answer */
	wcm_thread_visitor *visit;
	void *data;
};

static bool is_gone(int tid)
{
	return send(tid, 0) == -ESRCH;
}

/* Take the turn of FROM, nobody or a thread that is no more. */
static bool take_turn(int from, int self)
{
	if (!__atomic_compare_exchange_n(&visitor, &from, self, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	if (slots_pid != wcm__process_id())
		wcm__slots_recover(true);
	else if (from)
		wcm__slots_recover(false);
	slots_pid = wcm__process_id();
	return true;
}

/* Wait to be the visitor.  *AGAIN says that the thread is one already: a signal
 * came between, whose handler is here. */
static bool wait_for_turn(uint64_t until, bool *again)
{
	const struct timespec pause = { .tv_nsec = MILLISECOND };
	const int self = wcm__thread_id();

	for (uint64_t i = 0; i < TURN / MILLISECOND; i++) {
		int now = __atomic_load_n(&visitor, __ATOMIC_ACQUIRE);

		*again = now == self;
		if (*again || ((now == 0 || is_gone(now)) && take_turn(now, self)))
			return true;
		if (wcm__clock_ns() >= until)
			return false;
		wcm__syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	}
	return false;
}

/* The slot with the answer of thread TID, or NULL; then *BLOCKED says whether that is
 * because it has the signal blocked. */
static struct wcm_slot *ask(const struct visit *visit, int tid, bool *blocked)
{
	const int signal = __atomic_load_n(&signal_number, __ATOMIC_RELAXED);
	enum wcm_task_answer answer;
	struct wcm_slot *slot;
	uint64_t patience;

	*blocked = false;
	if (!visit->can_ask || wcm__clock_ns() >= visit->deadline)
		return NULL;
	answer = wcm__task_answers(tid, signal);
	*blocked = answer != WCM_TASK_SURELY;
	slot = answer == WCM_TASK_NEVER ? NULL : wcm__slot_take();
	if (!slot)
		return NULL;
	wcm__slot_ask(slot, tid);
	patience = answer == WCM_TASK_PERHAPS ? HOPE : PATIENCE;
	if (send(tid, signal) == 0)
		return wcm__slot_await(slot, earlier(wcm__clock_ns() + patience,
						     visit->deadline))
			       ? slot
			       : NULL;
	wcm__slot_free(slot);
	return NULL;
}

static bool visit_thread(const struct visit *visit, int tid)
{
	bool blocked, go_on;
	struct wcm_slot *slot = ask(visit, tid, &blocked);
	struct wcm_thread *silent = &visit->silent->thread;

	if (slot) {
		go_on = visit->visit(&slot->thread, visit->data);
		wcm__slot_free(slot);
		return go_on;
	}
	if (is_gone(tid))
		return true;
	silent->tid = tid;
	silent->count = 0;
	silent->stop = WCM_STOP_NONE;
	silent->answered = false;
	silent->blocked = blocked;
	wcm__thread_name(tid, silent->name);
	return visit->visit(silent, visit->data);
}

static bool visit_all(const struct visit *visit, struct wcm_tasks *tasks)
{
	for (;;) {
		for (int i = 0; i < tasks->count; i++)
			if (!visit_thread(visit, tasks->tid[i]))
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

	/* A child of vfork(2) is alone, and what is written here is not its own. */
	if (!wcm__tasks_list(&tasks, 0))
		return false;
	if (tasks.count == 0)
		return true;
	if (!wait_for_turn(deadline, &again))
		return false;
	visit.can_ask = wcm__threads_prepare();
	visit.silent = wcm__slot_take();
	if (visit.silent) {
		listed = visit_all(&visit, &tasks);
		wcm__slot_free(visit.silent);
	}
	if (!again)
		__atomic_store_n(&visitor, 0, __ATOMIC_RELEASE);
	return listed;
}

static bool go_on(const struct wcm_thread *thread, void *data)
{
	(void)thread, (void)data;
	return true;
}

/* To find that out from /proc takes as long as all else at a process's start. */
static bool is_alone(void)
{
#if __has_include(<sys/single_threaded.h>)
	return __libc_single_threaded;
#else
	return false;
#endif
}

void wcm__threads_arm(void)
{
	wcm__altstack_want();
	wcm__altstack_arm();
	if (!is_alone()) /* whoever is asked is armed */
		wcm__threads_visit(wcm__clock_ns() + TURN, go_on, NULL);
}
