/* SPDX-License-Identifier: MIT */
/* situations.c - the same fault where little is left to report it with. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deaths.h"

#define STAY __asm__ volatile("")

static void must(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	_exit(4);
}

/* The plugin's constructor dies, with the loader's lock held. */
void in_dlopen(void)
{
	ready();
	dlopen(getenv("CRASH_PLUGIN"), RTLD_NOW);
	must(0, "dlopen");
}

void on_user_signal(int signal)
{
	(void)signal;
	null_read();
	STAY;
}

/* On an alternate stack that is the program's own. */
void in_handler(void)
{
	static _Alignas(64) char bytes[128 * 1024];
	const stack_t stack = { .ss_sp = bytes, .ss_size = sizeof(bytes) };
	const struct sigaction action = { .sa_handler = on_user_signal,
					  .sa_flags = SA_ONSTACK };

	must(sigaltstack(&stack, NULL) == 0, "sigaltstack");
	must(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction");
	raise(SIGUSR1);
	STAY;
}

/* On the one that the library has given to the thread. */
void on_our_stack(void)
{
	const struct sigaction action = { .sa_handler = on_user_signal,
					  .sa_flags = SA_ONSTACK };

	must(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction");
	raise(SIGUSR1);
	STAY;
}

/* The program has brought an alternate stack of the size that was usual, after
 * the library's.  Nothing may be written below it. */
void small_stack(void)
{
	enum { SIZE = 8192 };
	char *bytes = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t stack = { .ss_sp = bytes + SIZE, .ss_size = SIZE };

	must(bytes != MAP_FAILED, "mmap");
	must(mprotect(bytes, SIZE, PROT_NONE) == 0, "mprotect");
	must(sigaltstack(&stack, NULL) == 0, "sigaltstack");
	null_read();
	STAY;
}

/* The child must have died of NUMBER, for its parent to die as well. */
static void await(pid_t child, int number)
{
	int status = 0;

	must(child > 0, "fork");
	must(waitpid(child, &status, 0) == child, "waitpid");
	must(WIFSIGNALED(status) && WTERMSIG(status) == number, "the child");
}

void in_fork(void)
{
	pid_t child = fork();

	if (child == 0)
		null_read();
	await(child, SIGSEGV);
	null_read();
	STAY;
}

void in_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		null_read();
		_exit(4);
	}
	await(child, SIGSEGV);
	null_read();
	STAY;
}

static volatile pid_t stuck_child;

/* A pipe that is full and that nobody reads, though its reader is there. */
static int full_pipe(void)
{
	static char bytes[4096];
	int ends[2];

	must(pipe2(ends, O_NONBLOCK) == 0, "pipe");
	while (write(ends[1], bytes, sizeof(bytes)) > 0)
		;
	must(fcntl(ends[1], F_SETFL, 0) == 0, "fcntl");
	return ends[1];
}

static void *kill_stuck_child(void *argument)
{
	while (!stuck_child)
		usleep(1000);
	usleep(200000);
	kill(stuck_child, SIGKILL);
	return argument;
}

/* The child is killed while it reports: it shares all memory, and leaves it as it
 * was in the middle of that. */
void vfork_killed(void)
{
	int full = full_pipe();
	pthread_t thread;
	pid_t child;

	must(pthread_create(&thread, NULL, kill_stuck_child, NULL) == 0, "thread");
	child = vfork();
	if (child == 0) {
		dup2(full, 2);
		stuck_child = getpid();
		bare_read();
		_exit(4);
	}
	await(child, SIGKILL);
	null_read();
	STAY;
}

/* The callback, which main.c installs, dies as well. */
void in_callback(void)
{
	null_read();
	STAY;
}

static pthread_barrier_t barrier;

void together(int count)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static int made;

	pthread_mutex_lock(&mutex);
	if (!made++)
		pthread_barrier_init(&barrier, NULL, (unsigned)count);
	pthread_mutex_unlock(&mutex);
	ready();
	pthread_barrier_wait(&barrier);
	bare_read();
	STAY;
}

void two_at_once(void)
{
	together(dying_together("two_at_once"));
	STAY;
}

void many_at_once(void)
{
	together(dying_together("many_at_once"));
	STAY;
}

int dying_together(const char *death)
{
	return strcmp(death, "two_at_once") == 0    ? 2
	       : strcmp(death, "many_at_once") == 0 ? 64
						    : 1;
}

void stderr_closed(void)
{
	close(2);
	null_read();
	STAY;
}

void stderr_stuck(void)
{
	must(dup2(full_pipe(), 2) == 2, "dup2");
	null_read();
	STAY;
}

static void leave_files(int count)
{
	const struct rlimit limit = { 64, 64 };
	int last = -1, fd;

	must(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
	while ((fd = dup(1)) >= 0)
		last = fd;
	for (int i = 0; i < count; i++)
		close(last - i);
}

void few_files(void)
{
	leave_files(3);
	null_read();
	STAY;
}

void no_files(void)
{
	leave_files(0);
	null_read();
	STAY;
}

/* Not a page more than is mapped now. */
void no_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;
	struct rlimit limit;

	must(file && fscanf(file, "%lu", &pages) == 1, "statm");
	fclose(file);
	limit.rlim_cur = limit.rlim_max = pages * (size_t)sysconf(_SC_PAGESIZE);
	must(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
	null_read();
	STAY;
}

/* The matrix starts this one with an empty /proc. */
void no_proc(void)
{
	must(access("/proc/self", F_OK) != 0, "/proc is there");
	null_read();
	STAY;
}

#define FORBID(call)                                 \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, action)

/* ACTION is what becomes of who opens a file or makes a process. */
static void forbid(unsigned action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		FORBID(SYS_openat), FORBID(SYS_openat2),
		FORBID(SYS_clone), FORBID(SYS_clone3),
#ifdef SYS_open /* newer CPUs have none of these */
		FORBID(SYS_open), FORBID(SYS_creat),
		FORBID(SYS_fork), FORBID(SYS_vfork),
#endif
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl");
	must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		     SECCOMP_FILTER_FLAG_TSYNC, &program) == 0, "seccomp");
}

void forbidden(void)
{
	forbid(SECCOMP_RET_ERRNO | EPERM);
	must(open("/dev/null", O_RDONLY) < 0, "open is not forbidden");
	null_read();
	STAY;
}

/* As sandboxes do that answer the calls themselves, in a handler of SIGSYS. */
void trapped(void)
{
	forbid(SECCOMP_RET_TRAP);
	null_read();
	STAY;
}
