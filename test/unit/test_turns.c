/* SPDX-License-Identifier: MIT */
/* test_turns.c - visitors of all threads at once, within each other, in children
 * of fork(2), and where nothing can be opened. */
#include "crash/threads/threads.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "support/check.h"
#include "support/waiting_threads.h"

static void *visit_often(void *all)
{
	for (int i = 0; i < 50; i++)
		*(bool *)all &= visit(LATER).answers >= 3;
	return NULL;
}

TEST(visitors_take_turns)
{
	pthread_t other[2];
	bool all[3] = { true, true, true };

	start(3, waiting);
	for (int i = 0; i < 2; i++)
		pthread_create(&other[i], NULL, visit_often, &all[i]);
	visit_often(&all[2]);
	for (int i = 0; i < 2; i++)
		pthread_join(other[i], NULL);
	CHECK(all[0] && all[1] && all[2]);
	end();
}

/* As in a handler that comes between. */
static bool visit_again(const struct wcm_thread *thread, void *data)
{
	int tid = thread->tid;

	*(struct seen *)data = visit(LATER);
	CHECK_EQ(thread->tid, tid);
	return false;
}

TEST(a_visit_within_a_visit)
{
	struct seen seen = { 0 };

	start(3, waiting);
	CHECK(wcm__threads_visit(LATER, visit_again, &seen));
	CHECK_EQ(seen.waiting, 3);
	CHECK_EQ(visit(LATER).waiting, 3);
	end();
}

static int status_of(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return status;
}

static void visit_in_child(void)
{
	started = 0, ready = 0; /* of the parent's threads none is here */
	alarm(20);
	start(3, waiting);
	_exit(visit(LATER).waiting == 3 ? 0 : 1);
}

static bool fork_within(const struct wcm_thread *thread, void *data)
{
	pid_t child = fork();

	(void)thread;
	if (child == 0)
		visit_in_child();
	*(int *)data = status_of(child);
	return false;
}

static bool visit_slowly(const struct wcm_thread *thread, void *data)
{
	(void)thread;
	__atomic_store_n((int *)data, 1, __ATOMIC_SEQ_CST);
	usleep(300000);
	return false;
}

static void *visit_meanwhile(void *began)
{
	CHECK(wcm__threads_visit(LATER, visit_slowly, began));
	return NULL;
}

TEST(forked_by_the_visitor)
{
	int status = -1;

	start(2, waiting);
	CHECK(wcm__threads_visit(LATER, fork_within, &status));
	CHECK_EQ(status, 0);
	end();
}

TEST(forked_while_another_visits)
{
	int began = 0;
	pthread_t other;
	pid_t child;

	start(2, waiting);
	pthread_create(&other, NULL, visit_meanwhile, &began);
	while (!__atomic_load_n(&began, __ATOMIC_SEQ_CST))
		sched_yield();
	child = fork();
	if (child == 0)
		visit_in_child();
	CHECK_EQ(status_of(child), 0);
	pthread_join(other, NULL);
	end();
}

static void forbid_opening(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST(where_nothing_can_be_opened)
{
	pid_t child = fork();

	if (child == 0) {
		struct seen seen = { 0 };

		forbid_opening();
		_exit(wcm__threads_visit(LATER, note, &seen) || seen.visits);
	}
	CHECK_EQ(status_of(child), 0);
}

RUN(visitors_take_turns, a_visit_within_a_visit, forked_by_the_visitor,
    forked_while_another_visits, where_nothing_can_be_opened)
