/* SPDX-License-Identifier: MIT */
/* waiting_threads.h - threads that are somewhere, and how a visit finds them. */
#ifndef TEST_SUPPORT_WAITING_THREADS_H
#define TEST_SUPPORT_WAITING_THREADS_H

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/os/clock.h"
#include "crash/threads/threads.h"
#include "support/check.h"

enum { MOST = 300, SMALL_STACK = 64 * 1024 };

#define MS ((uint64_t)1000000)
#define LATER (wcm__clock_ns() + 5000 * MS)

/* GCC 12 with UBSan loads a volatile bool once. */
static volatile int may_end;
static int ready;

static __attribute__((unused, noinline)) void wait_here(void)
{
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	while (!may_end)
		usleep(1000);
	__asm__ volatile("");
}

static __attribute__((unused)) void *waiting(void *argument)
{
	pthread_setname_np(pthread_self(), "waiting");
	wait_here();
	return argument;
}

static __attribute__((unused)) void block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static __attribute__((unused)) void unblock_all(void)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
}

/* Sleeps with all signals blocked. */
static __attribute__((unused)) void *deaf(void *argument)
{
	block_all();
	wait_here();
	return argument;
}

static pthread_t threads[MOST];
static int started;

static __attribute__((unused)) void start(int count, void *(*run)(void *))
{
	pthread_attr_t attributes;

	alarm(60); /* a test that failed has left some behind */
	may_end = false;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, SMALL_STACK);
	for (int i = 0; i < count; i++)
		CHECK_EQ(pthread_create(&threads[started++], &attributes, run,
					NULL), 0);
	while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < started)
		sched_yield();
	usleep(2000); /* asleep, if it is going to be */
}

static __attribute__((unused)) void end(void)
{
	may_end = true;
	while (started > 0)
		pthread_join(threads[--started], NULL);
	ready = 0;
}

/* Threads that the program had from its start: an emulator's own, which block all. */
static int strangers;

static __attribute__((constructor)) void count_strangers(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = 0;

	while (tasks && readdir(tasks))
		count++;
	strangers = count > 3 ? count - 3 : 0; /* ".", ".." and this one */
	if (tasks)
		closedir(tasks);
}

struct seen {
	int visits, answers, waiting, last, most;
	bool ascending, self;
};

static __attribute__((unused)) bool note(const struct wcm_thread *thread, void *data)
{
	struct seen *seen = data;
	uintptr_t from = (uintptr_t)waiting;

	seen->visits++;
	seen->answers += thread->answered;
	seen->ascending &= thread->tid > seen->last;
	seen->last = thread->tid;
	seen->self |= thread->tid == (int)syscall(SYS_gettid);
	for (size_t i = 0; i < thread->count; i++)
		if (thread->frames[i].pc > from &&
		    thread->frames[i].pc < from + 64 &&
		    strcmp(thread->name, "waiting") == 0 &&
		    thread->stop == WCM_STOP_OUTERMOST)
			seen->waiting++;
	return !seen->most || seen->visits != seen->most;
}

static __attribute__((unused)) struct seen visit(uint64_t deadline)
{
	struct seen seen = { .visits = -strangers, .ascending = true };

	CHECK(wcm__threads_visit(deadline, note, &seen));
	return seen;
}

#endif
