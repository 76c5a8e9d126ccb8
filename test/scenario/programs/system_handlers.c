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
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
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

static void *waits(void *end)
{
	char byte;

	read(*(int *)end, &byte, 1);
	return NULL;
}

/* A thread that waits in a call is cancelled. */
static int cancels(void)
{
	pthread_t thread;
	void *result;
	int ends[2];

	if (pipe(ends) != 0)
		return BAD;
	for (int i = 0; i < 20; i++) {
		if (pthread_create(&thread, NULL, waits, &ends[0]) != 0)
			return BAD;
		usleep(i * 1000);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		if (result != PTHREAD_CANCELED)
			return BAD;
	}
	return GOOD;
}

/* A signal ends the program while a thread waits in a call. */
static int dies(void)
{
	pthread_t thread;
	int ends[2];

	if (pipe(ends) != 0 || pthread_create(&thread, NULL, waits, &ends[0]) != 0)
		return BAD;
	usleep(100000);
	kill(getpid(), SIGTERM);
	pause();
	return BAD;
}

/* A child ends by exit(2), which is its only thread's. */
static int exits(void)
{
	const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	int status;

	if (child == 0) {
		getppid();
		syscall(SYS_exit, GOOD);
	}
	return child > 0 && waitpid((pid_t)child, &status, 0) == child && WIFEXITED(status) ?
		       WEXITSTATUS(status) : BAD;
}

/* A call which a signal has not made, though it has come, if it comes before its end. */
enum { LIBCS_OWN = 32, NOT_MADE = -125 };

long looked_at(long number, long a, const void *b, long c);
extern const char looked_at_end[], looked_at_not_made[];
__asm__(".text\n"
	"looked_at:\n\t"
	"mov %rdi, %rax\n\t"
	"mov %rsi, %rdi\n\t"
	"mov %rdx, %rsi\n\t"
	"mov %rcx, %rdx\n\t"
	"syscall\n"
	"looked_at_end:\n\t"
	"ret\n"
	"looked_at_not_made:\n\t"
	"mov $-125, %rax\n\t"
	"ret");

/* As musl does. */
static void look(int signal, siginfo_t *info, void *ucontext)
{
	greg_t *pc = &((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];

	(void)signal, (void)info;
	if (*pc >= (greg_t)(uintptr_t)looked_at && *pc < (greg_t)(uintptr_t)looked_at_end)
		*pc = (greg_t)(uintptr_t)looked_at_not_made;
}

__asm__(".text\n"
	"look_restorer:\n\t"
	"mov $15, %rax\n\t"
	"syscall");
extern const char look_restorer[];

static int ends_of_looked[2];
static volatile long looked_result;
static volatile int looked_number;

static void *is_looked_at(void *unused)
{
	char byte;

	(void)unused;
	looked_number = (int)syscall(SYS_gettid);
	looked_result = looked_at(SYS_read, ends_of_looked[0], &byte, 1);
	return NULL;
}

/* Signals that come while a thread waits, just before, and while a byte comes: that has been
 * read, or it is there still.  The program finds its own action. */
static int looks(void)
{
	const uintptr_t action[4] = { (uintptr_t)look, SA_SIGINFO | SA_RESTART | 0x04000000,
				      (uintptr_t)look_restorer, 0 };
	uintptr_t found[4];
	pthread_t thread;
	int made = 0, left;

	if (syscall(SYS_rt_sigaction, LIBCS_OWN, action, NULL, 8) != 0 ||
	    syscall(SYS_rt_sigaction, LIBCS_OWN, NULL, found, 8) != 0 ||
	    memcmp(action, found, sizeof(found)) != 0 || pipe(ends_of_looked) != 0)
		return BAD;
	for (int i = 0; i < 300; i++) {
		looked_result = looked_number = 0;
		if (pthread_create(&thread, NULL, is_looked_at, NULL) != 0)
			return BAD;
		if (i % 3 > 0)
			usleep(i % 3 * 1000);
		if (i >= 200)
			write(ends_of_looked[1], "x", 1);
		/* The thread may not be at the call yet. */
		while (looked_result == 0) {
			syscall(SYS_tgkill, getpid(), looked_number, LIBCS_OWN);
			usleep(1000);
		}
		pthread_join(thread, NULL);
		ioctl(ends_of_looked[0], FIONREAD, &left);
		made += looked_result == 1;
		if (looked_result == 1 ? i < 200 || left != 0 :
					 looked_result != NOT_MADE || left != (i >= 200))
			return BAD;
		if (left > 0)
			read(ends_of_looked[0], &left, 1);
	}
	return made > 0 ? GOOD : BAD;
}

/* The status of CHILD, which a tracer has go on without what stops it. */
static int traced_to_end(pid_t child, int stops)
{
	int status, seen = 0;

	for (;; seen++) {
		if (waitpid(child, &status, 0) != child)
			return BAD;
		if (!WIFSTOPPED(status))
			break;
		ptrace(PTRACE_CONT, child, 0, 0);
	}
	return seen == stops && WIFEXITED(status) ? WEXITSTATUS(status) : BAD;
}

/* A child asks to be traced, and stops for it; then one that borrows this memory. */
static int tracees(void)
{
	pid_t child = fork();

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
			raise(SIGSTOP);
		getppid();
		_exit(getppid() > 0 ? GOOD : BAD);
	}
	if (traced_to_end(child, 1) != GOOD)
		return BAD;
	child = vfork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execl("/bin/sh", "sh", "-c", "exit 5", (char *)0);
		_exit(BAD);
	}
	return traced_to_end(child, 1);
}

