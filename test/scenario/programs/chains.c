/* SPDX-License-Identifier: MIT */
/* chains.c - a fault where a handler of the program's own was there first.
 *
 *	chains ACTION last|first
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <whocallme.h>

enum { PAGE = 4096, ROUNDS = 20 };

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
};

int main(int argc, char *argv[])
{
	struct wcm_crash_options options = { 0 };

	if (argc < 3)
		return 2;
	if (strcmp(argv[2], "first") == 0)
		options.flags = WCM_CRASH_CHAIN_FIRST;
	page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		struct sigaction action = actions[i].action;

		if (strcmp(actions[i].name, argv[1]) != 0)
			continue;
		sigaddset(&action.sa_mask, SIGUSR1);
		sigaction(SIGSEGV, &action, NULL);
		if (wcm_crash_install(&options) != WCM_OK)
			return 2;
		actions[i].run();
		return 0;
	}
	return 2;
}
