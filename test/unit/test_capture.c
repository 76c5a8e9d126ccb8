/* SPDX-License-Identifier: MIT */
/* test_capture.c - real stacks, judged by glibc's backtrace(3), which reads
 * .eh_frame instead of frame pointers.  Where frame pointers exist both answer
 * the same.  Where code in between has none, a capture may leave frames out; one
 * that the oracle does not know would be invented. */
#include <whocallme.h>

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "support/check.h"

enum { MOST = 256, DEPTH = 30 };

/* The same moment as both see it. */
struct capture {
	struct wcm_frame frames[MOST];
	void *oracle[MOST];
	size_t count;
	int oracle_count;
	enum wcm_stop stop;
};

static struct capture capture;

/* Both stand in the same function, though not at the same call. */
static __attribute__((noinline)) void take(void)
{
	capture.count = wcm_stack_capture(capture.frames, MOST, 0,
					  &capture.stop);
	capture.oracle_count = backtrace(capture.oracle, MOST);
}

static __attribute__((noinline)) int recurse(int depth)
{
	if (depth == 0)
		take();
	else
		recurse(depth - 1);
	__asm__ volatile("" : "+r"(depth)); /* no tail call */
	return depth;
}

static void *recurse_in_thread(void *unused)
{
	recurse(DEPTH);
	__asm__ volatile("" : "+r"(unused));
	return unused;
}

/* The place of PC among the oracle's frames, from the one at AT on. */
static int find_in_oracle(uintptr_t pc, int at)
{
	while (at < capture.oracle_count && (uintptr_t)capture.oracle[at] != pc)
		at++;
	return at;
}

/* Check COUNT frames, from the second on, for being the same.  Where a sanitizer
 * interposes backtrace(3), the oracle has a frame more in front. */
static void check_same(size_t count)
{
	size_t extra = HAVE_ASAN;

	CHECK(capture.count >= count);
	for (size_t i = 1; i < count; i++)
		CHECK_EQ(capture.frames[i].pc, (uintptr_t)capture.oracle[i + extra]);
}

/* Check the frames from the one at FIRST on for being the oracle's, in its
 * order. */
static void check_not_invented(size_t first)
{
	int at = 0;

	for (size_t i = first; i < capture.count; i++, at++) {
		at = find_in_oracle(capture.frames[i].pc, at);
		CHECK(at < capture.oracle_count);
	}
}

static void need_a_port(void)
{
	recurse(1);
	if (capture.count < 2)
		SKIP("this CPU has no port");
}

TEST(of_the_main_thread)
{
	need_a_port();
	recurse(DEPTH);
	check_same(DEPTH + 3);
	check_not_invented(1);
}

TEST(of_another_thread)
{
	pthread_t thread;

	need_a_port();
	CHECK_EQ(pthread_create(&thread, NULL, recurse_in_thread, NULL), 0);
	pthread_join(thread, NULL);
	check_same(DEPTH + 4);
	check_not_invented(1);
}

static int compare(const void *a, const void *b)
{
	take();
	return *(const int *)a - *(const int *)b;
}

TEST(of_a_callback_out_of_libc)
{
	int numbers[] = { 2, 1 };

	need_a_port();
	qsort(numbers, 2, sizeof(*numbers), compare);
	check_same(3);
	check_not_invented(1);
}

static void on_signal(int signal, siginfo_t *info, void *ucontext)
{
	(void)signal, (void)info;
	capture.count = wcm_stack_capture_from(ucontext, capture.frames, MOST,
					       0, &capture.stop);
	capture.oracle_count = backtrace(capture.oracle, MOST);
}

static void on_signal_from_inside(int signal)
{
	(void)signal;
	take();
	__asm__ volatile("");
}

TEST(of_what_a_signal_interrupted)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO };

	need_a_port();
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	CHECK(capture.count >= 1);
	CHECK_EQ(capture.frames[0].flags, WCM_FRAME_INTERRUPTED);
	check_not_invented(0);
}

TEST(through_a_signal_handler)
{
	struct sigaction action = { .sa_handler = on_signal_from_inside };
	size_t signals = 0;

	need_a_port();
	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	check_same(4);
	check_not_invented(1);
	for (size_t i = 0; i < capture.count; i++)
		if (capture.frames[i].flags & WCM_FRAME_SIGNAL) {
			signals++;
			CHECK(i + 1 < capture.count);
			CHECK_EQ(capture.frames[i + 1].flags,
				 WCM_FRAME_INTERRUPTED);
		}
	CHECK_EQ(signals, 1);
}

static __attribute__((noinline)) void skip_and_fill(void)
{
	struct wcm_frame all[MOST], some[2];
	size_t count = wcm_stack_capture(all, MOST, 0, NULL);
	enum wcm_stop stop;

	CHECK(count >= 3);
	CHECK_EQ(wcm_stack_capture(some, 1, 0, &stop), 1);
	CHECK_EQ(stop, WCM_STOP_FULL);
	CHECK_EQ(wcm_stack_capture(NULL, 0, 0, &stop), 0);
	CHECK_EQ(stop, WCM_STOP_FULL);
	CHECK_EQ(wcm_stack_capture(some, 2, 1, &stop), 2);
	CHECK_EQ(some[0].pc, all[1].pc);
	CHECK_EQ(some[1].pc, all[2].pc);
	CHECK_EQ(wcm_stack_capture(some, 2, MOST, &stop), 0);
	CHECK(stop != WCM_STOP_FULL);
}

