/* SPDX-License-Identifier: MIT */
/* system_ways.c - the ways in which a process makes system calls that are unlike most: it begins
 * others, is interrupted, changes its signals, and becomes another program.
 *
 *	system_ways [exec]
 *
 * It prints what a trace must not change. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 65536, THREADS = 4 };

extern char **environ;
static int ends[2];
static sigjmp_buf back;
static volatile sig_atomic_t came;

static void say(const char *what, long value)
{
	printf("%s %ld\n", what, value);
	fflush(stdout);
}

static void wait_for(const char *what, pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	say(what, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static void *work(void *size)
{
	char byte;

	for (int i = 0; i < 3; i++)
		came += read(-1, &byte, (size_t)size) > 0;
	getppid();
	return size;
}

static int child(void *unused)
{
	(void)unused;
	getppid();
	return 7;
}

static void begin_others(void)
{
	char *const arguments[] = { "/bin/echo", "spawned", NULL }, *stack = malloc(STACK);
	pthread_t thread[THREADS];
	pid_t process;

	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	process = fork();
	if (process == 0) {
		getppid();
		_exit(3);
	}
	wait_for("fork", process);
	process = vfork();
	if (process == 0) {
		getppid();
		_exit(4);
	}
	wait_for("vfork", process);
	process = vfork();
	if (process == 0) {
		execv(arguments[0], arguments);
		_exit(127);
	}
	wait_for("vfork and exec", process);
	posix_spawn(&process, arguments[0], NULL, NULL, arguments, environ);
	wait_for("spawn", process);
	say("system", WEXITSTATUS(system("exit 5")));
	wait_for("clone", clone(child, stack + STACK, SIGCHLD, NULL));
	wait_for("clone and wait", clone(child, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD,
					 NULL));
	free(stack);
}

static void on_alarm(int signal)
{
	(void)signal;
	came++;
	getppid();
}

static void on_alarm_write(int signal)
{
	(void)signal;
	came += write(ends[1], "x", 1);
}

static void on_alarm_jump(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void take(int signal, void (*handler)(int), int flags)
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

static void alarm_soon(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 50000 };

	setitimer(ITIMER_REAL, &soon, NULL);
}

static void be_interrupted(void)
{
	char byte;

	if (pipe(ends) != 0)
		return;
	take(SIGALRM, on_alarm_write, SA_RESTART);
	alarm_soon();
	say("restarted", read(ends[0], &byte, 1));
	take(SIGALRM, on_alarm, 0);
	alarm_soon();
	say("interrupted", read(ends[0], &byte, 1) < 0 ? errno : 0);
	take(SIGALRM, on_alarm_jump, 0);
	if (sigsetjmp(back, 1) == 0) {
		alarm_soon();
		say("never", read(ends[0], &byte, 1));
	}
	say("jumped", getppid() > 0);
	take(SIGALRM, on_alarm, 0);
}

static void block_all(void)
{
	sigset_t all, before, now;
	int number = came;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	say("SIGSYS was blocked", sigismember(&before, SIGSYS));
	sigprocmask(SIG_SETMASK, NULL, &now);
	say("SIGSYS is blocked", sigismember(&now, SIGSYS));
	getppid();
	raise(SIGALRM);
	say("held", came - number);
	sigpending(&now);
	say("pending", sigismember(&now, SIGALRM));
	sigprocmask(SIG_SETMASK, &before, NULL);
	say("came", came - number);
	sigprocmask(SIG_SETMASK, NULL, &now);
	say("SIGSYS is blocked", sigismember(&now, SIGSYS));
}

/* The function of each frame, and where in its module. */
static void on_raise(int signal)
{
	void *frames[32];
	const int count = backtrace(frames, 32);
	Dl_info info;

	for (int i = 0; i < count; i++)
		if (dladdr(frames[i], &info))
			printf("#%d %s+0x%lx\n", i, info.dli_sname ? info.dli_sname : "?",
			       (unsigned long)((char *)frames[i] - (char *)info.dli_fbase));
	fflush(stdout);
	came += signal > 0;
}

static void change_signals(void)
{
	stack_t stack = { .ss_sp = malloc(STACK), .ss_size = STACK }, now;
	struct sigaction was;
	sigset_t blocked;

	block_all();
	say("stack", sigaltstack(&stack, NULL));
	sigaltstack(NULL, &now);
	say("the same", now.ss_sp == stack.ss_sp && now.ss_size == STACK && now.ss_flags == 0);
	take(SIGUSR1, on_alarm, SA_ONSTACK);
	raise(SIGUSR1);
	kill(getpid(), SIGUSR1);
	take(SIGUSR2, on_raise, 0);
	raise(SIGUSR2);
	sigaction(SIGSYS, NULL, &was);
	say("SIGSYS is by default", was.sa_handler == SIG_DFL);
	take(SIGSYS, on_alarm, 0);
	sigaction(SIGSYS, NULL, &was);
	say("SIGSYS has a handler", was.sa_handler == on_alarm);
	came = 0;
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	if (!sigismember(&blocked, SIGSYS))
		raise(SIGSYS);
	say("SIGSYS came", came);
	take(SIGSYS, SIG_DFL, 0);
}

static void wait_with_masks(void)
{
	const struct timespec soon = { .tv_nsec = 1000000 };
	struct pollfd poll = { .fd = ends[0], .events = POLLIN };
	sigset_t all, none;
	fd_set set;

	sigfillset(&all);
	sigemptyset(&none);
	say("ppoll", ppoll(&poll, 1, &soon, &all));
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	say("pselect", pselect(ends[0] + 1, &set, NULL, NULL, &soon, &all));
	sigprocmask(SIG_SETMASK, &all, NULL);
	raise(SIGALRM);
	came = 0;
	say("sigsuspend", sigsuspend(&none) < 0 ? errno : 0);
	say("came", came);
	raise(SIGALRM);
	say("ppoll", ppoll(&poll, 1, NULL, &none) < 0 ? errno : 0);
	say("came", came);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int main(int argc, char *argv[])
{
	char line[100] = "";
	FILE *pipe;

	begin_others();
	be_interrupted();
	change_signals();
	wait_with_masks();
	pipe = popen("echo popen", "r");
	if (pipe && fgets(line, sizeof(line), pipe))
		printf("%s", line);
	say("closed", pclose(pipe));
	say("exec", execl("/nonexistent", "none", (char *)NULL) < 0 ? errno : 0);
	if (argc > 1 && strcmp(argv[1], "exec") == 0)
		execl("/bin/echo", "echo", "execed", (char *)NULL);
	return 9;
}
