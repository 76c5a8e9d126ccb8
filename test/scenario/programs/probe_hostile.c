/* SPDX-License-Identifier: MIT */
/* probe_hostile.c - programs that a trap in the place of a NOP could harm, by argument 1.
 *
 * What one prints is the same with probes and without.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <whocallme/probe.h>

extern char **environ;
static volatile sig_atomic_t traps;
static sigjmp_buf jump;

__attribute__((noinline)) static void hit(int number)
{
	WCM_PROBE(hostile, hit, number);
}

static void block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
}

static void on_trap(int signal)
{
	(void)signal;
	traps++;
	hit(100);
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigfillset(&action.sa_mask);
	sigaction(signal, &action, NULL);
}

static void *in_thread(void *number)
{
	block_all();
	for (int i = 0; i < 100; i++)
		hit((int)(long)number);
	return NULL;
}

static void run_threads(void)
{
	pthread_t thread[8];

	for (long i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, in_thread, (void *)i);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
}

static int blocked(void)
{
	sigset_t was;

	block_all();
	hit(1);
	sigprocmask(SIG_BLOCK, NULL, &was);
	printf("%d\n", sigismember(&was, SIGTRAP));
	run_threads();
	return 0;
}

static int handled(void)
{
	struct sigaction was;

	handle(SIGTRAP, on_trap, 0);
	hit(1);
	raise(SIGTRAP);
	__asm__ __volatile__("int3");
	hit(2);
	sigaction(SIGTRAP, NULL, &was);
	printf("%d %d\n", (int)traps, was.sa_handler == on_trap);
	return 0;
}

static int ignored(void)
{
	signal(SIGTRAP, SIG_IGN);
	hit(1);
	raise(SIGTRAP);
	hit(2);
	signal(SIGTRAP, SIG_DFL);
	hit(3);
	puts("lives");
	fflush(stdout);
	raise(SIGTRAP);
	return 1;
}

static int own_int3(void)
{
	hit(1);
	puts("dies");
	fflush(stdout);
	__asm__ __volatile__("int3");
	return 1;
}

static void on_fault(int signal)
{
	(void)signal;
	hit(1);
	siglongjmp(jump, 1);
}

static int faults(void)
{
	for (volatile int i = 0; i < 10; i++)
		if (sigsetjmp(jump, 1) == 0) {
			handle(SIGSEGV, on_fault, SA_ONSTACK);
			*(volatile int *)(long)i = 0;
		}
	hit(2);
	return 0;
}

static int forks(void)
{
	char *arguments[] = { "true", NULL };
	int status;
	pid_t child;

	for (int i = 0; i < 5; i++) {
		child = fork();
		if (child == 0) {
			hit(10 + i);
			_exit(i);
		}
		waitpid(child, &status, 0);
		printf("%d ", WEXITSTATUS(status));
	}
	child = vfork();
	if (child == 0) {
		hit(20);
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("%d ", WEXITSTATUS(status));
	posix_spawnp(&child, "true", NULL, NULL, arguments, environ);
	waitpid(child, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
	hit(1);
	return 0;
}

/* A child on this stack, in this memory where FLAGS have CLONE_VM, whose handlers are gone; and so
 * with no call in between, whose return address it would write over. */
static void clear(uint64_t flags, int number)
{
	enum { CLONE3 = 435 };
	uint64_t words[11] = { flags | UINT64_C(0x100000000) /* CLONE_CLEAR_SIGHAND */,
			       0, 0, 0, SIGCHLD };
	long child = CLONE3;
	int status = 0;

#ifdef __x86_64__
	__asm__ volatile("syscall" : "+a"(child) : "D"(words), "S"(sizeof(words))
			 : "rcx", "r11", "memory");
#endif
	if (child == 0) {
		hit(number);
		_exit(number);
	}
	waitpid((pid_t)child, &status, 0);
	printf("%d\n", status);
}

static int clears(void)
{
	clear(0, 1);
	clear(CLONE_VM | CLONE_VFORK, 2);
	hit(3);
	return 0;
}

static int loads(const char *path)
{
	for (int i = 0; i < 20; i++) {
		void *library = dlopen(path, RTLD_NOW);
		int (*function)(int) = library ? (int (*)(int))dlsym(library, "plugged") : NULL;
		void *page;

		if (!function)
			return 1;
		function(i);
		dlclose(library);
		page = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
		memset(page, 1, 1 << 20);
		munmap(page, 1 << 20);
	}
	puts("loaded");
	return 0;
}

static void on_timer(int signal)
{
	(void)signal;
	hit(5);
}

static int timed(void)
{
	sigset_t empty;

	sigemptyset(&empty);
	handle(SIGALRM, on_timer, SA_RESTART);
	for (int i = 0; i < 3; i++) {
		sigset_t all;

		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		ualarm(1000, 0);
		sigsuspend(&empty);
	}
	hit(1);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "blocked") == 0)
		return blocked();
	if (strcmp(what, "handled") == 0)
		return handled();
	if (strcmp(what, "ignored") == 0)
		return ignored();
	if (strcmp(what, "int3") == 0)
		return own_int3();
	if (strcmp(what, "faults") == 0)
		return faults();
	if (strcmp(what, "forks") == 0)
		return forks();
	if (strcmp(what, "clears") == 0)
		return clears();
	if (strcmp(what, "timed") == 0)
		return timed();
	return argc > 2 ? loads(argv[2]) : 1;
}
