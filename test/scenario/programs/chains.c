/* SPDX-License-Identifier: MIT */
/* chains.c - a fault where a handler of the program's own was there first; or came
 * later, also in a program that knows of no report: -DUNAWARE.
 *
 *	chains ACTION last|first|later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifndef UNAWARE
#include <whocallme.h>
#endif

enum { PAGE = 4096, ROUNDS = 20, MANY = 2000 };

static char *page;
static sigjmp_buf back;
static volatile sig_atomic_t calls;

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(4);
}

static void repair(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	calls++;
	errno = ENOTTY;
	if (info->si_addr == page)
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	else
		_exit(42);
}

static void leave(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	calls++;
	siglongjmp(back, 1);
}

static void give_up(int signal_number, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	say("giving up\n");
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/* As redis-server has it: the signal is not blocked while its handler runs, which
 * may take a megabyte of stack. */
static void resend(int signal, siginfo_t *info, void *context)
{
	struct sigaction action = { .sa_handler = SIG_DFL,
				    .sa_flags = SA_NODEFER };
	const uintptr_t here = (uintptr_t)&action, top = (uintptr_t)environ;

	(void)info, (void)context;
	/* The program has set no alternate stack, and is told of none. */
	say(top - here > (64u << 20) ? "on the alternate stack\n" : "on the thread's stack\n");
	sigaction(signal, &action, NULL);
	kill(getpid(), signal);
}

static void return_once(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	say("once\n");
}

static void tell_mask(void)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	printf("SEGV %d USR1 %d USR2 %d\n", sigismember(&mask, SIGSEGV),
	       sigismember(&mask, SIGUSR1), sigismember(&mask, SIGUSR2));
	fflush(stdout);
	_exit(43);
}

static void plain(int signal)
{
	printf("plain %d\n", signal);
	tell_mask();
}

static void full(int signal, siginfo_t *info, void *context)
{
	printf("siginfo %d %d %p %d\n", signal, info->si_code, info->si_addr,
	       context != NULL);
	tell_mask();
}

static void fault(void)
{
	*(volatile char *)page = 1;
}

static void repaired_often(void)
{
	struct sigaction before, after;

	sigaction(SIGSEGV, NULL, &before);
	for (int i = 0; i < ROUNDS; i++) {
		errno = EDOM;
		fault();
		if (errno != EDOM)
			say("errno is lost\n");
		mprotect(page, PAGE, PROT_NONE);
	}
	sigaction(SIGSEGV, NULL, &after);
	printf("repaired %d times, %s\n", (int)calls,
	       before.sa_sigaction == after.sa_sigaction ? "still ours"
							 : "not ours");
}

static void left_often(void)
{
	for (volatile int i = 0; i < 3; i++)
		if (sigsetjmp(back, 1) == 0)
			fault();
	printf("left %d times\n", (int)calls);
	fflush(stdout);
	abort();
}

static void sent(void)
{
	raise(SIGSEGV);
	kill(getpid(), SIGSEGV);
	say("alive\n");
}

static const char *name_of(void (*handler)(int))
{
	return handler == SIG_DFL   ? "default"
	       : handler == SIG_IGN ? "ignore"
	       : handler == plain   ? "plain"
				    : "somebody's";
}

/* Each call tells of the action before it; USR1 is none of those reported. */
static void query(void)
{
	const int signals[] = { SIGSEGV, SIGABRT, SIGUSR1 };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction now, ignored = { .sa_handler = SIG_IGN };
		int number = signals[i];

		sigaction(number, NULL, &now);
		printf("%s", name_of(now.sa_handler));
		printf(" %s", name_of(signal(number, plain)));
		sigaction(number, NULL, &now);
		printf(" %s %d %d", name_of(now.sa_handler),
		       sigismember(&now.sa_mask, number),
		       (now.sa_flags & SA_RESTART) != 0);
		sigaction(number, &ignored, &now);
		printf(" %s", name_of(now.sa_handler));
		printf(" %s", name_of(signal(number, SIG_DFL)));
		sigaction(number, NULL, &now);
		printf(" %s\n", name_of(now.sa_handler));
	}
	fflush(stdout);
}

