/* SPDX-License-Identifier: MIT */
/* test_owner.c - a lock is one thread's, and is had from one that is no more. */
#include "core/os/owner.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/os/clock.h"
#include "core/os/memory.h"
#include "support/check.h"

static struct wcm_owner owner;

static enum wcm_owned take(uint64_t patience)
{
	return wcm__owner_take(&owner, wcm__clock_ns() + patience,
			       wcm__owner_has_ended);
}

static void *take_and_end(void *taken)
{
	*(enum wcm_owned *)taken = take(0);
	return NULL;
}

static enum wcm_owned take_in_thread(void)
{
	enum wcm_owned taken = WCM_OWNED_TWICE;
	pthread_t other;

	CHECK_EQ(pthread_create(&other, NULL, take_and_end, &taken), 0);
	pthread_join(other, NULL);
	return taken;
}

TEST(one_thread_owns_it)
{
	CHECK_EQ(take(0), WCM_OWNED);
	CHECK_EQ(take(0), WCM_OWNED_TWICE);
	CHECK(wcm__owner_is_self(&owner) && !wcm__owner_is_other(&owner));
	CHECK_EQ(take_in_thread(), WCM_OWNED_NOT);
	wcm__owner_give_back(&owner);
	CHECK(!wcm__owner_is_self(&owner));
}

TEST(a_thread_that_has_ended_owns_nothing)
{
	CHECK_EQ(take_in_thread(), WCM_OWNED);
	CHECK(wcm__owner_is_other(&owner));
	wcm__owner_give_back(&owner); /* it is not ours to give */
	CHECK(wcm__owner_is_other(&owner));
	CHECK_EQ(take(UINT64_C(1000000000)), WCM_OWNED);
	wcm__owner_give_back(&owner);
}

TEST(a_child_has_it_from_its_parent)
{
	int status;
	pid_t child;

	CHECK_EQ(take(0), WCM_OWNED);
	child = fork();
	if (child == 0)
		_exit(!wcm__owner_is_other(&owner) && take(0) == WCM_OWNED &&
				      wcm__owner_is_self(&owner) ? 0 : 1);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	CHECK(wcm__owner_is_self(&owner));
	wcm__owner_give_back(&owner);
}

static struct wcm_owner shared;
static int turn; /* 1: the other process has it; 2: it gives it back; 3: it takes it and ends */

static void await_turn(int wanted)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != wanted)
		usleep(1000);
}

/* In a process that shares this one's memory. */
static int own_for_others(void *unused)
{
	(void)unused;
	wcm__owner_take(&shared, 0, wcm__owner_has_ended);
	__atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
	await_turn(2);
	wcm__owner_give_back(&shared);
	await_turn(3);
	wcm__owner_take(&shared, UINT64_MAX, wcm__owner_has_ended);
	return 0;
}

static enum wcm_owned take_shared(void)
{
	return wcm__owner_take(&shared, wcm__clock_ns() + 50000000, wcm__owner_has_ended);
}

TEST(a_process_that_shares_the_memory_owns_it_while_it_lives)
{
	static char stack[65536] __attribute__((aligned(16)));
	siginfo_t ended;
	pid_t child, forked;
	int status;

	if (syscall(SYS_kcmp, getpid(), getpid(), 1, 0, 0) != 0 || getenv("UNDER_VALGRIND"))
		SKIP("the kernel does not tell who shares memory");
	child = clone(own_for_others, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	CHECK(child > 0);
	await_turn(1);
	CHECK_EQ(take_shared(), WCM_OWNED_NOT);
	forked = fork();
	if (forked == 0) /* with a memory of its own */
		_exit(take_shared() == WCM_OWNED ? 0 : 1);
	CHECK_EQ(waitpid(forked, &status, 0), forked);
	CHECK_EQ(status, 0);
	__atomic_store_n(&turn, 2, __ATOMIC_RELEASE);
	CHECK_EQ(wcm__owner_take(&shared, UINT64_MAX, wcm__owner_has_ended), WCM_OWNED);
	wcm__owner_give_back(&shared);
	__atomic_store_n(&turn, 3, __ATOMIC_RELEASE);
	CHECK_EQ(waitid(P_PID, (id_t)child, &ended, WNOWAIT | WEXITED), 0);
	CHECK_EQ(take_shared(), WCM_OWNED);
	CHECK_EQ(waitpid(child, NULL, 0), child);
	wcm__owner_give_back(&shared);
}

enum { SIZE = 4096, LAST = SIZE / sizeof(int) - 1, BORROWED = 1, HELD = 2 };

__attribute__((noinline)) static int look_at(int *page, bool is_wiped)
{
	return (wcm__owner_page_is_borrowed(page, SIZE, is_wiped) ? BORROWED : 0) |
	       (page[1] == 7 || page[LAST] == 7 ? HELD : 0);
}

static int answer_of(pid_t child)
{
	int status;

	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int answer_of_fork(int *page, bool is_wiped)
{
	const pid_t child = fork();

	if (child == 0)
		_exit(look_at(page, is_wiped));
	return answer_of(child);
}

/* Not inlined, since what the caller has in registers is not the child's to change. */
__attribute__((noinline)) static int answer_of_vfork(int *page)
{
	const pid_t child = vfork();

	if (child == 0)
		_exit(look_at(page, true));
	return answer_of(child);
}

TEST(a_page_is_borrowed_by_a_child_of_vfork_alone)
{
	int *const page = wcm__map(SIZE);
	bool is_wiped;

	CHECK(page && !wcm__owner_page_is_borrowed(page, SIZE, false));
	CHECK_EQ(page[0], getpid());
	page[1] = page[LAST] = 7;
	CHECK_EQ(answer_of_fork(page, false), 0); /* zeroed by the call */
	is_wiped = wcm__wipe_on_fork(page, SIZE);
	CHECK_EQ(answer_of_fork(page, is_wiped), 0);
	CHECK(!wcm__owner_page_is_borrowed(page, SIZE, is_wiped));
	CHECK_EQ(page[1], 7);
	if (!is_wiped || getenv("UNDER_VALGRIND"))
		SKIP("here a child of vfork(2) is as one of fork(2)");
	CHECK_EQ(answer_of_vfork(page), BORROWED | HELD);
}

RUN(one_thread_owns_it, a_thread_that_has_ended_owns_nothing,
    a_child_has_it_from_its_parent, a_process_that_shares_the_memory_owns_it_while_it_lives,
    a_page_is_borrowed_by_a_child_of_vfork_alone)
