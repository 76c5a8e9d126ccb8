/* SPDX-License-Identifier: MIT */
/* test_kernel_action.c - the kernel's struct sigaction, against libc's own. */
#include "core/os/kernel_action.h"

#include <signal.h>

#include "core/os/mask.h"
#include "support/check.h"

static void handle(int signal)
{
	(void)signal;
}

TEST(what_libc_has_set_is_read)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_NODEFER };
	struct wcm_kernel_action now;

	sigaddset(&action.sa_mask, SIGHUP);
	sigaddset(&action.sa_mask, SIGRTMAX);
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	now = wcm__kernel_action(SIGUSR1);
	CHECK_EQ(now.handler, (uintptr_t)handle);
	CHECK_EQ(now.flags & SA_NODEFER, SA_NODEFER);
	CHECK_EQ(now.mask, WCM_MASK_OF(SIGHUP) | WCM_MASK_OF(SIGRTMAX));
}

TEST(what_is_set_libc_reads)
{
	struct wcm_kernel_action action = wcm__kernel_action(SIGUSR1), was;
	struct sigaction now;

	action.mask = WCM_MASK_OF(SIGUSR2);
	CHECK_EQ(wcm__kernel_action_set(SIGUSR1, &action, &was), 0);
	CHECK_EQ(was.mask, WCM_MASK_OF(SIGHUP) | WCM_MASK_OF(SIGRTMAX));
	CHECK_EQ(sigaction(SIGUSR1, NULL, &now), 0);
	CHECK(now.sa_handler == handle);
	CHECK_EQ(sigismember(&now.sa_mask, SIGUSR2), 1);
	CHECK_EQ(sigismember(&now.sa_mask, SIGHUP), 0);
}

static uint64_t blocked;

static void note_mask(int signal)
{
	(void)signal;
	blocked = wcm__mask_add(0);
}

/* The kernel's word for it, not libc's. */
TEST(its_mask_is_blocked_while_the_handler_runs)
{
	struct wcm_kernel_action action;

	CHECK(signal(SIGUSR1, note_mask) != SIG_ERR);
	action = wcm__kernel_action(SIGUSR1);
	action.mask = WCM_MASK_OF(SIGUSR2);
	CHECK_EQ(wcm__kernel_action_set(SIGUSR1, &action, NULL), 0);
	CHECK_EQ(raise(SIGUSR1), 0);
	CHECK_EQ(blocked, WCM_MASK_OF(SIGUSR1) | WCM_MASK_OF(SIGUSR2));
}

RUN(what_libc_has_set_is_read, what_is_set_libc_reads, its_mask_is_blocked_while_the_handler_runs)