/* Two threads set two actions while a third faults, and is repaired. */
static void *set_for_ever(void *action)
{
	for (;;)
		sigaction(SIGSEGV, action, NULL);
	return NULL;
}

static void replaced(void)
{
	static struct sigaction one = { .sa_sigaction = repair,
					.sa_flags = SA_SIGINFO };
	static struct sigaction other = { .sa_sigaction = repair,
					  .sa_flags = SA_SIGINFO | SA_NODEFER };
	pthread_t thread;

	sigaddset(&other.sa_mask, SIGUSR2);
	pthread_create(&thread, NULL, set_for_ever, &one);
	pthread_create(&thread, NULL, set_for_ever, &other);
	for (int i = 0; i < MANY; i++) {
		fault();
		mprotect(page, PAGE, PROT_NONE);
	}
	printf("repaired %d times\n", (int)calls);
}

/* A child of vfork(2) sets actions of its own, in its parent's memory. */
static void in_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	fault();
}

static const struct {
	const char *name;
	struct sigaction action;
	void (*run)(void);
} actions[] = {
	{ "default", { .sa_handler = SIG_DFL }, fault },
	{ "ignore", { .sa_handler = SIG_IGN }, fault },
	{ "ignore-sent", { .sa_handler = SIG_IGN }, sent },
	{ "plain", { .sa_handler = plain }, fault },
	{ "nodefer",
	  { .sa_handler = plain, .sa_flags = SA_NODEFER },
	  fault },
	{ "siginfo",
	  { .sa_sigaction = full, .sa_flags = SA_SIGINFO },
	  fault },
	{ "resethand",
	  { .sa_sigaction = return_once,
	    .sa_flags = SA_SIGINFO | (int)SA_RESETHAND },
	  fault },
	{ "repair",
	  { .sa_sigaction = repair, .sa_flags = SA_SIGINFO },
	  repaired_often },
	{ "leave",
	  { .sa_sigaction = leave, .sa_flags = SA_SIGINFO },
	  left_often },
	{ "give-up",
	  { .sa_sigaction = give_up, .sa_flags = SA_SIGINFO },
	  fault },
	{ "resend",
	  { .sa_sigaction = resend,
	    .sa_flags = SA_SIGINFO | SA_NODEFER | (int)SA_RESETHAND },
	  fault },
	{ "resend-onstack",
	  { .sa_sigaction = resend, .sa_flags = SA_SIGINFO | SA_ONSTACK },
	  fault },
	{ "vfork", { .sa_handler = plain }, in_vfork },
	{ "replaced",
	  { .sa_sigaction = repair, .sa_flags = SA_SIGINFO },
	  replaced },
	{ "query", { .sa_handler = SIG_DFL }, query },
};

#ifdef UNAWARE
static int install(const char *order)
{
	(void)order;
	return 1;
}
#else
static int install(const char *order)
{
	struct wcm_crash_options options = { 0 };

	if (strcmp(order, "first") == 0)
		options.flags = WCM_CRASH_CHAIN_FIRST;
	return wcm_crash_install(&options) == WCM_OK;
}
#endif

int main(int argc, char *argv[])
{
	if (argc < 3)
		return 2;
	const int comes_later = strcmp(argv[2], "later") == 0;

	page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		struct sigaction action = actions[i].action;

		if (strcmp(actions[i].name, argv[1]) != 0)
			continue;
		sigaddset(&action.sa_mask, SIGUSR1);
		if (comes_later && !install(argv[2]))
			return 2;
		if (actions[i].run != query)
			sigaction(SIGSEGV, &action, NULL);
		if (!comes_later && !install(argv[2]))
			return 2;
		actions[i].run();
		return 0;
	}
	return 2;
}
