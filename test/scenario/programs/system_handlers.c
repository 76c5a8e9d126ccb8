/* SPDX-License-Identifier: MIT */
/* system_handlers.c - programs that a handler of their system calls could harm, by what they do to
 * signals, stacks and children.
 *
 *	system_handlers WAY
 *
 * Exit status 5: it went as it should.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { GOOD = 5, BAD = 6 };

static volatile int handled;
static sigjmp_buf back;

/* A child whose handlers the kernel has taken away makes calls. */
static int cleared(void)
{
	uint64_t words[11] = { 0x100000000 /* CLONE_CLEAR_SIGHAND */, 0, 0, 0, SIGCHLD };
	const long child = syscall(435 /* clone3 */, words, sizeof(words));
	int status;

	if (child == 0) {
		getppid();
		_exit(GOOD);
	}
	return child > 0 && waitpid((pid_t)child, &status, 0) == child && WIFEXITED(status) ?
		       WEXITSTATUS(status) : BAD;
}

static void *sleeps(void *unused)
{
	(void)unused;
	usleep(300000);
	getppid();
	return NULL;
}

/* A filter, and then SIGSYS by default, while a thread sleeps; where it is blocked it waits. */
static int filters(void)
{
	struct sock_filter all[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { 1, all };
	pthread_t thread;
	sigset_t set;

	pthread_create(&thread, NULL, sleeps, NULL);
	usleep(50000);
	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return BAD;
	signal(SIGSYS, SIG_DFL);
	pthread_join(thread, NULL);
	raise(SIGSYS);
	return sigpending(&set) == 0 && sigismember(&set, SIGSYS) ? GOOD : BAD;
}

static void block_all(int signal, siginfo_t *info, void *ucontext)
{
	(void)signal, (void)info;
	sigfillset(&((ucontext_t *)ucontext)->uc_sigmask);
}

/* A handler leaves all signals blocked. */
static int masks(void)
{
	struct sigaction action = { .sa_sigaction = block_all, .sa_flags = SA_SIGINFO };
	sigset_t now;

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGSYS) && sigismember(&now, SIGTERM) ? GOOD : BAD;
}

static void jump(int signal)
{
	handled++;
	(void)signal;
	siglongjmp(back, 1);
}

/* Handlers that jump out of calls, again and again; then 10 calls. */
static int jumps(void)
{
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
	volatile int turns = 0;
	int ends[2];
	char byte;

	if (pipe(ends) != 0)
		return BAD;
	signal(SIGALRM, jump);
	setitimer(ITIMER_REAL, &every, NULL);
	sigsetjmp(back, 1);
	while (turns++ < 2000) {
		write(ends[1], "x", 1);
		read(ends[0], &byte, 1);
	}
	memset(&every, 0, sizeof(every));
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 10; i++)
		access("/last", 0);
	return handled > 0 ? GOOD : BAD;
}

/* What is below the stack in use goes. */
static int unmaps(void)
{
	const uintptr_t page = 4096, here = (uintptr_t)__builtin_frame_address(0) & ~(page - 1);

	return munmap((void *)(here - 16 * page), 15 * page) == 0 ? GOOD : BAD;
}

/* A call as a 32-bit program makes it: getpid. */
static int foreign(void)
{
	long id = 20;

	__asm__ volatile("int $0x80" : "+a"(id) : : "memory", "r8", "r9", "r10", "r11");
	return id == getpid() ? GOOD : BAD;
}

static const struct {
	const char *name;
	int (*run)(void);
} ways[] = {
	{ "cleared", cleared }, { "filters", filters }, { "masks", masks },
	{ "jumps", jumps },     { "unmaps", unmaps },   { "foreign", foreign },
};

int main(int argc, char *argv[])
{
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			return ways[i].run();
	return BAD;
}
