/* SPDX-License-Identifier: MIT */
/* goes_on.c - the first process of a container sends itself each fatal signal, says after each what
 * is blocked, and then reads where nothing is.
 *
 * The first word is "first" or "last", when the program's handler runs, or "alone": the library is
 * preloaded.  The second one is "plain"; "thread": another thread sends, to itself; "threads": to
 * the process; "restores": a handler for SIGSEGV sets the default action back; or "resends": and
 * sends the signal again.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <whocallme.h>

static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT,
			     SIGTRAP, SIGSYS, SIGQUIT, SIGXCPU, SIGXFSZ };
static volatile int *volatile nowhere;
static int resends, is_to_itself;

static void restore(int number)
{
	signal(number, SIG_DFL);
	if (resends)
		raise(number);
}

static void *send_all(void *unused)
{
	sigset_t blocked;

	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++) {
		if (is_to_itself)
			pthread_kill(pthread_self(), fatal[i]);
		else
			kill(getpid(), fatal[i]);
		pthread_sigmask(SIG_BLOCK, NULL, &blocked);
		printf("on after %d%s\n", (int)i,
		       sigismember(&blocked, fatal[i]) || sigismember(&blocked, SIGTERM) ?
			       ", blocked" : "");
	}
	return unused;
}

int main(int argc, char *argv[])
{
	const char *who = argc > 1 ? argv[1] : "", *how = argc > 2 ? argv[2] : "";
	struct wcm_crash_options options = { 0 };
	pthread_t thread;

	setvbuf(stdout, NULL, _IOLBF, 0);
	resends = strcmp(how, "resends") == 0;
	if (resends || strcmp(how, "restores") == 0)
		signal(SIGSEGV, restore);
	if (strcmp(who, "first") == 0)
		options.flags = WCM_CRASH_CHAIN_FIRST;
	if (strcmp(who, "alone") != 0)
		wcm_crash_install(&options);
	is_to_itself = strcmp(how, "thread") == 0;
	if (is_to_itself || strcmp(how, "threads") == 0) {
		pthread_create(&thread, NULL, send_all, NULL);
		pthread_join(thread, NULL);
	} else {
		send_all(NULL);
	}
	return *nowhere;
}
