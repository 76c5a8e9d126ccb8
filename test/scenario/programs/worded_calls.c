/* SPDX-License-Identifier: MIT */
/* worded_calls.c - makes system calls, each by its instruction, and writes their words.
 *
 *	worded_calls LOG DIRECTORY
 *
 * What strace shows behind each close(-1000) is to be the same.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/os/kernel.h"
#include "core/os/kernel_action.h"
#include "trace/system/system_words.h"
#include "worded_calls.h"

enum { LINES = 1024, LONGEST = 4096, MARK = -1000 };

static char lines[LINES][LONGEST];
static size_t lengths[LINES];
static unsigned line_count;
char buffer[4096];
unsigned length;
static long self;

long call_of(long number, const long *argument)
{
	struct wcm_system_call call = { .number = number };
	struct wcm_words words;

	memcpy(call.argument, argument, sizeof(call.argument));
	wcm__words_init(&words, lines[line_count], LONGEST);
	wcm__words_text(&words, wcm__system_name(number));
	wcm__system_words_given(&words, &call);
	WCM_SYSCALL(SYS_close, MARK);
	call.result = wcm__syscall(number, argument[0], argument[1], argument[2], argument[3],
				   argument[4], argument[5]);
	wcm__system_words_back(&words, &call);
	lengths[line_count++] = wcm__words_length(&words);
	return call.result;
}

static void memory(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = (char *)CALL(mmap, NULL, 8 * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long id;

	CALL(mmap, NULL, page, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CALL(mmap, NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, 99, 3 * page);
	CALL(mprotect, at, page, PROT_READ | PROT_EXEC);
	CALL(mprotect, at, page, PROT_NONE);
	CALL(madvise, at, page, MADV_DONTNEED);
	CALL(msync, at, page, MS_SYNC);
	CALL(mremap, at + 4 * page, page, page, MREMAP_MAYMOVE);
	CALL(mremap, at + 4 * page, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, at + 6 * page);
	CALL(mlock, at, page);
	CALL(munlock, at, page);
	CALL(mincore, at, page, buffer);
	id = CALL(shmget, IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	CALL(shmdt, CALL(shmat, id, NULL, SHM_RDONLY));
	CALL(shmctl, id, IPC_RMID, NULL);
	CALL(munmap, at, 8 * page);
	CALL(munmap, 1, 1);
	CALL(brk, 0);
}

static void handler(int signal)
{
	(void)signal;
}

static void signals(void)
{
	uint64_t set = 1u << (SIGUSR1 - 1) | 1u << (SIGCHLD - 1), was;
	struct wcm_kernel_action action = { .handler = (uintptr_t)SIG_IGN };
	const struct timespec now = { 0, 1000 };
	char stack[64 * 1024];
	stack_t wanted = { .ss_sp = stack, .ss_size = sizeof(stack) };
	siginfo_t info;

	CALL(rt_sigprocmask, SIG_BLOCK, &set, &was, 8);
	CALL(rt_sigprocmask, SIG_SETMASK, NULL, &was, 8);
	CALL(rt_sigaction, SIGUSR2, &action, NULL, 8);
	CALL(rt_sigaction, SIGUSR1, NULL, &action, 8);
	action.handler = (uintptr_t)SIG_DFL;
	CALL(rt_sigaction, SIGWINCH, &action, NULL, 8);
	action.handler = (uintptr_t)SIG_IGN;
	CALL(rt_sigaction, SIGUSR2, NULL, &action, 8);
	CALL(rt_sigaction, SIGKILL, &action, NULL, 8);
	CALL(rt_sigpending, &set, 8);
	CALL(kill, self, SIGUSR1);
	CALL(rt_sigpending, &set, 8);
	CALL(rt_sigtimedwait, &set, &info, &now, 8);
	CALL(rt_sigtimedwait, &set, &info, &now, 8);
	CALL(tgkill, self, self, SIGUSR2);
	CALL(tkill, -1, SIGRTMIN);
	CALL(kill, 0x7ffffff0, 0);
	CALL(sigaltstack, &wanted, NULL);
	CALL(sigaltstack, NULL, &wanted);
	wanted.ss_flags = SS_DISABLE;
	CALL(sigaltstack, &wanted, NULL);
	set = ~(uint64_t)0 >> 1;
	CALL(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
	set = 0;
	CALL(signalfd4, -1, &set, 8, O_CLOEXEC);
}

static long child_ends(int status)
{
	const long child = CALL(clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0) {
		if (status < 0)
			kill(getpid(), -status);
		_exit(status);
	}
	return child;
}

/* As clone(), which takes the same in a struct. */
static void new_child(void)
{
	const uint64_t flags[] = { 0, CLONE_PARENT_SETTID | CLONE_FILES };

	for (unsigned i = 0; i < 2; i++) {
		static int parent;
		const uint64_t child[8] = { flags[i], 0, 0, (uintptr_t)&parent, SIGCHLD };

		if (CALL(clone3, child, sizeof(child)) == 0)
			_exit(0);
		wait(NULL);
	}
}

