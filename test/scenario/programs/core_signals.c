/* SPDX-License-Identifier: MIT */
/* core_signals.c - signals that are no faults and end a process with a core by default.
 *
 *	core_signals SIGNAL WORD...
 *
 * Each word is done in turn: "handle", "ignore", "default", "once" set the action, "ask" prints
 * which of those it is; "raise" sends the signal; "write", "truncate", "send" have the kernel send
 * SIGXFSZ, "spin" SIGXCPU; "install" and "remove" are the library's, where it is linked.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>
#ifdef UNAWARE
#define wcm_crash_install(options) ((void)(options))
#define wcm_crash_remove() ((void)0)
#else
#include <whocallme.h>
#endif

static int number;

static void handled(int received)
{
	printf("handled %d\n", received == number);
}

static void set(void (*handler)(int), int flags)
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

static const char *is_set(void)
{
	struct sigaction action;

	sigaction(number, NULL, &action);
	return action.sa_handler == SIG_DFL ? "default" :
	       action.sa_handler == SIG_IGN ? "ignored" :
	       action.sa_handler == handled ? "handled" : "unknown";
}

static void limit(int resource, rlim_t most)
{
	const struct rlimit wanted = { most, RLIM_INFINITY };

	setrlimit(resource, &wanted);
}

static void grow(const char *how)
{
	char name[] = "/tmp/core_signalsXXXXXX";
	const int file = mkstemp(name), zeros = open("/proc/self/exe", O_RDONLY);
	long result;

	unlink(name);
	limit(RLIMIT_FSIZE, 5);
	if (how[0] == 'w')
		result = pwrite(file, "ab", 2, 9);
	else if (how[0] == 't')
		result = ftruncate(file, 50);
	else
		result = sendfile(file, zeros, NULL, 5) == 5 ?
				 sendfile(file, zeros, NULL, 5) : 0;
	printf("%s gives %ld\n", how, result);
}

static void spin(void)
{
	limit(RLIMIT_CPU, 1);
	for (;;)
		;
}

static void step(const char *word)
{
	struct wcm_crash_options *options = NULL;

	if (strcmp(word, "handle") == 0)
		set(handled, 0);
	else if (strcmp(word, "once") == 0)
		set(handled, (int)SA_RESETHAND);
	else if (strcmp(word, "ignore") == 0)
		set(SIG_IGN, 0);
	else if (strcmp(word, "default") == 0)
		signal(number, SIG_DFL);
	else if (strcmp(word, "ask") == 0)
		puts(is_set());
	else if (strcmp(word, "raise") == 0)
		raise(number);
	else if (strcmp(word, "spin") == 0)
		spin();
	else if (strcmp(word, "install") == 0)
		wcm_crash_install(options);
	else if (strcmp(word, "remove") == 0)
		wcm_crash_remove();
	else
		grow(word);
}

int main(int argc, char *argv[])
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	number = atoi(argv[1]);
	for (int i = 2; i < argc; i++)
		step(argv[i]);
	return 0;
}
