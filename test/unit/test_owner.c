/* SPDX-License-Identifier: MIT */
/* test_owner.c - a lock is one thread's, and is had from one that is no more. */
#include "core/os/owner.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/os/clock.h"
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
		_exit(take(0) == WCM_OWNED && wcm__owner_is_self(&owner) ? 0 : 1);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	CHECK(wcm__owner_is_self(&owner));
	wcm__owner_give_back(&owner);
}

RUN(one_thread_owns_it, a_thread_that_has_ended_owns_nothing,
    a_child_has_it_from_its_parent)
