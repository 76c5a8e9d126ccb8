/* SPDX-License-Identifier: MIT */
/* test_stack_span.c - where the stack is, on every kind of stack, judged by
 * /proc/self/maps and pthread_getattr_np(3). */
#include "core/unwind/stack_span.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "support/check.h"

enum { STACK_SIZE = 256 * 1024, W = sizeof(uintptr_t) };

/* A word of the function's own frame: where that begins is the caller's, on some CPUs. */
#define HERE ((uintptr_t)__builtin_frame_address(0) - W)

static struct wcm_span here(void)
{
	return wcm__stack_span(HERE);
}

/* The mapping that holds ADDRESS. */
static struct wcm_span mapping_of(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct wcm_span span = { 0, 0 };
	char line[4096];

	CHECK(maps != NULL);
	while (fgets(line, sizeof(line), maps)) {
		uintptr_t lo, hi;

		if (sscanf(line, "%tx-%tx", (ptrdiff_t *)&lo,
			   (ptrdiff_t *)&hi) == 2 &&
		    address >= lo && address < hi)
			span = (struct wcm_span){ lo, hi };
	}
	fclose(maps);
	return span;
}

static bool is_within(struct wcm_span inner, struct wcm_span outer)
{
	return inner.lo >= outer.lo && inner.hi <= outer.hi;
}

/* The span of a stack that may go at any time: the page of sp. */
static bool is_one_page(struct wcm_span span, uintptr_t sp)
{
	return span.lo == (sp & ~(WCM_PAGE - 1)) &&
	       span.hi == span.lo + WCM_PAGE;
}

TEST(main_thread)
{
	int local;
	uintptr_t sp = (uintptr_t)&local;
	struct wcm_span span = here(), map = mapping_of(sp);

	CHECK(wcm__span_holds(&span, sp, sizeof(local)));
	CHECK(is_within(span, map));
	/* Up to the strings that the kernel put above the first frame. */
	CHECK(span.hi > (uintptr_t)environ);
}

static int depth_reached;

static void __attribute__((noinline)) deeper(int depth)
{
	volatile char room[8192];
	struct wcm_span span = wcm__stack_span((uintptr_t)room);

	room[0] = 1;
	if (wcm__span_holds(&span, (uintptr_t)room, sizeof(room)))
		depth_reached++;
	if (depth > 1)
		deeper(depth - 1);
	room[1] = 2;
}

TEST(grows_with_the_stack)
{
	here();
	depth_reached = 0;
	deeper(20);
	CHECK_EQ(depth_reached, 20);
}

static void *measure(void *result)
{
	struct wcm_span *spans = result;
	pthread_attr_t attr;
	void *base;
	size_t size;

	spans[0] = here();
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &base, &size);
	pthread_attr_destroy(&attr);
	spans[1] = (struct wcm_span){ (uintptr_t)base, (uintptr_t)base + size };
	spans[2].lo = HERE;
	return NULL;
}

/* What libc calls the stack may end below the thread's TLS block. */
static void check_thread(const struct wcm_span *spans)
{
	CHECK(wcm__span_holds(&spans[0], spans[2].lo, sizeof(uintptr_t)));
	CHECK(spans[0].lo >= spans[1].lo);
	CHECK(spans[0].hi <= spans[1].hi + WCM_PAGE);
	CHECK(spans[0].hi - spans[0].lo > sizeof(uintptr_t));
}

TEST(another_thread)
{
	struct wcm_span spans[3];
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, measure, spans), 0);
	pthread_join(thread, NULL);
	check_thread(spans);
}

TEST(thread_with_a_small_stack)
{
	struct wcm_span spans[3];
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	/* The smallest that both sanitizers and TLS leave room in, and libc takes. */
	CHECK_EQ(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN > 64 * 1024
							 ? (size_t)PTHREAD_STACK_MIN
							 : 64 * 1024), 0);
	CHECK_EQ(pthread_create(&thread, &attr, measure, spans), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	check_thread(spans);
}

static ucontext_t starter, coroutine;
static struct wcm_span coroutine_span;
static uintptr_t coroutine_sp;

static void run_coroutine(void)
{
	coroutine_sp = HERE;
	coroutine_span = wcm__stack_span(coroutine_sp);
}

/* Run FUNCTION on the STACK_SIZE bytes at STACK. */
static void run_on(char *stack, void (*function)(void))
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = STACK_SIZE;
	coroutine.uc_link = &starter;
	makecontext(&coroutine, function, 0);
	swapcontext(&starter, &coroutine);
}

TEST(coroutine_stack)
{
	char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(stack != MAP_FAILED);
	run_on(stack, run_coroutine);
	CHECK(coroutine_sp >= (uintptr_t)stack &&
	      coroutine_sp < (uintptr_t)stack + STACK_SIZE);
	CHECK(is_one_page(coroutine_span, coroutine_sp));
	munmap(stack, STACK_SIZE);

	/* It was on loan: nothing of it is believed afterwards. */
	CHECK_EQ(wcm__stack_span(coroutine_sp).hi, 0);
}

static struct wcm_span window_above;

static void look_above(void)
{
	const uintptr_t here = HERE;

	window_above = wcm__stack_window((here | (WCM_PAGE - 1)) + 1);
}