static __attribute__((noinline)) void between(void)
{
	skip_and_fill();
	__asm__ volatile("");
}

TEST(skips_and_fills)
{
	need_a_port();
	between();
}

/* A page of the thread's own stack is taken away while nothing on it runs: the
 * walk ends below it.  LEVELS of frames are more than a page each way. */
enum { LEVELS = 60, ROOM_OF_ONE = 256 };

static uintptr_t page_above(const volatile char *here, unsigned pages)
{
	return ((uintptr_t)here & ~(uintptr_t)4095) + pages * 4096;
}

static __attribute__((noinline)) void take_below_hole(void)
{
	static struct wcm_frame whole[MOST], cut[MOST];
	volatile char here = 0;
	char *hole = (char *)page_above(&here, 2);
	enum wcm_stop stop;
	size_t count, short_count;

	count = wcm_stack_capture(whole, MOST, 0, NULL);
	CHECK(count > LEVELS);
	for (int again = 0; again < 3; again++) {
		CHECK_EQ(mprotect(hole, 4096, PROT_NONE), 0);
		short_count = wcm_stack_capture(cut, MOST, 0, &stop);
		CHECK_EQ(mprotect(hole, 4096, PROT_READ | PROT_WRITE), 0);
		CHECK_EQ(stop, WCM_STOP_UNREADABLE);
		CHECK(short_count > 4 && short_count < count - 4);
		for (size_t i = 1; i < short_count; i++)
			CHECK_EQ(cut[i].pc, whole[i].pc);
		CHECK_EQ(wcm_stack_capture(cut, MOST, 0, &stop), count);
		CHECK_EQ(stop, WCM_STOP_OUTERMOST);
	}
}

static __attribute__((noinline)) int descend_with_room(int depth)
{
	volatile char room[ROOM_OF_ONE];

	room[0] = (char)depth;
	__asm__ volatile("" : : "r"(room) : "memory"); /* all of it */
	if (depth == 0)
		take_below_hole();
	else
		room[1] = (char)descend_with_room(depth - 1);
	return room[0];
}

static void *run_above_hole(void *unused)
{
	descend_with_room(LEVELS);
	return unused;
}

TEST(below_a_page_that_was_taken_away)
{
	pthread_t thread;

	descend_with_room(LEVELS);
	CHECK_EQ(pthread_create(&thread, NULL, run_above_hole, NULL), 0);
	pthread_join(thread, NULL);
}

static ucontext_t starter, coroutine;

static void run_coroutine(void)
{
	descend_with_room(LEVELS);
}

/* The stack is mapped anew in the same place, where a window was before. */
TEST(below_a_page_of_a_coroutine)
{
	enum { SIZE = 512 * 1024 };
	char *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 2; i++) {
		CHECK(stack != MAP_FAILED);
		getcontext(&coroutine);
		coroutine.uc_stack.ss_sp = stack;
		coroutine.uc_stack.ss_size = SIZE;
		coroutine.uc_link = &starter;
		makecontext(&coroutine, run_coroutine, 0);
		swapcontext(&starter, &coroutine);
		munmap(stack, SIZE);
		stack = mmap(stack, SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	munmap(stack, SIZE);
}

#ifdef __x86_64__
/* Each calls the next of a list.  The frame of by_rbx is found by another register than
 * sp and fp.  The call of at_end is its last instruction: what it returns to is described
 * as another function, and falsely. */
__asm__(".text\n"
	"	.type by_rbx, @function\n"
	"by_rbx:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbx, -16\n"
	"	mov %rsp, %rbx\n"
	"	.cfi_def_cfa_register rbx\n"
	"	sub $64, %rsp\n"
	"	add $8, %rdi\n"
	"	call *-8(%rdi)\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbx\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.type at_end, @function\n"
	"at_end:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbx, -16\n"
	"	xor %ebx, %ebx\n"
	"	add $8, %rdi\n"
	"	call *-8(%rdi)\n"
	"	.cfi_endproc\n"
	"	.type behind_end, @function\n"
	"behind_end:\n"
	"	.cfi_startproc\n"
	"	pop %rbx\n"
	"	ret\n"
	"	.cfi_endproc\n");

typedef void listed(void *next);
extern __attribute__((visibility("hidden"))) listed by_rbx, at_end;

static void take_last(void *next)
{
	take();
	__asm__ volatile("" : "+r"(next));
}

TEST(of_code_that_ends_with_its_call)
{
	listed *rest[] = { at_end, at_end, by_rbx, at_end, take_last };

	for (int i = 0; i < 2; i++) {
		by_rbx(rest);
		check_same(9);
		check_not_invented(1);
	}
}
#else
TEST(of_code_that_ends_with_its_call)
{
	SKIP("the code is x86-64's");
}
#endif

RUN(of_the_main_thread, of_another_thread, of_a_callback_out_of_libc,
    of_code_that_ends_with_its_call, of_what_a_signal_interrupted,
    through_a_signal_handler, skips_and_fills, below_a_page_that_was_taken_away,
    below_a_page_of_a_coroutine)
