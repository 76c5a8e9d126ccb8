/* SPDX-License-Identifier: MIT */
/* test_interrupted.c - a hook that a signal has interrupted is found by a walk, once for all
 * events of the handler: whichever frame the kernel has made for it, and where the walk does not
 * come to the hook. */
#include "trace/engine/tracer_life.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/code_page.h"
#include "trace/engine/shadow.h"

enum { EVENTS = 10 };

static struct wcm_shadow shadow;
static struct wcm_tracer tracer;
static int asked, interrupted;
static sigjmp_buf out;

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

static void handle(int signal)
{
	for (int i = 0; i < EVENTS; i++)
		event();
	if (signal == SIGILL)
		siglongjmp(out, 1);
}

static void handle_info(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	handle(signal);
}

static void raise_it(void)
{
	raise(SIGUSR1);
}

static __attribute__((noinline)) void hook(void (*work)(void))
{
	const struct wcm_regs at = HERE;

	tracer.inside = at.sp;
	tracer.inside_ra = at.pc;
	work();
	tracer.inside = 0;
}

static void interrupt(void (*work)(void), int number, int flags)
{
	struct sigaction action = { .sa_flags = flags };

	if (flags & SA_SIGINFO)
		action.sa_sigaction = handle_info;
	else
		action.sa_handler = handle;
	CHECK_EQ(sigaction(number, &action, NULL), 0);
	shadow.hi = UINTPTR_MAX;
	memset(&tracer, 0, offsetof(struct wcm_tracer, stack)); /* valgrind takes that for free */
	tracer.shadow = &shadow;
	asked = interrupted = 0;
	if (sigsetjmp(out, 1) == 0)
		hook(work);
	CHECK_EQ(asked, EVENTS);
	CHECK_EQ(interrupted, EVENTS);
	/* All but the first remember what that has found. */
	CHECK_EQ(tracer.interruption.believed, EVENTS - 1);
}

TEST(by_a_signal_whose_handler_takes_its_number)
{
	interrupt(raise_it, SIGUSR1, 0);
}

TEST(by_a_signal_whose_handler_takes_more)
{
	interrupt(raise_it, SIGUSR1, SA_SIGINFO);
}

/* xor %ebp, %ebp; push $0; ud2: neither a row nor a frame pointer tells who has called. */
static void make_code(void)
{
	need(IS_X86_64 || IS_I386);
	if (page[0] == 0x31)
		return;
	decode(page, "31 ed 6a 00 0f 0b");
	CHECK_EQ(mprotect(page, WCM_PAGE, PROT_READ | PROT_EXEC), 0);
}

enum { STACK = 256 * 1024 };

/* A thread's stack, and above it its handlers'. */
static _Alignas(4096) char stacks[2][STACK];

static void *on_alternate(void *argument)
{
	const stack_t alternate = { .ss_sp = stacks[1], .ss_size = STACK };

	CHECK_EQ(sigaltstack(&alternate, NULL), 0);
	interrupt(raise_it, SIGUSR1, SA_ONSTACK);
	interrupt(raise_it, SIGUSR1, SA_ONSTACK | SA_SIGINFO);
	if (IS_X86_64 || IS_I386)
		interrupt((void (*)(void))(uintptr_t)page, SIGILL, SA_ONSTACK);
	return argument;
}

TEST(in_code_that_no_walk_leaves)
{
	make_code();
	interrupt((void (*)(void))(uintptr_t)page, SIGILL, 0);
	interrupt((void (*)(void))(uintptr_t)page, SIGILL, SA_SIGINFO);
}

/* The walk does not come to the hook there, either. */
TEST(by_a_signal_whose_handler_has_a_stack_above)
{
	pthread_attr_t attributes;
	pthread_t thread;

	if (HAVE_ASAN || getenv("UNDER_VALGRIND"))
		SKIP("it takes what is between two stacks for free, or for one that it may read");
	if (IS_X86_64 || IS_I386)
		make_code();
	CHECK_EQ(pthread_attr_init(&attributes), 0);
	CHECK_EQ(pthread_attr_setstack(&attributes, stacks[0], STACK), 0);
	CHECK_EQ(pthread_create(&thread, &attributes, on_alternate, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attributes);
}

RUN(by_a_signal_whose_handler_takes_its_number, by_a_signal_whose_handler_takes_more,
    in_code_that_no_walk_leaves, by_a_signal_whose_handler_has_a_stack_above)
