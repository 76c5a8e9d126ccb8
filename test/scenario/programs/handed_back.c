/* SPDX-License-Identifier: MIT */
/* handed_back.c - signal(2) gives a handler out and is given it back, which keeps
 * neither SA_SIGINFO nor SA_ONSTACK: then a crash.  -DUNAWARE knows of no report.
 *
 *	handed_back back|sysv|often|left CRASH
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef UNAWARE
#define wcm_crash_install(options) ((void)(options))
#else
#include <whocallme.h>
#endif

#include "machine.h"

static const int fatal[] = { SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
			     SIGABRT, SIGTRAP, SIGSYS };

static void hand_back(sighandler_t (*set)(int, sighandler_t))
{
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		set(fatal[i], set(fatal[i], SIG_IGN));
}

static volatile int zero, one = 1;
static volatile int *volatile nowhere = (int *)16;

static int overflow(volatile char *above)
{
	volatile char room[4096];

	room[0] = *above;
	return overflow(room) + room[0];
}

static void crash(const char *how)
{
	volatile char byte = 0;

	if (strcmp(how, "write") == 0)
		*nowhere = 1;
	else if (strcmp(how, "jump") == 0)
		((void (*)(void))nowhere)();
	else if (strcmp(how, "divide") == 0)
		zero = one / zero;
	else if (strcmp(how, "illegal") == 0)
		ILLEGAL();
	else if (strcmp(how, "breakpoint") == 0)
		BREAKPOINT();
	else if (strcmp(how, "abort") == 0)
		abort();
	else if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGSEGV);
	else if (strcmp(how, "overflow") == 0)
		overflow(&byte);
}

int main(int argc, char *argv[])
{
	if (argc < 3)
		return 2;
	wcm_crash_install(NULL);
	if (strcmp(argv[1], "back") == 0)
		hand_back(signal);
	else if (strcmp(argv[1], "sysv") == 0)
		hand_back(sysv_signal);
	for (int i = 0; i < 200 && strcmp(argv[1], "often") == 0; i++)
		hand_back(signal);
	crash(argv[2]);
	return 0;
}