/* The page right above the one that runs may be gone, however near it is. */
TEST(window_next_to_the_page_that_runs)
{
	char *stack = mmap(NULL, STACK_SIZE + WCM_PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *above = stack + STACK_SIZE;

	CHECK(stack != MAP_FAILED);
	CHECK_EQ(mprotect(above, WCM_PAGE, PROT_NONE), 0);
	run_on(stack, look_above);
	CHECK_EQ(window_above.hi, 0);
	CHECK_EQ(mprotect(above, WCM_PAGE, PROT_READ), 0);
	run_on(stack, look_above);
	CHECK_EQ(window_above.lo, (uintptr_t)above);
	munmap(stack, STACK_SIZE + WCM_PAGE);
}

static volatile uintptr_t handler_sp;
static struct wcm_span handler_span;

static void on_signal(int signal)
{
	(void)signal;
	handler_sp = HERE;
	handler_span = wcm__stack_span(handler_sp);
}

TEST(alternate_stack)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = mmap(NULL, STACK_SIZE,
					PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			  .ss_size = STACK_SIZE };
	stack_t previous;

	here();
	CHECK_EQ(sigaltstack(&stack, &previous), 0);
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	CHECK_EQ(sigaltstack(&previous, NULL), 0);
	CHECK(handler_sp >= (uintptr_t)stack.ss_sp &&
	      handler_sp < (uintptr_t)stack.ss_sp + STACK_SIZE);
	CHECK(is_one_page(handler_span, handler_sp));
	munmap(stack.ss_sp, STACK_SIZE);
}

TEST(window)
{
	char *base = mmap(NULL, 8 * WCM_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uintptr_t at = (uintptr_t)base;
	struct wcm_span span;

	CHECK_EQ(mprotect(base + 3 * WCM_PAGE, WCM_PAGE, PROT_NONE), 0);
	span = wcm__stack_window(at + 100);
	CHECK(is_one_page(span, at));
	CHECK(wcm__stack_reach(&span, at + 8));
	CHECK(wcm__stack_reach(&span, at + 3 * WCM_PAGE - 8));
	CHECK_EQ(span.hi, at + 3 * WCM_PAGE);
	/* half a word */
	CHECK(!wcm__stack_reach(&span, at + 3 * WCM_PAGE - sizeof(uintptr_t) / 2));
	CHECK(!wcm__stack_reach(&span, at + 3 * WCM_PAGE));
	CHECK(!wcm__stack_reach(&span, at + 4 * WCM_PAGE)); /* beyond the hole */
	CHECK(!wcm__stack_reach(&span, at - 8));
	CHECK(!wcm__stack_reach(&span, UINTPTR_MAX - 7));
	CHECK_EQ(span.hi, at + 3 * WCM_PAGE);
	CHECK_EQ(wcm__stack_window(at + 3 * WCM_PAGE + 8).hi, 0);
	CHECK_EQ(wcm__stack_window(0).hi, 0);
	span = wcm__stack_window(0);
	CHECK(!wcm__stack_reach(&span, 8));
	munmap(base, 8 * WCM_PAGE);
}

/* The window where this runs. */
static struct wcm_span window_here(void)
{
	const uintptr_t sp = HERE;

	wcm__stack_span(sp);
	return wcm__stack_window(sp);
}

/* How many windows it takes until one is more than a page; 0 for more than 100. */
static unsigned count_until_whole(void)
{
	for (unsigned i = 1; i <= 100; i++) {
		const struct wcm_span span = window_here();

		if (span.hi - span.lo > WCM_PAGE)
			return i;
	}
	return 0;
}

static void change_mappings(void)
{
	__atomic_add_fetch(&wcm__remappings, UINT64_C(1) << WCM_REMAPPINGS_AT,
			   __ATOMIC_SEQ_CST);
}

static volatile uintptr_t deepest;

__attribute__((noinline)) static void go_deep(int pages)
{
	volatile char room[WCM_PAGE];

	room[0] = 0;
	deepest = (uintptr_t)room & ~(WCM_PAGE - 1);
	if (pages > 0)
		go_deep(pages - 1);
	else
		window_here();
	room[1] = 0;
}

static void *look_at_own_stack(void *unused)
{
	volatile char room[WCM_PAGE]; /* so that more than a page is in use */
	struct wcm_span span;

	room[0] = 0;
	CHECK_EQ(count_until_whole(), 0); /* nothing is told */
	wcm__remapping_is_told = true;
	CHECK_EQ(count_until_whole(), 1);
	wcm__remappings++; /* something is being changed */
	CHECK_EQ(count_until_whole(), 0);
	wcm__remappings--;
	CHECK_EQ(count_until_whole(), 1);
	change_mappings();
	CHECK(count_until_whole() > 8); /* it has been quiet for so long */
	CHECK_EQ(count_until_whole(), 1);

	/* What was used once, and is a guard now, is not asked about. */
	go_deep(8);
	CHECK_EQ(mprotect((void *)deepest, WCM_PAGE, PROT_NONE), 0);
	change_mappings();
	CHECK(count_until_whole() > 8);
	span = window_here();
	CHECK(span.lo > deepest);
	CHECK_EQ(mprotect((void *)deepest, WCM_PAGE, PROT_READ | PROT_WRITE), 0);
	wcm__remapping_is_told = false;
	room[1] = room[0];
	return unused;
}

TEST(own_stack_while_nothing_is_changed)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, look_at_own_stack, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

TEST(nothing_mapped)
{
	CHECK_EQ(wcm__stack_span(0).hi, 0);
	CHECK_EQ(wcm__stack_span(WCM_PAGE).hi, 0);
	CHECK_EQ(wcm__stack_span(UINTPTR_MAX - 15).hi, 0);
}

RUN(main_thread, grows_with_the_stack, another_thread,
    thread_with_a_small_stack, coroutine_stack, alternate_stack, window,
    window_next_to_the_page_that_runs, own_stack_while_nothing_is_changed,
    nothing_mapped)
