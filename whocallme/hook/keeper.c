/* SPDX-License-Identifier: MIT */
/* keeper.c - who makes the next part of a file ready, off the hot path? */
#include "hook/keeper.h"

#include <linux/futex.h>
#include <time.h>

#include "syscall.h"

void wcm__keeper_start(void)
{
}

void wcm__keeper_wake(void)
{
}

void wcm__keeper_await(const uint32_t *word, uint32_t seen)
{
	const struct timespec tenth = { .tv_nsec = 100000000 };

	wcm__syscall(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, seen,
		     (long)&tenth, 0, 0);
}

void wcm__keeper_tell(const uint32_t *word)
{
	wcm__syscall(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, INT32_MAX, 0, 0,
		     0);
}
