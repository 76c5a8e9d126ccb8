/* SPDX-License-Identifier: MIT */
/* signals_seen.c - writes what a program can find out of its signals, and sets them in all ways.
 *
 *	signals_seen PROGRAM	then PROGRAM, untraced, in a child of each kind; - for none
 *	signals_seen		what there is, and no more
 *	signals_seen raise	how children end that raise signals
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef INSTALLS
#include <whocallme.h>
#endif

extern char **environ;

struct kernel_action {
	uintptr_t handler;
	unsigned long flags;
	uintptr_t restorer;
	uint64_t mask;
};

static volatile int handled;

static void first(int signal)
{
	(void)signal;
	handled++;
}

static void second(int signal, siginfo_t *info, void *ucontext)
{
	(void)signal, (void)info, (void)ucontext;
}

static const char *name_of(uintptr_t handler)
{
	return handler == (uintptr_t)SIG_DFL	? "default" :
	       handler == (uintptr_t)SIG_IGN	? "ignore" :
	       handler == (uintptr_t)SIG_ERR	? "error" :
	       handler == (uintptr_t)SIG_HOLD	? "hold" :
	       handler == (uintptr_t)first	? "first" :
	       handler == (uintptr_t)second	? "second" :
						  "another's";
}

static uint64_t bits(const sigset_t *set)
{
	uint64_t word = 0;

	for (int signal = 1; signal <= 64; signal++)
		word |= (uint64_t)(sigismember(set, signal) == 1) << (signal - 1);
	return word;
}

static void show(int signal)
{
	struct sigaction action;
	struct kernel_action raw;
	int result;

	memset(&action, 0, sizeof(action));
	memset(&raw, 0, sizeof(raw));
	errno = 0;
	result = sigaction(signal, NULL, &action);
	printf("  %d: %d %d %s %x %lx %d", signal, result, errno,
	       name_of((uintptr_t)action.sa_handler), action.sa_flags, bits(&action.sa_mask),
	       action.sa_restorer != NULL);
	errno = 0;
	result = (int)syscall(SYS_rt_sigaction, signal, NULL, &raw, 8);
	printf(" raw %d %s %lx %lx %d\n", result, name_of(raw.handler), raw.flags, raw.mask,
	       raw.restorer != 0);
}

/* Signal 33 is libc's own, whose action a thread's hold may leave: see the limits. */
static void show_all(const char *where)
{
	struct itimerval timer;
	sigset_t set;
	stack_t stack;

	printf("%s\n", where);
	for (int signal = 1; signal <= 64; signal++)
		if (signal != 32 && signal != 33)
			show(signal);
	sigprocmask(SIG_BLOCK, NULL, &set);
	printf("  blocked %lx", bits(&set));
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	printf(" %lx", bits(&set));
	sigpending(&set);
	printf(" pending %lx\n", bits(&set));
	sigaltstack(NULL, &stack);
	printf("  stack %d %d %zu\n", stack.ss_sp != NULL, stack.ss_flags, stack.ss_size);
	memset(&stack, 0x55, sizeof(stack));
	syscall(SYS_sigaltstack, NULL, &stack);
	printf("  stack %d %d %zu\n", stack.ss_sp != NULL, stack.ss_flags, stack.ss_size);
	for (int kind = ITIMER_REAL; kind <= ITIMER_PROF; kind++) {
		getitimer(kind, &timer);
		printf("  timer %ld %ld\n", (long)timer.it_value.tv_sec,
		       (long)timer.it_interval.tv_sec);
	}
	fflush(stdout);
}

static void told(const char *how, int signal, uintptr_t result)
{
	printf("%s(%d): %s\n", how, signal, name_of(result));
	show(signal);
}


/* All of libc's, one after the other, and back to the default. */
static void set_by_libc(int number)
{
	told("signal", number, (uintptr_t)signal(number, first));
	told("signal", number, (uintptr_t)signal(number, SIG_IGN));
	told("ssignal", number, (uintptr_t)ssignal(number, first));
	told("sysv_signal", number, (uintptr_t)sysv_signal(number, first));
	told("sigset", number, (uintptr_t)sigset(number, first));
	told("sigset", number, (uintptr_t)sigset(number, SIG_HOLD));
	told("sigset", number, (uintptr_t)sigset(number, SIG_DFL));
	told("sigignore", number, (uintptr_t)sigignore(number));
	told("signal", number, (uintptr_t)signal(number, first));
	told("siginterrupt", number, (uintptr_t)siginterrupt(number, 1));
	told("signal", number, (uintptr_t)signal(number, first));
	told("siginterrupt", number, (uintptr_t)siginterrupt(number, 0));
	told("signal", number, (uintptr_t)signal(number, SIG_DFL));
	told("signal", number, (uintptr_t)signal(number, SIG_ERR));
}

