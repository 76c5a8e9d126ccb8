/* SPDX-License-Identifier: MIT */
/* altstack.c - a stack to report a crash from when the thread's own is full.
 *
 * Stacks that nobody uses wait in a small pool of atomic words, so that threads
 * that come and go cost one system call each way.  A thread that was armed from
 * a handler runs no code of ours at its end: what it had is found when a stack is
 * wanted and the thread is no more.
 */
#include "crash/altstack.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ucontext.h>

#include "arch/arch.h"
#include "crash/start_page.h"
#include "symbols/auxv.h"
#include "syscall.h"
#include "unwind/read.h"
#include "unwind/self.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { LEAST = 64 * 1024, POOLED = 32, ADOPTED = 1024, SWEEP = 16 };

static bool wanted;
static char *pool[POOLED];

/* In a child of fork(2) only the thread that forked is alive, under another id:
 * what an entry of another process tells is not to be relied on. */
static struct adopted {
	int tid; /* 0: the entry is free */
	int pid;
	char *stack;
} adopted[ADOPTED];

bool wcm__altstack_is_wanted(void)
{
	return __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
}

static bool is_failure(long result)
{
	return result < 0 && result > -(long)WCM_PAGE;
}

static size_t guard_size(void)
{
	return wcm__auxv(AT_PAGESZ);
}

/* What the handler needs on top of what the CPU's state takes (AVX-512 and AMX
 * grow it: getauxval(3)). */
static size_t stack_size(void)
{
	size_t page = guard_size();

	return (LEAST + wcm__auxv(AT_MINSIGSTKSZ) + page - 1) & ~(page - 1);
}

static void unmap(char *stack)
{
	wcm__syscall(SYS_munmap, (long)(stack - guard_size()),
		     (long)(guard_size() + stack_size()), 0, 0, 0, 0);
}

static char *map(void)
{
	size_t guard = guard_size();
	long base = wcm__syscall(SYS_mmap, 0, (long)(guard + stack_size()),
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
				 0);

	if (is_failure(base))
		return NULL;
	if (is_failure(wcm__syscall(SYS_mprotect, base, (long)guard, PROT_NONE,
				    0, 0, 0))) {
		unmap((char *)base + guard);
		return NULL;
	}
	return (char *)base + guard;
}

static char *take_pooled(void)
{
	char *stack = NULL;

	for (int i = 0; i < POOLED && !stack; i++)
		if (__atomic_load_n(&pool[i], __ATOMIC_RELAXED))
			stack = __atomic_exchange_n(&pool[i], NULL,
						    __ATOMIC_ACQUIRE);
	return stack;
}