/* A kernel, or a container, may refuse: that has words, too. */
static void rings(void)
{
	enum { CLAMP = 0x10, SIZE = 8, GETEVENTS = 1, WAKEUP = 2, ENTRIES = 4 };
	uint32_t params[30] = { 0 }, known[30] = { 0, 16, CLAMP | SIZE };
	const struct iovec part[] = { { buffer, 8 }, { buffer + 8, 16 } };
	const int file[] = { 0, -1 };
	const int ring = (int)CALL(io_uring_setup, ENTRIES, params);

	CALL(io_uring_setup, ENTRIES, known);
	params[2] = 1u << 30;
	CALL(io_uring_setup, ENTRIES, params);
	CALL(io_uring_setup, ENTRIES, 0);
	CALL(io_uring_register, ring, 0, part, 2); /* IORING_REGISTER_BUFFERS */
	for (unsigned i = 1; i < 23; i++)
		CALL(io_uring_register, ring, i, 0, 0);
	CALL(io_uring_register, ring, 2, file, 2); /* IORING_REGISTER_FILES */
	CALL(io_uring_register, ring, 4, file, 1); /* IORING_REGISTER_EVENTFD */
	CALL(io_uring_register, ring, 99, file, 1);
	CALL(io_uring_enter, ring, 1, 2, GETEVENTS | WAKEUP, 0, 8);
	CALL(io_uring_enter, -1, 1, 2, 0x40000000, buffer, 8);
}

static void processes(void)
{
	const char *const argv[] = { "program", "an argument", NULL };
	const char *const envp[] = { "A=1", NULL };
	struct rlimit limit;
	struct rusage usage;
	struct utsname name;
	struct sysinfo info;
	siginfo_t ended;
	unsigned ids[3];
	int status;

	CALL(getpid, 0);
	CALL(getppid, 0);
	CALL(gettid, 0);
	CALL(getuid, 0);
	CALL(getgid, 0);
	CALL(geteuid, 0);
	CALL(getegid, 0);
	CALL(getpgid, 0);
	CALL(getsid, 0);
	CALL(getresuid, ids, ids + 1, ids + 2);
	CALL(getresgid, ids, ids + 1, ids + 2);
	CALL(getgroups, 0, NULL);
	CALL(setpgid, -1, 5);
	CALL(wait4, child_ends(3), &status, 0, NULL);
	CALL(wait4, child_ends(-SIGKILL), &status, WUNTRACED, &usage);
	CALL(waitid, P_PID, child_ends(5), &ended, WEXITED, NULL);
	CALL(wait4, -1, &status, WNOHANG, NULL);
	new_child();
	CALL(execve, "/nowhere", argv, envp);
	CALL(execve, "/nowhere", NULL, NULL);
	CALL(getrlimit, RLIMIT_NOFILE, &limit);
	CALL(setrlimit, RLIMIT_NOFILE, &limit);
	CALL(prlimit64, 0, RLIMIT_STACK, NULL, &limit);
	CALL(getrusage, RUSAGE_SELF, &usage);
	CALL(getpriority, PRIO_PROCESS, 0);
	CALL(setresuid, -1, -1, -1);
	CALL(setreuid, -1, -1);
	CALL(setfsuid, -1);
	CALL(sethostname, 8, 5);
	CALL(pidfd_open, self, 0);
	CALL(setns, -1, CLONE_NEWNET);
	CALL(uname, &name);
	CALL(sysinfo, &info);
	CALL(unshare, 0x10);
	CALL(set_tid_address, ids);
}

