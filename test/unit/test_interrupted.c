/* SPDX-License-Identifier: MIT */
/* test_interrupted.c - a hook that a signal has interrupted is found by a walk, once for all
 * events of the handler, whichever frame the kernel has made for it. */
#include "trace/probe/interrupted.h"

#include <signal.h>
#include <string.h>

#include "support/check.h"
#include "trace/probe/shadow.h"

enum { EVENTS = 10 };

static struct wcm_shadow shadow;
static struct wcm_tracer tracer;
static int asked, interrupted;

/* What a hook that is called from here is told. */
#define HERE ((struct wcm_regs){ .pc = (uintptr_t)__builtin_return_address(0), \
				 .sp = (uintptr_t)__builtin_dwarf_cfa() })

/* Its caller is that of a hook. */
static __attribute__((noinline)) void event(void)
{
	const struct wcm_regs at = HERE;

	asked++;
	interrupted += wcm__hook_is_interrupted(&tracer, &at);
}

/* Other words than before are below the caller's frame, and in it. */
static __attribute__((noinline)) void write_over(int with)
{
	volatile char bytes[512];

	memset((char *)bytes, with, sizeof(bytes));
}

static __attribute__((noinline)) void handle(int signal)
{
	volatile uintptr_t changes[4];

	(void)signal;
	for (int i = 0; i < EVENTS; i++) {
		changes[i % 4] = (uintptr_t)i;
		write_over(i);
		event();
	}
	(void)changes[0];
}

static void handle_info(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	handle(signal);
}

static __attribute__((noinline)) void hook(int signal)
{
	const struct wcm_regs at = HERE;

	tracer.inside = at.sp;
	tracer.inside_ra = at.pc;
	raise(signal);
	tracer.inside = 0;
}

static void interrupt(int flags)
{
	struct sigaction action = { .sa_flags = flags };

	if (flags & SA_SIGINFO)
		action.sa_sigaction = handle_info;
	else
		action.sa_handler = handle;
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	shadow.hi = UINTPTR_MAX;
	tracer = (struct wcm_tracer){ .shadow = &shadow };
	asked = interrupted = 0;
	hook(SIGUSR1);
	CHECK_EQ(asked, EVENTS);
	CHECK_EQ(interrupted, EVENTS);
	/* All but the first remember what that has found. */
	CHECK_EQ(tracer.interruption.believed, EVENTS - 1);
}

TEST(by_a_signal_whose_handler_takes_its_number)
{
	interrupt(0);
}

TEST(by_a_signal_whose_handler_takes_more)
{
	interrupt(SA_SIGINFO);
}

RUN(by_a_signal_whose_handler_takes_its_number, by_a_signal_whose_handler_takes_more)
