/* SPDX-License-Identifier: MIT */
/* altstack.c (SAFE) - gives threads an alternate stack, to report a crash from when their own
 * is full.
 *
 * Unused stacks wait in a small pool of atomic words, so that a thread costs one system
 * call at its start and one at its end.  A thread that was given its stack in a
 * handler runs no code of ours at its end: its stack is found again when one is wanted
 * and the thread has ended.
 *
 * A stack of the program's that has no room for what a trace needs is not given to the kernel: the
 * thread's own of these stands in for it.
 */
#include "crash/signals/altstack.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/os/auxv.h"
#include "core/os/kernel_action.h"
#include "core/os/memory.h"
#include "core/os/missing.h"
#include "core/os/process.h"
#include "core/os/read.h"
#include "core/os/self.h"
#include "core/os/slab.h"
#include "core/os/start_page.h"

enum { LEAST = 64 * 1024, POOLED = 32, GUARDED = 1024, ADOPTED = 1024, SWEEP = 16 };

static bool wanted;

/* Stacks that no thread has.  A word is taken by an exchange with NULL and filled by a
 * compare-and-swap from NULL, so that a stack is in one place at a time. */
static char *pool[POOLED];

/* Stacks of threads that cannot give them back themselves, and whose they are.  Only the
 * thread that has set TID writes the rest, and only who has exchanged STACK for NULL frees
 * the entry.  In a child of fork(2) only the thread that forked is alive, under another
 * id: an entry of another process says nothing about this one's threads. */
static struct adopted {
	int tid; /* 0: the entry is free */
	int pid;
	char *stack;
} adopted[ADOPTED];

/* The stack that the thread was given, whether it uses that or not. */
static __thread char *own __attribute__((tls_model("initial-exec")));

/* What OWN stands in for; without a size: nothing. */
static __thread stack_t programs __attribute__((tls_model("initial-exec")));

static size_t least; /* bytes that a stack of the program's has, to be used */

