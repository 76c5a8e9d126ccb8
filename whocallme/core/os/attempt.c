/* SPDX-License-Identifier: MIT */
/* attempt.c (SAFE) - runs work that may fault, and gives it up if it does. */
#include "core/os/attempt.h"

struct wcm_attempt {
	void *escape[5]; /* of __builtin_setjmp() */
	struct wcm_attempt *outer;
};

__thread struct wcm_attempt *wcm__attempt_current
	__attribute__((tls_model("initial-exec")));

_Noreturn void wcm__attempt_give_up(void)
{
	__builtin_longjmp(wcm__attempt_current->escape, 1);
}

/* Apart from its caller, whose variables an escape may not touch. */
__attribute__((noinline)) bool wcm__attempt(void (*work)(void *argument), void *argument)
{
	struct wcm_attempt attempt = { .outer = wcm__attempt_current };

	if (__builtin_setjmp(attempt.escape) != 0) {
		wcm__attempt_current = wcm__attempt_current->outer;
		return false;
	}
	wcm__attempt_current = &attempt;
	work(argument);
	wcm__attempt_current = attempt.outer;
	return true;
}
