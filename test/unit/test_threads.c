/* SPDX-License-Identifier: MIT */
/* test_threads.c - every thread is asked for its stack, and none is harmed. */
#include "crash/threads/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/wait.h>

#include "support/check.h"
#include "support/waiting_threads.h"

/* Awake with all signals blocked; at its end it listens. */
static void *busy(void *argument)
{
	block_all();
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	while (!may_end)
		;
	unblock_all();
	return argument;
}

static int received;

/* Consumes any signal that is sent to it. */
static void *collector(void *argument)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	sigwait(&all, &received);
	return argument;
}

/* The signal that threads are asked by; an emulator has some that cannot be sent. */
static int asking(void)
{
	CHECK(wcm__threads_prepare());
	for (int signal = SIGRTMAX; signal >= SIGRTMIN; signal--) {
		struct sigaction action;

		sigaction(signal, NULL, &action);
		if ((action.sa_flags & SA_SIGINFO) && raise(signal) == 0)
			return signal;
	}
	return 0;
}

TEST(alone)
{
	CHECK_EQ(visit(LATER).visits, 0);
}

/* On a busy machine it takes a while until all are asleep. */
static struct seen visit_asleep(int count)
{
	struct seen seen = visit(LATER);

	for (int i = 0; i < 100 && seen.waiting != count; i++) {
		usleep(10000);
		seen = visit(LATER);
	}
	return seen;
}

TEST(many_threads)
{
	struct seen seen;

	start(70, waiting);
	seen = visit_asleep(70);
	CHECK_EQ(seen.visits, 70);
	CHECK_EQ(seen.answers, 70);
	CHECK_EQ(seen.waiting, 70);
	CHECK(seen.ascending && !seen.self);
	end();
}

TEST(more_threads_than_are_listed_at_once)
{
	struct seen seen;

	start(MOST, waiting);
	seen = visit_asleep(MOST);
	CHECK_EQ(seen.waiting, MOST);
	CHECK(seen.ascending);
	end();
}

static void *spinning(void *argument)
{
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	while (!may_end)
		;
	return argument;
}

static int ends[2];

/* Says whether its read(2) came to its end. */
static void *reading(void *argument)
{
	char byte;

	(void)argument;
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	return (void *)(intptr_t)(read(ends[0], &byte, 1) == 1);
}

TEST(a_blocked_call_goes_on)
{
	void *whole = NULL;

	CHECK_EQ(pipe(ends), 0);
	start(1, reading);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(visit(LATER).answers, 1);
	CHECK_EQ(write(ends[1], "x", 1), 1);
	pthread_join(threads[0], &whole);
	started = 0;
	end();
	CHECK(whole != NULL);
	close(ends[0]);
	close(ends[1]);
}

static bool check_first_frame(const struct wcm_thread *thread, void *data)
{
	uintptr_t pc = thread->frames[0].pc, from = (uintptr_t)spinning;

	if (thread->blocked && strangers)
		return true;
	CHECK(thread->answered && thread->count > 1);
	CHECK_EQ(thread->frames[0].flags, WCM_FRAME_INTERRUPTED);
	CHECK(pc >= from && pc < from + 128);
	for (size_t i = 1; i < thread->count; i++)
		CHECK((thread->frames[i].flags & WCM_FRAME_SIGNAL) == 0);
	*(bool *)data = true;
	return true;
}

TEST(first_frame_is_where_the_thread_was)
{
	bool seen = false;

	start(1, spinning);
	CHECK(wcm__threads_visit(LATER, check_first_frame, &seen) && seen);
	end();
}

/* Has an alternate stack of SIZE bytes. */
static void *on_small_stack(void *size)
{
	char *memory = malloc((size_t)size + 1);
	stack_t stack = { .ss_sp = memory + 1, .ss_size = (size_t)size };
	stack_t none = { .ss_flags = SS_DISABLE };

	memory[0] = 77;
	CHECK_EQ(sigaltstack(&stack, NULL), 0);
	waiting(NULL);
	CHECK_EQ(memory[0], 77);
	CHECK_EQ(sigaltstack(&none, NULL), 0);
	free(memory);
	return NULL;
}

static bool count_frames(const struct wcm_thread *thread, void *data)
{
	if (thread->blocked && strangers)
		return true;
	CHECK(thread->answered);
	*(size_t *)data = thread->count;
	return true;
}

static size_t frames_with(size_t size)
{
	size_t count = 0;

	may_end = false;
	started = 1;
	pthread_create(&threads[0], NULL, on_small_stack, (void *)size);
	while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < 1)
		sched_yield();
	CHECK(wcm__threads_visit(LATER, count_frames, &count));
	end();
	return count;
}

TEST(little_room_is_not_overrun)
{
	enum { MINIMUM = 51, UNTOLD = 5120 }; /* AT_MINSIGSTKSZ; what every port's frame is in */
	const size_t told = getauxval(MINIMUM), least = (told ? told : UNTOLD) + 2048;

	CHECK_EQ(frames_with(least), 1);
	CHECK(frames_with(least + 16 * 1024) > 2);
}

TEST(the_visitor_may_end_it)
{
	struct seen seen = { .ascending = true, .most = 2 };

	start(4, waiting);
	CHECK(wcm__threads_visit(LATER, note, &seen));
	CHECK_EQ(seen.visits, 2);
	end();
}

TEST(who_sleeps_with_all_blocked_costs_no_time)
{
	uint64_t before;
	struct seen seen;

	start(20, deaf);
	start(2, waiting);
	before = wcm__clock_ns();
	seen = visit(LATER);
	CHECK(wcm__clock_ns() - before < 500 * MS); /* 20 * 100 if waited for */
	CHECK_EQ(seen.visits, 22);
	CHECK_EQ(seen.answers, 2);
	end();
}