bool wcm__altstack_is_wanted(void)
{
	return __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
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

/* Many are in one mapping, of which the kernel gives a process some 65,000, and stay in it.
 * A guard is one more: beyond GUARDED stacks, and where there is no other, a page below is
 * nobody's. */
static char *map(void)
{
	static int guarded;
	const size_t guard = guard_size();
	const uintptr_t taken = (uintptr_t)wcm__slab_take(2 * guard + stack_size());
	char *const base = (char *)((taken + guard - 1) & ~(guard - 1));

	if (!taken)
		return NULL;
	if (__atomic_fetch_add(&guarded, 1, __ATOMIC_RELAXED) < GUARDED)
		wcm__mprotect(base, guard, PROT_NONE);
	return base + guard;
}

/* Stacks that the pool has no room for, without their pages; each begins with the next one's
 * address.  All are taken at once, so that none is put back under who looks at it. */
static char *spare;

static char *spare_behind(const char *stack)
{
	return *(char *const *)(const void *)stack;
}

/* FIRST leads to LAST. */
static void put_spare(char *first, char *last)
{
	char *next = __atomic_load_n(&spare, __ATOMIC_RELAXED);

	do
		*(char **)(void *)last = next;
	while (!__atomic_compare_exchange_n(&spare, &next, first, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
}

static char *take_spare(void)
{
	char *const stack = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQUIRE);
	char *const rest = stack ? spare_behind(stack) : NULL;
	char *last = rest, *none = NULL;

	if (!rest || __atomic_compare_exchange_n(&spare, &none, rest, false, __ATOMIC_RELEASE,
						 __ATOMIC_RELAXED))
		return stack;
	while (spare_behind(last))
		last = spare_behind(last);
	put_spare(rest, last);
	return stack;
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
	wcm__madvise(stack, stack_size(), MADV_DONTNEED);
	put_spare(stack, stack);
}

/* Give back what threads had that have ended since.  A later thread may have the id: then it
 * takes the stack over when it is armed, or the entry waits for its end. */
static void sweep(void)
{
	int pid = wcm__process_id();

	for (struct adopted *each = adopted; each < adopted + ADOPTED; each++) {
		char *stack = __atomic_load_n(&each->stack, __ATOMIC_ACQUIRE);

		if (!stack || each->pid != pid || !wcm__thread_is_gone(pid, each->tid))
			continue;
		stack = __atomic_exchange_n(&each->stack, NULL,
					    __ATOMIC_ACQUIRE);
		if (!stack) /* another thread sweeps, too */
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
		each->pid = wcm__process_id(); /* before STACK, by which it is found */
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
	/* Not every time: a sweep costs a system call for each entry in use. */
	if (__atomic_fetch_add(&misses, 1, __ATOMIC_RELAXED) % SWEEP == 0) {
		sweep();
		stack = take_pooled();
	}
	if (!stack)
		stack = take_spare();
	return stack ? stack : map();
}

/* The stack that the calling thread was given before and does not use: the thread may
 * have gone back to a smaller one of its own. */
static char *find_adopted(void)
{
	const int pid = wcm__process_id(), tid = wcm__thread_id();

	for (struct adopted *each = adopted; each < adopted + ADOPTED; each++)
		if (__atomic_load_n(&each->tid, __ATOMIC_ACQUIRE) == tid &&
		    each->pid == pid)
			return __atomic_load_n(&each->stack, __ATOMIC_ACQUIRE);
	return NULL;
}

/* A stack for the calling thread, to be found again when the thread has ended.  The first
 * thread keeps its own for good and needs no entry: it is armed before main, when every
 * page that is touched counts. */
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
			/* The table is full; if it stays so, the stack would be lost. */
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

void wcm__altstack_expect(unsigned signals)
{
	enum { UNKNOWN = 4096, BESIDE = 3072 /* what handlers and events take */ };
	const size_t signal = wcm__auxv(AT_MINSIGSTKSZ);
	const size_t expected = signals * ((signal ? signal : UNKNOWN) + BESIDE);
	size_t known = __atomic_load_n(&least, __ATOMIC_RELAXED);

	while (known < expected &&
	       !__atomic_compare_exchange_n(&least, &known, expected, true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

static bool is_small(const stack_t *stack)
{
	return !(stack->ss_flags & (SS_DISABLE | SS_AUTODISARM)) &&
	       stack->ss_size < __atomic_load_n(&least, __ATOMIC_RELAXED);
}

/* OWN is in STACK's place, which is the program's if it is one. */
static void stand_in(const stack_t *stack)
{
	programs = stack->ss_flags & SS_DISABLE ? (stack_t){ .ss_size = 0 } : *stack;
	programs.ss_flags &= ~SS_ONSTACK;
}

static stack_t described(void *stack)
{
	return (stack_t){ .ss_sp = stack, .ss_size = stack_size() };
}

/* True, too, if sigaltstack(2) is refused: then call_aside() could not have the alternate
 * stack elsewhere, and the next signal's frame would be put on top of this handler's
 * frames.  There is no better place than the one it has. */
bool wcm__altstack_has_room(void)
{
	enum { REPORT = 32 * 1024 };
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	stack_t now;

	return wcm__sigaltstack(NULL, &now) < 0 ||
	       ((now.ss_flags & SS_ONSTACK) && here > (uintptr_t)now.ss_sp &&
		here - (uintptr_t)now.ss_sp >= REPORT);
}

/* Stacks for the one thread that reports, if its own has no room: one for the report, one
 * for signals that come meanwhile.  They are static, since a crash may have no memory to
 * map; what is below each becomes a guard when they are first used. */
static struct {
	char guard[WCM_LARGEST_PAGE], stack[LEAST];
	char guard_of_signals[WCM_LARGEST_PAGE], signals[LEAST];
} reserve __attribute__((aligned(WCM_LARGEST_PAGE)));

struct call {
	void (*function)(void *argument);
	void *argument;
};

static void close_guard(char *guard)
{
	wcm__mprotect(guard, WCM_LARGEST_PAGE, PROT_NONE);
}

/* On the reserve.  The frames to return to are on the thread's alternate stack; while this
 * thread does not stand on that, the kernel would begin at its top again with the next
 * signal.  So the alternate stack is another one meanwhile. */
static void call_aside(void *argument)
{
	const struct call *call = argument;
	const stack_t signals = { .ss_sp = reserve.signals, .ss_size = LEAST };
	stack_t before;
	const bool exchanged = wcm__sigaltstack(&signals, &before) >= 0;

	close_guard(reserve.guard);
	close_guard(reserve.guard_of_signals);
	call->function(call->argument);
	before.ss_flags &= ~SS_ONSTACK;
	if (exchanged)
		wcm__sigaltstack(&before, NULL);
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

	if (wcm__sigaltstack(NULL, &now) < 0)
		return false;
	if (is_enough(&now))
		return true;
	stack = take_adopted();
	if (!stack)
		return false;
	if (now.ss_sp != own)
		stand_in(&now);
	own = stack;
	now = described(stack);
	return wcm__sigaltstack(&now, NULL) >= 0;
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
	if (!stack)
		return;
	stand_in(&context->uc_stack);
	context->uc_stack = described(stack);
	own = stack;
}

static bool is_ours(const stack_t *stack)
{
	return own && stack->ss_sp == own;
}

/* What the program, at SP, finds where the kernel has STACK. */
static stack_t as_seen(stack_t stack, uintptr_t sp)
{
	const bool is_on = sp - (uintptr_t)own <= stack_size();

	if (!is_ours(&stack))
		return stack;
	stack = programs;
	stack.ss_flags = programs.ss_size != 0 ? (is_on ? SS_ONSTACK : 0) : SS_DISABLE;
	return stack;
}

/* The program is to have STACK.  Where the calling handler is on OWN, that is there already. */
static void put_in_place(const stack_t *stack)
{
	stack_t ours;

	if (is_small(stack) && !own)
		own = take_adopted();
	if (!own || (!is_small(stack) && !(stack->ss_flags & SS_DISABLE)))
		return;
	ours = described(own);
	wcm__sigaltstack(&ours, NULL);
	stand_in(stack);
}

/* Whether OWN goes on to be in STACK's place by a handler that is on OWN itself, where the kernel
 * changes nothing and so judges nothing. */
static bool is_kept(const stack_t *stack)
{
	enum { LEAST_OF_ALL = 2048 };

	return (stack->ss_flags & SS_DISABLE) ||
	       (is_small(stack) && stack->ss_size >= LEAST_OF_ALL);
}

/* The kernel judges the addresses where no stack is ours. */
long wcm__altstack_change(uintptr_t set, uintptr_t was, uintptr_t sp)
{
	stack_t asked, before, seen;
	long result;

	if (!own && (!set || __atomic_load_n(&least, __ATOMIC_RELAXED) == 0))
		return wcm__sigaltstack((const stack_t *)set, (stack_t *)was);
	if (set && !wcm__read_memory(set, &asked, sizeof(asked)))
		return -EFAULT;
	wcm__sigaltstack(NULL, &before);
	seen = as_seen(before, sp);
	result = set ? wcm__sigaltstack(&asked, NULL) : 0;
	if (result == -EPERM && is_ours(&before) && !(seen.ss_flags & SS_ONSTACK) &&
	    is_kept(&asked))
		result = 0;
	if (result < 0)
		return result;
	if (set)
		put_in_place(&asked);
	return was && !wcm__write_memory(was, &seen, sizeof(seen)) ? -EFAULT : 0;
}

bool wcm__altstack_answers(uintptr_t set)
{
	stack_t now = { .ss_sp = NULL }, asked;

	wcm__sigaltstack(NULL, &now);
	return is_ours(&now) &&
	       (!set || (wcm__read_memory(set, &asked, sizeof(asked)) && is_kept(&asked)));
}

void wcm__altstack_use(void *stack)
{
	const stack_t ours = described(stack);

	own = stack;
	wcm__sigaltstack(&ours, NULL);
}

/* A thread that ends in a handler stands on STACK to the last. */
void wcm__altstack_leave(void *stack)
{
	const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t old = { 0 };

	own = NULL;
	if (wcm__sigaltstack(&none, &old) < 0) {
		wcm__altstack_adopt(stack);
		return;
	}
	if (old.ss_sp != stack && !(old.ss_flags & SS_DISABLE))
		wcm__sigaltstack(&old, NULL); /* the program's own */
	wcm__altstack_give_back(stack);
}
