/* SPDX-License-Identifier: MIT */
/* endings.c - crashes that meet another: in the callback, in other threads, in
 * children.
 *
 *	endings CASE [DEADLINE_MS [FILE]]
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <whocallme.h>

static int *volatile nowhere;

static void fault(void)
{
	*nowhere = 1;
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(4);
}

static void tell(const void *info, void *ucontext, void *data)
{
	char text[64];

	snprintf(text, sizeof(text), "callback %d %d %s\n",
		 ((const siginfo_t *)info)->si_signo, ucontext != NULL,
		 (const char *)data);
	say(text);
}

static void fault_again(const void *info, void *ucontext, void *data)
{
	tell(info, ucontext, data);
	fault();
}

static void abort_instead(const void *info, void *ucontext, void *data)
{
	tell(info, ucontext, data);
	abort();
}

static void hang(const void *info, void *ucontext, void *data)
{
	tell(info, ucontext, data);
	for (;;)
		pause();
}

static void hang_deaf(const void *info, void *ucontext, void *data)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	hang(info, ucontext, data);
}

/* How the child ended, on stdout. */
static void tell_end(pid_t child)
{
	int status = 0;
	char text[64];

	waitpid(child, &status, 0);
	snprintf(text, sizeof(text), "child %d\n", WTERMSIG(status));
	say(text);
}

/* The child of a process that is reporting. */
static void fork_and_fault(const void *info, void *ucontext, void *data)
{
	pid_t child = fork();

	if (child == 0) {
		struct wcm_crash_options options = { 0 };

		wcm_crash_install(&options);
		abort();
	}
	tell_end(child);
	tell(info, ucontext, data);
}

static pthread_barrier_t all;

static void *fault_together(void *argument)
{
	pthread_barrier_wait(&all);
	fault();
	return argument;
}

static void at_once(unsigned count)
{
	pthread_t thread;

	pthread_barrier_init(&all, NULL, count);
	for (unsigned i = 0; i < count; i++)
		pthread_create(&thread, NULL, fault_together, NULL);
	for (;;)
		pause();
}

static void two_at_once(void)
{
	at_once(2);
}

static void many_at_once(void)
{
	at_once(64);
}

static void in_fork(void)
{
	pid_t child = fork();

	if (child == 0)
		fault();
	tell_end(child);
	abort();
}

static void in_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		fault();
		_exit(3);
	}
	tell_end(child);
	abort();
}

static const struct {
	const char *name;
	void (*run)(void);
	wcm_crash_callback *callback;
} cases[] = {
	{ "plain", fault, NULL },
	{ "callback", fault, tell },
	{ "fault-again", fault, fault_again },
	{ "abort-instead", fault, abort_instead },
	{ "hang", fault, hang },
	{ "hang-deaf", fault, hang_deaf },
	{ "fork-and-fault", fault, fork_and_fault },
	{ "two", two_at_once, NULL },
	{ "many", many_at_once, NULL },
	{ "fork", in_fork, NULL },
	{ "vfork", in_vfork, NULL },
	{ "vfork-again", in_vfork, fault_again },
};

int main(int argc, char *argv[])
{
	struct wcm_crash_options options = { .callback_data = (void *)"data" };

	if (argc > 2)
		options.deadline_ms = (uint32_t)atoi(argv[2]);
	if (argc > 3)
		options.file = argv[3];
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(argv[1], cases[i].name) != 0)
			continue;
		options.callback = cases[i].callback;
		if (wcm_crash_install(&options) != WCM_OK)
			return 2;
		cases[i].run();
		return 3;
	}
	return 2;
}