/* Its mailbox serves again; what it answers in the end goes nowhere. */
TEST(who_runs_with_all_blocked_is_waited_for_a_moment)
{
	start(1, busy);
	for (int i = 0; i < 12; i++) {
		uint64_t before = wcm__clock_ns(), took;
		struct seen seen = visit(LATER);

		took = wcm__clock_ns() - before;
		CHECK_EQ(seen.visits, 1);
		CHECK_EQ(seen.answers, 0);
		CHECK(took >= 25 * MS && took < 1000 * MS);
	}
	end();
	start(3, waiting);
	CHECK_EQ(visit(LATER).waiting, 3);
	end();
}

TEST(who_waits_for_signals_is_left_alone)
{
	struct seen seen;

	start(1, collector);
	seen = visit(LATER);
	CHECK_EQ(seen.visits, 1);
	CHECK_EQ(seen.answers, 0);
	CHECK_EQ(received, 0);
	pthread_kill(threads[0], SIGUSR1);
	end();
	CHECK_EQ(received, SIGUSR1);
}

TEST(no_time_left)
{
	struct seen seen;

	start(5, waiting);
	seen = visit(1);
	CHECK_EQ(seen.visits, 5);
	CHECK_EQ(seen.answers, 0);
	end();
}

TEST(the_deadline_comes_before_the_patience_ends)
{
	uint64_t before = wcm__clock_ns();

	start(40, busy);
	before = wcm__clock_ns();
	CHECK_EQ(visit(before + 150 * MS).answers, 0);
	CHECK(wcm__clock_ns() - before < 800 * MS); /* 40 * 25 else */
	end();
}

TEST(strangers_are_not_answered)
{
	int signal = asking();

	errno = 77;
	raise(signal);
	kill(getpid(), signal);
	sigqueue(getpid(), signal, (union sigval){ .sival_int = 1 });
	CHECK_EQ(errno, 77);
}

static void elsewhere(int signal)
{
	(void)signal;
}

TEST(a_signal_that_the_program_takes_is_left_to_it)
{
	int first = asking(), second;

	signal(first, elsewhere);
	start(2, waiting);
	CHECK_EQ(visit(LATER).waiting, 2);
	second = asking();
	CHECK(second != first && second != 0);
	CHECK(signal(first, SIG_DFL) == elsewhere);
	end();
}

TEST(no_signal_is_to_be_had)
{
	struct sigaction old[65];
	struct seen seen;

	for (int i = SIGRTMIN; i <= SIGRTMAX; i++) {
		sigaction(i, NULL, &old[i]);
		signal(i, elsewhere);
	}
	start(3, waiting);
	CHECK(!wcm__threads_prepare());
	seen = visit(LATER);
	CHECK_EQ(seen.visits, 3);
	CHECK_EQ(seen.answers, 0);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		sigaction(i, &old[i], NULL);
	CHECK_EQ(visit(LATER).waiting, 3);
	end();
}

TEST(from_a_thread_that_has_blocked_all)
{
	start(3, waiting);
	block_all();
	CHECK_EQ(visit(LATER).waiting, 3);
	unblock_all();
	end();
}

static int thread_id, flags_at_end;

static void *waiting_bare(void *argument)
{
	stack_t stack = { 0 };

	thread_id = (int)syscall(SYS_gettid);
	waiting(NULL);
	sigaltstack(NULL, &stack);
	flags_at_end = stack.ss_flags;
	return argument;
}

/* Whoever answers is given an alternate stack. */
TEST(only_a_thread_of_this_process_is_answered)
{
	const int signal = asking();
	siginfo_t queued = { .si_signo = signal, .si_code = SI_QUEUE };
	pid_t child;
	int status;

	if (HAVE_ASAN) /* it gives alternate stacks itself */
		return;
	wcm__threads_arm();
	start(1, waiting_bare);
	child = fork();
	if (child == 0)
		_exit(syscall(SYS_tgkill, getppid(), thread_id, signal) != 0);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	queued.si_pid = getpid();
	CHECK_EQ(syscall(SYS_rt_tgsigqueueinfo, getpid(), thread_id, signal, &queued), 0);
	end();
	CHECK(flags_at_end & SS_DISABLE);
	start(1, waiting_bare);
	CHECK_EQ(visit(LATER).answers, 1);
	end();
	CHECK(!(flags_at_end & SS_DISABLE));
}

TEST(names)
{
	char name[WCM_THREAD_NAME];

	pthread_setname_np(pthread_self(), "fifteen letters");
	wcm__thread_name((int)syscall(SYS_gettid), name);
	CHECK_STR(name, "fifteen letters");
	pthread_setname_np(pthread_self(), "");
	start(1, deaf);
	pthread_setname_np(threads[0], "new\nline");
	wcm__thread_name((int)syscall(SYS_gettid), name);
	CHECK_STR(name, "");
	wcm__thread_name(1 << 30, name);
	CHECK_STR(name, "");
	end();
}

RUN(alone, many_threads, more_threads_than_are_listed_at_once,
    first_frame_is_where_the_thread_was, little_room_is_not_overrun,
    the_visitor_may_end_it, who_sleeps_with_all_blocked_costs_no_time,
    who_runs_with_all_blocked_is_waited_for_a_moment,
    who_waits_for_signals_is_left_alone, no_time_left,
    the_deadline_comes_before_the_patience_ends, strangers_are_not_answered,
    a_signal_that_the_program_takes_is_left_to_it, no_signal_is_to_be_had,
    from_a_thread_that_has_blocked_all, a_blocked_call_goes_on, names,
    only_a_thread_of_this_process_is_answered)