void wcm__altstack_give_back(void *stack)
{
	for (int i = 0; i < POOLED; i++) {
		char *none = NULL;

		if (__atomic_compare_exchange_n(&pool[i], &none, stack, false,
						__ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return;
	}
	unmap(stack);
}

static bool is_gone(int pid, int tid)
{
	return wcm__syscall(SYS_tgkill, pid, tid, 0, 0, 0, 0) == -ESRCH;
}

/* Give back what threads had that have ended since. */
static void sweep(void)
{
	int pid = wcm__process_id();

	for (struct adopted *each = adopted; each < adopted + ADOPTED; each++) {
		char *stack = __atomic_load_n(&each->stack, __ATOMIC_ACQUIRE);

		if (!stack || each->pid != pid || !is_gone(pid, each->tid))
			continue;
		stack = __atomic_exchange_n(&each->stack, NULL,
					    __ATOMIC_ACQUIRE);
		if (!stack)
			continue;
		wcm__altstack_give_back(stack);
		__atomic_store_n(&each->tid, 0, __ATOMIC_RELEASE);
	}
}

bool wcm__altstack_adopt(void *stack)
{
	int tid = wcm__thread_id();

	if (tid == 0)
		return false;
	for (struct adopted *each = adopted; each < adopted + ADOPTED; each++) {
		int none = 0;

		if (!__atomic_compare_exchange_n(&each->tid, &none, tid, false,
						 __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		each->pid = wcm__process_id();
		__atomic_store_n(&each->stack, stack, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

void *wcm__altstack_take(void)
{
	static unsigned misses;
	char *stack = take_pooled();

	if (stack)
		return stack;
	/* Now and then: it costs a system call for each that is still there. */
	if (__atomic_fetch_add(&misses, 1, __ATOMIC_RELAXED) % SWEEP == 0) {
		sweep();
		stack = take_pooled();
	}
	return stack ? stack : map();
}

/* What the calling thread was given before, and does not use: it may have gone
 * back to a smaller one of its own. */
static char *find_adopted(void)
{
	const int pid = wcm__process_id(), tid = wcm__thread_id();

	for (struct adopted *each = adopted; each < adopted + ADOPTED; each++)
		if (__atomic_load_n(&each->tid, __ATOMIC_ACQUIRE) == tid &&
		    each->pid == pid)
			return __atomic_load_n(&each->stack, __ATOMIC_ACQUIRE);
	return NULL;
}

/* A stack for the calling thread, to be found when it is gone.  The first thread's
 * is its own for good: it is there before main, when every page that is touched
 * counts. */
static char *take_adopted(void)
{
	static char *firsts WCM_START_PAGE;
	char *stack;

	if (wcm__is_first_thread()) {
		if (!firsts)
			firsts = map();
		return firsts;
	}
	stack = find_adopted();
	if (!stack) {
		stack = wcm__altstack_take();
		if (stack && !wcm__altstack_adopt(stack)) {
			sweep();
			if (!wcm__altstack_adopt(stack)) {
				wcm__altstack_give_back(stack);
				stack = NULL;
			}
		}
	}
	return stack;
}

static bool is_enough(const stack_t *stack)
{
	return !(stack->ss_flags & SS_DISABLE) && stack->ss_size >= stack_size();
}

static stack_t described(void *stack)
{
	return (stack_t){ .ss_sp = stack, .ss_size = stack_size() };
}

static long exchange(const stack_t *stack, stack_t *old)
{
	return wcm__syscall(SYS_sigaltstack, (long)stack, (long)old, 0, 0, 0, 0);
}

/* Where the kernel does not say, there is no better place: what comes while another
 * stack is in use would be put on top of the handlers' frames. */
bool wcm__altstack_has_room(void)
{
	enum { REPORT = 32 * 1024 };
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	stack_t now;

	return is_failure(exchange(NULL, &now)) ||
	       ((now.ss_flags & SS_ONSTACK) && here > (uintptr_t)now.ss_sp &&
		here - (uintptr_t)now.ss_sp >= REPORT);
}

/* Of one who has no room, and of the signals that come meanwhile.  The lowest page of
 * each is made a guard by whoever needs it. */
static struct {
	char stack[LEAST], signals[LEAST];
} reserve __attribute__((aligned(4096)));

struct call {
	void (*function)(void *argument);
	void *argument;
};

static void guard(char *stack)
{
	wcm__syscall(SYS_mprotect, (long)stack, (long)WCM_PAGE, PROT_NONE, 0, 0, 0);
}

/* On the reserve: the alternate stack holds what is returned to, and signals are put
 * elsewhere. */
static void call_aside(void *argument)
{
	const struct call *call = argument;
	const stack_t signals = { .ss_sp = reserve.signals, .ss_size = LEAST };
	stack_t before;
	const bool exchanged = !is_failure(exchange(&signals, &before));

	guard(reserve.stack);
	guard(reserve.signals);
	call->function(call->argument);
	before.ss_flags &= ~SS_ONSTACK;
	if (exchanged)
		exchange(&before, NULL);
}

bool wcm__altstack_call_on_reserve(void (*function)(void *argument), void *argument)
{
	struct call call = { function, argument };

	return wcm__arch_call_on(reserve.stack + LEAST, call_aside, &call);
}

void wcm__altstack_want(void)
{
	__atomic_store_n(&wanted, true, __ATOMIC_RELEASE);
}

bool wcm__altstack_arm(void)
{
	stack_t now;
	void *stack;

	if (is_failure(exchange(NULL, &now)))
		return false;
	if (is_enough(&now))
		return true;
	stack = take_adopted();
	if (!stack)
		return false;
	now = described(stack);
	return !is_failure(exchange(&now, NULL));
}

/* Returning from a handler restores the alternate stack that its ucontext
 * records, unless the thread stands on the one it has: then that is kept.  Since
 * Linux 6.12 it stands there still when this is looked at, so that a small one of
 * the program's own stays. */
void wcm__altstack_arm_interrupted(void *ucontext)
{
	ucontext_t *context = ucontext;
	void *stack;

	if (is_enough(&context->uc_stack))
		return;
	stack = take_adopted();
	if (stack)
		context->uc_stack = described(stack);
}

void wcm__altstack_use(void *stack)
{
	const stack_t ours = described(stack);

	exchange(&ours, NULL);
}

/* A thread that ends in a handler stands on STACK to the last. */
void wcm__altstack_leave(void *stack)
{
	const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t old = { 0 };

	if (is_failure(exchange(&none, &old))) {
		wcm__altstack_adopt(stack);
		return;
	}
	if (old.ss_sp != stack && !(old.ss_flags & SS_DISABLE))
		exchange(&old, NULL); /* the program's own */
	wcm__altstack_give_back(stack);
}