/* A tracer attaches to a child that waits for it. */
static int attached(void)
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		kill(getpid(), SIGSTOP);
		for (int i = 0; i < 3; i++)
			getppid();
		_exit(GOOD);
	}
	if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SEIZE, child, 0, 0) != 0)
		return BAD;
	kill(child, SIGCONT);
	do {
		if (waitpid(child, &status, 0) != child)
			return BAD;
		if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSYS)
			return BAD;
		if (WIFSTOPPED(status))
			ptrace(PTRACE_CONT, child, 0, 0);
	} while (WIFSTOPPED(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : BAD;
}

static void count_it(int signal)
{
	(void)signal;
	handled++;
}

/* A handler that is good for one call, in a child of which the second is the end. */
static int resets(void)
{
	static const int signals[] = { SIGSYS, SIGTRAP, SIGSEGV, SIGTERM };
	struct sigaction action = { .sa_handler = count_it, .sa_flags = SA_RESETHAND }, now;
	int status;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		const pid_t child = fork();

		if (child == 0) {
			sigaction(signals[i], &action, NULL);
			raise(signals[i]);
			sigaction(signals[i], NULL, &now);
			if (handled != 1 || now.sa_handler != SIG_DFL ||
			    !(now.sa_flags & SA_RESETHAND))
				_exit(BAD);
			raise(signals[i]);
			_exit(BAD);
		}
		if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) ||
		    WTERMSIG(status) != signals[i])
			return BAD;
	}
	return GOOD;
}

/* What is blocked waits, once, and comes when it is not; sigtimedwait() takes it. */
static int blocks(void)
{
	static const int signals[] = { SIGSYS, SIGTRAP };
	const struct timespec soon = { .tv_sec = 1 };
	sigset_t set, pending;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		handled = 0;
		signal(signals[i], count_it);
		sigemptyset(&set);
		sigaddset(&set, signals[i]);
		sigprocmask(SIG_BLOCK, &set, NULL);
		for (int sent = 0; sent < 3; sent++)
			raise(signals[i]);
		if (handled != 0 || sigpending(&pending) != 0 || !sigismember(&pending, signals[i]))
			return BAD;
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		if (handled != 1)
			return BAD;
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(signals[i]);
		if (sigtimedwait(&set, NULL, &soon) != signals[i])
			return BAD;
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		if (handled != 1)
			return BAD;
	}
	return GOOD;
}

/* A handler that raises its own signal, which waits until it returns, or does not. */
static void raise_again(int signal)
{
	static volatile int depth;

	if (++depth > 1)
		handled += 10; /* within itself */
	if (++handled % 10 == 1)
		raise(signal);
	depth--;
}

static int nests(void)
{
	static const int signals[] = { SIGSYS, SIGTRAP, SIGUSR1 };

	for (size_t i = 0; i < 2 * sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction action = { .sa_handler = raise_again,
					    .sa_flags = i % 2 ? SA_NODEFER : 0 };

		handled = 0;
		sigaction(signals[i / 2], &action, NULL);
		raise(signals[i / 2]);
		if (handled != (i % 2 ? 12 : 2))
			return BAD;
	}
	return GOOD;
}

static int makes_calls(void *made)
{
	long result;

	for (int i = 0; i < 3; i++)
		__asm__ volatile("syscall" : "=a"(result) : "0"(SYS_getppid)
				 : "rcx", "r11", "memory");
	*(volatile int *)made = result > 0 ? GOOD : BAD;
	return GOOD;
}

/* A child in this memory whose thread pointer leads to nothing, as browsers have one. */
static int stranger(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	static char nothing[4096] __attribute__((aligned(16)));
	volatile int made;
	int status;

	for (int i = 0; i < 3; i++) {
		const int flags = CLONE_VM | CLONE_SETTLS | (i == 1 ? 0 : CLONE_VFORK);
		const pid_t child = clone(makes_calls, stack + sizeof(stack), flags | SIGCHLD,
					  (void *)&made, NULL, nothing + 2048, NULL);

		if (child <= 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != GOOD || made != GOOD)
			return BAD;
		made = BAD;
	}
	return getppid() > 0 ? GOOD : BAD;
}

static volatile int elsewhere, over;

static void taken(int signal)
{
	(void)signal;
	elsewhere += syscall(SYS_gettid) != getpid();
	handled++;
}

static void *sends(void *unused)
{
	for (int i = 0; i < 200; i++) {
		usleep(500); /* the first thread sleeps again */
		kill(getpid(), i % 2 ? SIGUSR1 : SIGINT);
		for (int wait = 0; wait < 2000 && handled <= i; wait++)
			usleep(500);
	}
	over = 1;
	return unused;
}

/* Signals that another thread sends the process are the first thread's, which sleeps; but for a
 * few, on a machine so busy that this one has not come out of its handler. */
static int first(void)
{
	const struct sigaction action = { .sa_handler = taken };
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	pthread_create(&thread, NULL, sends, NULL);
	while (!over)
		usleep(1000000);
	pthread_join(thread, NULL);
	return elsewhere <= 2 && handled == 200 ? GOOD : BAD;
}

static const struct {
	const char *name;
	int (*run)(void);
} ways[] = {
	{ "cleared", cleared }, { "filters", filters }, { "masks", masks },
	{ "jumps", jumps },     { "unmaps", unmaps },   { "foreign", foreign },
	{ "cancels", cancels }, { "looks", looks },     { "dies", dies },
	{ "exits", exits },     { "resets", resets },   { "blocks", blocks },
	{ "nests", nests },     { "tracees", tracees }, { "attached", attached },
	{ "first", first },     { "stranger", stranger },
};

int main(int argc, char *argv[])
{
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			return ways[i].run();
	return BAD;
}