static void scheduling(void)
{
	unsigned ids[3], cpus[64] = { 0 };
	struct timespec interval;
	const int none = 0;

	CALL(sched_yield, 0);
	CALL(sched_getaffinity, 0, sizeof(cpus), cpus);
	CALL(sched_getscheduler, 0);
	CALL(sched_getparam, 0, ids);
	CALL(sched_get_priority_max, SCHED_FIFO);
	CALL(sched_setaffinity, 0, sizeof(long), cpus);
	CALL(sched_setscheduler, 0, SCHED_OTHER, &none);
	CALL(sched_setparam, 0, &none);
	CALL(sched_rr_get_interval, 0, &interval);
	CALL(setpriority, PRIO_PROCESS, 0, 0);
	CALL(getcpu, ids, ids + 1, NULL);
	CALL(prctl, PR_SET_NAME, "a name");
	CALL(prctl, PR_GET_NAME, buffer);
	CALL(prctl, PR_GET_DUMPABLE);
	CALL(prctl, PR_SET_PDEATHSIG, SIGHUP);
	CALL(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	CALL(personality, 0xffffffff);
	CALL(getrandom, buffer, 16, GRND_NONBLOCK);
}

static void futexes(void)
{
	const struct timespec now = { 0, 1 };
	static int word = 5;

	CALL(futex, &word, FUTEX_WAKE_PRIVATE, 1);
	CALL(futex, &word, FUTEX_WAIT, 4, NULL);
	CALL(futex, &word, FUTEX_WAIT_PRIVATE, 5, &now);
	CALL(futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 5, &now, NULL,
	     FUTEX_BITSET_MATCH_ANY);
	CALL(futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 1, 2, &word + 1, 5);
}

static void times(void)
{
	const struct timespec little = { 0, 1000 };
	const struct itimerspec soon = { { 0, 0 }, { 100, 5 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	const struct itimerval tick = { { 0, 0 }, { 0, 50000 } };
	struct itimerspec was;
	struct timespec time;
	struct timeval day;
	long fd;

	CALL(clock_gettime, CLOCK_MONOTONIC, &time);
	CALL(clock_gettime, 1234, &time);
	CALL(clock_getres, CLOCK_REALTIME, &time);
	CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, &little, NULL);
	CALL(clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &little, &time);
	CALL(nanosleep, &little, &time);
	CALL(setitimer, ITIMER_REAL, &tick, NULL);
	CALL(nanosleep, &soon.it_value, &time);
	CALL(setitimer, ITIMER_REAL, &tick, NULL);
	CALL(ppoll, NULL, 0, NULL, NULL, 8);
	CALL(gettimeofday, &day, NULL);
	CALL(setitimer, ITIMER_REAL, &never, NULL);
	CALL(getitimer, ITIMER_VIRTUAL, buffer);
	fd = CALL(timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	CALL(timerfd_settime, fd, 0, &soon, &was);
	CALL(timerfd_gettime, fd, &was);
}

int main(int argc, char **argv)
{
	FILE *log;

	if (argc != 3 || !(log = fopen(argv[1], "w")) || chdir(argv[2]))
		return 1;
	signal(SIGUSR1, handler);
	signal(SIGALRM, handler);
	umask(0);
	self = getpid();
	calls_of_files();
	memory();
	signals();
	processes();
	scheduling();
	futexes();
	times();
	calls_of_sockets();
	rings();
	for (unsigned i = 0; i < line_count; i++)
		fprintf(log, "%.*s\n", (int)lengths[i], lines[i]);
	return fclose(log) != 0;
}