static void set_by_action(int number)
{
	static const int flags[] = { 0, SA_SIGINFO, SA_RESTART | SA_NODEFER,
				     SA_ONSTACK | SA_SIGINFO,
				     SA_NOCLDSTOP | SA_NOCLDWAIT, (int)SA_RESETHAND, 0x20000400 };
	struct sigaction action, old;
	struct kernel_action raw, was;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		for (int kind = 0; kind < 3; kind++) {
			memset(&action, 0, sizeof(action));
			memset(&old, 0, sizeof(old));
			if (kind == 1)
				action.sa_sigaction = second;
			if (kind == 2)
				action.sa_handler = SIG_IGN;
			action.sa_flags = flags[i];
			if (i % 2)
				sigfillset(&action.sa_mask);
			told("sigaction", number, (uintptr_t)sigaction(number, &action, &old));
			printf("  was %s %x %lx\n", name_of((uintptr_t)old.sa_handler),
			       old.sa_flags, bits(&old.sa_mask));
		}
	memset(&was, 0, sizeof(was));
	syscall(SYS_rt_sigaction, number, NULL, &raw, 8);
	raw.handler = (uintptr_t)first;
	raw.flags |= SA_RESTART;
	told("raw", number, (uintptr_t)syscall(SYS_rt_sigaction, number, &raw, &was, 8));
	printf("  was %s %lx %lx\n", name_of(was.handler), was.flags, was.mask);
	printf("bad %ld", syscall(SYS_rt_sigaction, number, &raw, &was, 4));
	printf(" %d\n", errno);
	told("sigaction", number, (uintptr_t)sigaction(number, &old, NULL));
	signal(number, SIG_DFL);
}

static void set_stacks(void)
{
	static char room[65536];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) }, was;

	printf("set %d", sigaltstack(&stack, &was));
	printf(" was %d %d %zu\n", was.ss_sp != NULL, was.ss_flags, was.ss_size);
	sigaltstack(NULL, &was);
	printf("is %d %d %zu\n", was.ss_sp == room, was.ss_flags, was.ss_size);
	stack.ss_flags = SS_DISABLE;
	printf("set %d", sigaltstack(&stack, &was));
	printf(" was %d %d %zu\n", was.ss_sp == room, was.ss_flags, was.ss_size);
	sigaltstack(NULL, &was);
	printf("is %d %d %zu\n", was.ss_sp != NULL, was.ss_flags, was.ss_size);
	stack.ss_flags = 0;
	stack.ss_size = 100;
	errno = 0;
	printf("set %d", sigaltstack(&stack, NULL));
	printf(" %d\n", errno);
}

static void *run(void *unused)
{
	show_all("thread");
	return unused;
}

static void ended(const char *how, pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	printf("%s: %x\n", how, status);
	fflush(stdout);
}

static void run_children(char *program)
{
	char *arguments[] = { program, NULL };
	posix_spawnattr_t attributes;
	sigset_t set;
	pid_t child;

	child = fork();
	if (child == 0) {
		show_all("fork");
		_exit(0);
	}
	ended("fork", child);
	child = fork();
	if (child == 0) {
		execv(program, arguments);
		_exit(1);
	}
	ended("fork, exec", child);
	child = vfork();
	if (child == 0) {
		execve(program, arguments, environ);
		_exit(1);
	}
	ended("vfork, exec", child);
	if (posix_spawn(&child, program, NULL, NULL, arguments, environ) == 0)
		ended("posix_spawn", child);
	posix_spawnattr_init(&attributes);
	sigfillset(&set);
	posix_spawnattr_setsigdefault(&attributes, &set);
	posix_spawnattr_setsigmask(&attributes, &set);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	if (posix_spawn(&child, program, NULL, &attributes, arguments, environ) == 0)
		ended("posix_spawn", child);
}

static void raise_all(void)
{
	static const int raised[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
				      SIGFPE,  SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGSYS,  SIGXCPU,
				      SIGXFSZ, SIGUSR1, SIGCHLD, SIGTSTP, 50 };
	static const struct sigaction actions[] = {
		{ .sa_handler = SIG_DFL },
		{ .sa_handler = SIG_IGN },
		{ .sa_handler = first },
		{ .sa_handler = first, .sa_flags = (int)SA_RESETHAND },
		{ .sa_handler = first, .sa_flags = (int)(SA_NODEFER | SA_RESETHAND) },
	};

	for (size_t i = 0; i < sizeof(raised) / sizeof(*raised); i++)
		for (size_t k = 0; k < sizeof(actions) / sizeof(*actions); k++) {
			const pid_t child = fork();
			int status = 0;

			if (child == 0) {
				if (k > 0)
					sigaction(raised[i], &actions[k], NULL);
				raise(raised[i]);
				raise(raised[i]);
				_exit(handled);
			}
			waitpid(child, &status, WUNTRACED);
			if (WIFSTOPPED(status))
				kill(child, SIGKILL);
			printf("%d %zu %x\n", raised[i], k, status & ~0x80);
		}
}

int main(int argc, char *argv[])
{
	static const int set[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
				   SIGFPE,  SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGSYS,  SIGXCPU,
				   SIGXFSZ, SIGUSR1, SIGCHLD, 34,      63,      64,      SIGKILL };
	pthread_t thread;

#ifdef INSTALLS
	wcm_crash_install(NULL);
#endif
	if (argc > 1 && strcmp(argv[1], "raise") == 0) {
		raise_all();
		return 0;
	}
	show_all("start");
	if (argc < 2)
		return 0;
	for (size_t i = 0; i < sizeof(set) / sizeof(*set); i++) {
		set_by_libc(set[i]);
		set_by_action(set[i]);
	}
	show_all("set");
	set_stacks();
	if (pthread_create(&thread, NULL, run, NULL) == 0)
		pthread_join(thread, NULL);
	for (size_t i = 0; i < sizeof(set) / sizeof(*set); i++)
		signal(set[i], i % 3 == 0 ? SIG_IGN : i % 3 == 1 ? first : SIG_DFL);
	show_all("mixed");
	if (argv[1][0] != '-')
		run_children(argv[1]);
	show_all("end");
	return 0;
}
