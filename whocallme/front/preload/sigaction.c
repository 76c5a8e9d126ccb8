/* SPDX-License-Identifier: MIT */
/* sigaction.c - keeps our handler installed when the program sets one of its own.
 *
 * sigaction(2) and signal(2) are interposed.  For a signal that is reported the kernel
 * keeps our action, and crash/signals/chain.c the program's, which is called first; the
 * program is told of its own alone.  What it sets for any other signal, before ours is
 * there, or past libc goes to the kernel.  Handlers may call these functions, too.
 */
#include "front/preload/sigaction.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "core/os/start_page.h"
#include "crash/handler.h"
#include "crash/signals/chain.h"
#include "crash/signals/turn.h"
#include "whocallme/base.h"

typedef void plain_handler(int signal);
typedef plain_handler *signal_function(int signal, plain_handler *handler);

static wcm_sigaction_function *real_sigaction WCM_START_PAGE;
static signal_function *real_signal WCM_START_PAGE;

/* Libraries may be initialised before we are.  ISO C has no cast from an object's
 * to a function's address. */
static void find_real(void)
{
	*(void **)&real_signal = dlsym(RTLD_NEXT, "signal");
	*(void **)&real_sigaction = dlsym(RTLD_NEXT, "sigaction");
}

void wcm__sigaction_prepare(void)
{
	find_real();
	if (real_sigaction)
		wcm__chain_sigaction = real_sigaction;
}

/* libc has another name for its own. */
extern wcm_sigaction_function __sigaction __attribute__((weak));

/* Ours, whoever else has one. */
static wcm_sigaction_function own_sigaction
	__attribute__((alias("sigaction"), nothrow));

bool wcm__sigaction_is_interposed(void)
{
	return (uintptr_t)dlsym(RTLD_DEFAULT, "sigaction") != (uintptr_t)own_sigaction ||
	       (uintptr_t)dlsym(RTLD_NEXT, "sigaction") != (uintptr_t)__sigaction;
}

static int to_libc(int signal, const struct sigaction *action,
		   struct sigaction *old)
{
	if (!real_sigaction)
		find_real();
	if (real_sigaction)
		return real_sigaction(signal, action, old);
	errno = ENOSYS;
	return -1;
}

/* A program with cgo defines it. */
extern const char crosscall2 __attribute__((weak));

/* What the program has.  Go's runtime takes every signal and hands down what is no
 * fault of Go code, but only to a handler that it has found there. */
static void get(int signal, struct sigaction *action)
{
	wcm__chain_get(signal, action);
	if (!&crosscall2 || wcm__chain_is_later(signal) ||
	    wcm__chain_before(signal) != WCM_ACTION_DEFAULT)
		return;
	action->sa_sigaction = wcm__crash_hand_down;
	action->sa_flags = SA_SIGINFO | SA_ONSTACK;
}

/* Only once it is known that ours is there: what is kept is of this process, but
 * for the child of vfork(2), which has actions of its own and its parent's
 * memory. */
static int set(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction wanted = *action, kept;

	if (!wcm__turn_is_borrowed() && wcm__chain_exchange(signal, &wanted, old))
		return 0;
	wcm__chain_get(signal, &kept);
	if (to_libc(signal, &wanted, NULL) != 0)
		return -1;
	if (old)
		*old = kept;
	return 0;
}

WCM_API int sigaction(int signal, const struct sigaction *action,
		      struct sigaction *old)
{
	int kept = errno;

	if (!wcm__chain_keeps(signal))
		return errno = kept, to_libc(signal, action, old);
	if (action)
		return set(signal, action, old);
	if (old)
		get(signal, old);
	return 0;
}

/* As BSD has it, and glibc. */
WCM_API plain_handler *signal(int signal, plain_handler *handler)
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_RESTART };
	struct sigaction old;

	if (handler == SIG_ERR || !wcm__chain_keeps(signal)) {
		if (!real_signal)
			find_real();
		if (real_signal)
			return real_signal(signal, handler);
		errno = ENOSYS;
		return SIG_ERR;
	}
	sigaddset(&action.sa_mask, signal);
	return set(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
