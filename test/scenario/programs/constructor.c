/* SPDX-License-Identifier: MIT */
/* constructor.c - a library that a program needs, which falls before main(): as the
 * program's first argument says, which glibc hands to constructors.
 *
 *	PROGRAM null_read|abort|thread|early_thread|repair|give-up|none
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

void *constructor_faults(void *address);

__attribute__((noinline)) void *constructor_faults(void *address)
{
	*(volatile char *)address = 1;
	return address;
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(4);
}

static void repair(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	mprotect(info->si_addr, PAGE, PROT_READ | PROT_WRITE);
}

static void give_up(int number, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	say("giving up\n");
	signal(number, SIG_DFL);
}

static void set(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
}

static void in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, constructor_faults, NULL);
	pthread_join(thread, NULL);
}

void constructor_runs(const char *how);

__attribute__((noinline)) void constructor_runs(const char *how)
{
	if (strcmp(how, "null_read") == 0) {
		constructor_faults(NULL);
	} else if (strcmp(how, "abort") == 0) {
		abort();
	} else if (strcmp(how, "thread") == 0) {
		in_thread();
	} else if (strcmp(how, "give-up") == 0) {
		set(give_up);
		constructor_faults(NULL);
	} else if (strcmp(how, "repair") == 0) {
		set(repair);
		constructor_faults(mmap(NULL, PAGE, PROT_NONE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		say("repaired\n");
	}
}

__attribute__((constructor)) static void start(int argc, char *argv[])
{
	constructor_runs(argc > 1 ? argv[1] : "none");
}
