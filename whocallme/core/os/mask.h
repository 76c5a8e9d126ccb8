/* SPDX-License-Identifier: MIT */
/* mask.h (SAFE) - sets of signals, as the kernel has them. */
#ifndef WCM_OS_MASK_H
#define WCM_OS_MASK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ucontext.h>
#include <time.h>

#include "core/os/kernel.h"

#define WCM_MASK_ALL UINT64_MAX
/* All but the one by which a seccomp filter has the library's own calls refused. */
#define WCM_MASK_QUIET (WCM_MASK_ALL & ~WCM_MASK_OF(SIGSYS))
#define WCM_MASK_OF(signal) (UINT64_C(1) << ((signal)-1))

/* Those that writing brings about, where nobody reads or there is no room. */
#define WCM_MASK_WRITING (WCM_MASK_OF(SIGPIPE) | WCM_MASK_OF(SIGXFSZ))

/* Those that are reported. */
#define WCM_MASK_FATAL                                           \
	(WCM_MASK_OF(SIGSEGV) | WCM_MASK_OF(SIGBUS) |            \
	 WCM_MASK_OF(SIGFPE) | WCM_MASK_OF(SIGILL) |             \
	 WCM_MASK_OF(SIGABRT) | WCM_MASK_OF(SIGTRAP) |           \
	 WCM_MASK_OF(SIGSYS))

/* Block MASK and nothing else; returns what was blocked before. */
static inline uint64_t wcm__mask_set(uint64_t mask)
{
	uint64_t before = 0;

	WCM_SYSCALL(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &before, sizeof(mask));
	return before;
}

/* Block SET, too; returns what was blocked before. */
static inline uint64_t wcm__mask_add(uint64_t set)
{
	uint64_t before = 0;

	WCM_SYSCALL(SYS_rt_sigprocmask, SIG_BLOCK, &set, &before, sizeof(set));
	return before;
}

/* What is blocked. */
static inline uint64_t wcm__mask_now(void)
{
	uint64_t now = 0;

	WCM_SYSCALL(SYS_rt_sigprocmask, SIG_BLOCK, 0, &now, sizeof(now));
	return now;
}

/* Block SET no more. */
static inline void wcm__mask_take(uint64_t set)
{
	WCM_SYSCALL(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, sizeof(set));
}

/* Whether the kernel sets masks, and no seccomp filter answers for it. */
static inline bool wcm__mask_can_be_set(void)
{
	uint64_t now = WCM_MASK_OF(SIGKILL); /* which no mask holds */

	return WCM_SYSCALL(SYS_rt_sigprocmask, SIG_BLOCK, 0, &now, sizeof(now)) == 0 &&
	       !(now & WCM_MASK_OF(SIGKILL));
}

/* Those that are blocked and have come. */
static inline uint64_t wcm__mask_pending(void)
{
	uint64_t pending = 0;

	WCM_SYSCALL(SYS_rt_sigpending, &pending, sizeof(pending));
	return pending;
}

/* Forget one of each signal of SET that has come, all being blocked. */
static inline void wcm__mask_forget(uint64_t set)
{
	const long now[2] = { 0 }; /* a time */

	set &= wcm__mask_pending();
	while (set && WCM_SYSCALL(SYS_rt_sigtimedwait, &set, 0, &now, sizeof(set)) > 0)
		set &= wcm__mask_pending();
}

/* Writing brings no signal about from here to wcm__mask_hear().  What has come already can be
 * pending only where it is blocked. */
struct wcm_unheard {
	uint64_t before, pending;
};

static inline struct wcm_unheard wcm__mask_hush(void)
{
	const uint64_t before = wcm__mask_add(WCM_MASK_WRITING);

	return (struct wcm_unheard){
		before, before & WCM_MASK_WRITING ? wcm__mask_pending() : 0 };
}

/* The kernel sends both signals to the thread that writes, and they are taken back here.
 * MAY_HAVE_COME is false where no write has failed. */
static inline void wcm__mask_hear(struct wcm_unheard unheard, bool may_have_come)
{
	if (may_have_come)
		wcm__mask_forget(WCM_MASK_WRITING & ~unheard.pending);
	if (~unheard.before & WCM_MASK_WRITING)
		wcm__mask_set(unheard.before);
}

/* What the thread had blocked that UCONTEXT, which a handler was given, interrupted. */
static inline uint64_t wcm__mask_interrupted(const void *ucontext)
{
	uint64_t mask;

	memcpy(&mask, &((const ucontext_t *)ucontext)->uc_sigmask, sizeof(mask));
	return mask;
}

/* That is to be MASK when the handler returns. */
static inline void wcm__mask_return(void *ucontext, uint64_t mask)
{
	memcpy(&((ucontext_t *)ucontext)->uc_sigmask, &mask, sizeof(mask));
}

/* Block MASK, but for the real-time signals that are not in BLOCKED, what the program has
 * blocked: a thread that waits answers when it is asked for its stack. */
static inline uint64_t wcm__mask_set_but_requests(uint64_t mask, uint64_t blocked)
{
	const uint64_t real_time = WCM_MASK_ALL << SIGSYS;

	return wcm__mask_set((mask & ~real_time) | (blocked & real_time));
}

#endif
