/* SPDX-License-Identifier: MIT */
/* unusual.c - stacks that are seldom seen, marked for gdb to judge. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "corpus/mark.h"

enum { STACK = 128 * 1024 };

/* unusual.S */
void own_restorer(void);

extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern char __dso_handle[];

static char *map(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void on_mark(int signal)
{
	(void)signal;
	mark("signal");
	KEEP();
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

static void run(void *(*body)(void *), const pthread_attr_t *attributes)
{
	pthread_t thread;

	pthread_create(&thread, attributes, body, NULL);
	pthread_join(thread, NULL);
}

static void *nothing(void *argument)
{
	return argument;
}

/* The signal waits for the first thread that does not block it. */
NOINLINE static void just_created(void)
{
	pthread_attr_t attributes;
	sigset_t blocked, none;

	sigemptyset(&none);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	handle(SIGUSR1, on_mark, 0);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	kill(getpid(), SIGUSR1);
	pthread_attr_init(&attributes);
	pthread_attr_setsigmask_np(&attributes, &none);
	run(nothing, &attributes);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

static int in_clone(void *argument)
{
	(void)argument;
	mark("clone");
	KEEP();
	return 0;
}

/* A thread that libc does not know, with its creator's thread-local storage. */
NOINLINE static void cloned(void)
{
	char *stack = map(STACK);
	volatile pid_t tid = 1;

	clone(in_clone, stack + STACK,
	      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		      CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID,
	      NULL, &tid, NULL, &tid);
	while (tid)
		sched_yield();
	munmap(stack, STACK);
}

static void at_thread_end(void *unused)
{
	(void)unused;
	mark("thread-local destructor");
	KEEP();
}

static void *with_destructor(void *argument)
{
	__cxa_thread_atexit_impl(at_thread_end, NULL, __dso_handle);
	return argument;
}

static void *in_thread(void *argument)
{
	mark("small");
	KEEP();
	return argument;
}

NOINLINE static void small_stack(void)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, 16 * 1024) == 0)
		run(in_thread, &attributes);
}

/* A thread's stack between two alternate ones. */
static char *below, *above;

static void use_alternate(char *memory)
{
	const int auto_disarm = 1 << 31; /* may be changed while it is in use */
	stack_t stack = { .ss_sp = memory, .ss_size = STACK,
			  .ss_flags = auto_disarm };

	sigaltstack(&stack, NULL);
}

static void on_inner(int signal)
{
	(void)signal;
	mark("inner");
	KEEP();
}

static void on_outer(int signal)
{
	char *here = (char *)&signal;

	use_alternate(here > below && here < below + STACK ? above : below);
	raise(SIGUSR2);
	KEEP();
	mark("outer");
	KEEP();
}

static void *between(void *argument)
{
	handle(SIGUSR1, on_outer, SA_ONSTACK);
	handle(SIGUSR2, on_inner, SA_ONSTACK);
	use_alternate(below);
	raise(SIGUSR1);
	KEEP();
	use_alternate(above);
	raise(SIGUSR1);
	KEEP();
	return argument;
}

NOINLINE static void below_and_above(void)
{
	char *stacks = map(3 * STACK);
	pthread_attr_t attributes;

	below = stacks;
	above = stacks + 2 * STACK;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stacks + STACK, STACK);
	run(between, &attributes);
	munmap(stacks, 3 * STACK);
}

/* The kernel's struct sigaction, which names the trampoline. */
NOINLINE static void by_description(void (*handler)(int))
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action = { handler, 0x04000000 /* SA_RESTORER */, own_restorer, 0 };

	syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, sizeof(action.mask));
	raise(SIGUSR1);
	KEEP();
}

static void scenes(void)
{
	just_created();
	cloned();
	run(with_destructor, NULL);
	small_stack();
	below_and_above();
	by_description(on_mark);
}

int main(void)
{
	run_rounds(scenes);
	return 0;
}
