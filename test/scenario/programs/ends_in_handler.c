/* SPDX-License-Identifier: MIT */
/* ends_in_handler.c - a fault whose handler, set when the report is there already, ends the process
 * or has it go on; with UNAWARE the program knows of no report.
 *
 *	ends_in_handler SET END
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifndef UNAWARE
#include <whocallme.h>
#endif

static char *page;
static sigjmp_buf back;
static const char *end;
static volatile sig_atomic_t calls;

static int is(const char *name)
{
	return strcmp(end, name) == 0;
}

/* A child ends while its parent is in the handler. */
static void leave_child(int uses_vfork)
{
	const pid_t child = uses_vfork ? vfork() : fork();

	if (child == 0)
		_exit(7);
	waitpid(child, NULL, 0);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

/* Signals to groups and threads that the kernel does not send. */
static void be_refused(void)
{
	const int none[] = { 0, -1, -getpgrp(), -getpid() };

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
#ifdef __GLIBC__
		tgkill(none[i], getpid(), SIGTERM);
		tgkill(getpid(), none[i], SIGTERM);
#endif
		syscall(SYS_tgkill, none[i], getpid(), SIGTERM);
		syscall(SYS_tgkill, getpid(), none[i], SIGTERM);
		sigqueue(none[i], SIGTERM, (union sigval){ 0 });
	}
}

static void end_it(int signal_number)
{
	if (is("default")) {
		signal(signal_number, SIG_DFL);
		raise(signal_number);
	} else if (is("_exit")) {
		_exit(1);
	} else if (is("exit")) {
		exit(1);
	} else if (is("killed")) {
		kill(getpid(), SIGKILL);
	} else if (is("killed-group")) {
		kill(0, SIGKILL);
	} else if (is("terminated")) {
		kill(getpid(), SIGTERM);
	} else if (is("terminated-late")) {
		sigset_t all;

		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		kill(getpid(), SIGTERM);
	} else if (is("thread")) {
		pthread_kill(pthread_self(), SIGALRM);
	} else if (is("queued")) {
		sigqueue(getpid(), SIGRTMIN + 3, (union sigval){ 0 });
	} else if (is("by-call")) {
		syscall(SYS_tgkill, getpid(), getpid(), SIGKILL);
	} else if (is("exit-by-call")) {
		syscall(SYS_exit_group, 1);
	} else if (is("abort")) {
		abort();
	} else if (is("jump") || is("jump-abort") || is("jump-exit")) {
		siglongjmp(back, 1);
	} else if (is("fork")) {
		leave_child(0);
	} else if (is("vfork")) {
		leave_child(1);
	} else if (is("harmless")) {
		kill(getpid(), SIGCHLD);
		raise(SIGURG);
		kill(getpid(), 0);
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
	} else {
		if (is("refused"))
			be_refused();
		else if (is("all-others") && getpid() == 1)
			kill(-1, SIGTERM);
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
	}
}

static void plain(int number)
{
	calls++;
	end_it(number);
}

static void full(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number == SIGABRT)
		return; /* abort(3) kills then */
	if (info->si_addr != page)
		_exit(9);
	calls++;
	end_it(number);
}

#ifdef __x86_64__
/* As a runtime sets its own, by the kernel's structure. */
static void set_by_call(void)
{
	extern void restore_of_test(void);
	const struct {
		void (*handler)(int number, siginfo_t *info, void *context);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action = { full, SA_SIGINFO | 0x04000000, restore_of_test, 0 };

	__asm__(".pushsection .text.restore,\"ax\"\n.globl restore_of_test\n"
		".type restore_of_test,@function\n"
		"nop\nrestore_of_test: mov $15, %rax\nsyscall\n.popsection");
	if (syscall(SYS_rt_sigaction, SIGSEGV, &action, NULL, 8) != 0)
		_exit(8);
}
#else
static void set_by_call(void)
{
	const struct sigaction action = { .sa_sigaction = full, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
}
#endif

static void set(const char *how)
{
	static char stack[1 << 16];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = full, .sa_flags = SA_SIGINFO };

	if (strcmp(how, "signal") == 0) {
		signal(SIGSEGV, plain);
		return;
	}
	if (strcmp(how, "call") == 0) {
		set_by_call();
		return;
	}
	if (strcmp(how, "resethand") == 0)
		action.sa_flags |= (int)SA_RESETHAND;
	if (strcmp(how, "onstack") == 0) {
		action.sa_flags |= SA_ONSTACK;
		sigaltstack(&alternate, NULL);
	}
	sigaction(SIGSEGV, &action, NULL);
	if (is("abort-returns"))
		sigaction(SIGABRT, &action, NULL);
}

static __attribute__((noinline)) void fault(void)
{
	*(volatile char *)page = 1;
}

/* Deeper than the handler was. */
static __attribute__((noinline)) void leave_deep(int depth)
{
	volatile char room[4096];

	room[0] = 0;
	if (depth > 0)
		leave_deep(depth - 1);
	else if (is("jump-abort"))
		abort();
	else
		_exit(5);
	room[1] = 0;
}

int main(int argc, char *argv[])
{
	if (argc < 3)
		return 2;
	end = argv[2];
	if (is("killed-group"))
		setpgid(0, 0);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifndef UNAWARE
	if (wcm_crash_install(NULL) != WCM_OK)
		return 2;
#endif
	set(argv[1]);
	if (is("abort-returns"))
		abort();
	if (sigsetjmp(back, 1) == 0)
		fault();
	if (is("jump-abort") || is("jump-exit"))
		leave_deep(20);
	printf("on after %d\n", (int)calls);
	return 0;
}
