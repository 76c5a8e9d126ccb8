/* SPDX-License-Identifier: MIT */
/* asked.c - a process that an agent is asked about.  It says its number and does what each line
 * of standard input says:
 *
 *	turns N     in this thread, then in another one
 *	text        says whether the code of turn() is as it was at the start
 *	fork        a child does turns, says how its code is, and waits
 *	exec        becomes itself
 *	close       closes all descriptors but the standard ones
 *	start, stop the agent
 *	threads     says how many threads /proc lists
 *	hide [HOW]  is not dumpable any more, by a call of libc's, by "syscall" or "raw", or
 *	            because it changes its user; and does a turn at once
 *	unshare     has a user namespace of its own, and says so
 *	apart       has others of its own
 *	together    is in its parent's network namespace
 *	leave       the first thread ends, and another does some time later
 *
 * With the argument "filtered" all its threads die of what an agent calls for a client.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <whocallme.h>
#include <whocallme/probe.h>

enum { CODE = 16 };

static volatile int sum;
static unsigned char before[CODE];

/* Each stays a function of its own, and a call no jump. */
#define STAYS __attribute__((noinline))

STAYS static void leaf(int number)
{
	sum += number;
}

STAYS static void first(int number)
{
	leaf(number);
	WCM_PROBE(asked, first, number);
	sum++;
}

STAYS static void second(int number)
{
	leaf(-number);
	sum--;
}

STAYS void turn(int number)
{
	first(number);
	second(number);
	sum++;
}

#define QUIET __attribute__((no_instrument_function, patchable_function_entry(0)))

QUIET static void *turns(void *count)
{
	for (long i = 0; i < *(long *)count; i++)
		turn((int)i);
	return NULL;
}

QUIET static void do_turns(long count)
{
	pthread_t thread;

	turns(&count);
	pthread_create(&thread, NULL, turns, &count);
	pthread_join(thread, NULL);
	printf("done\n");
}

QUIET static void say_text(const char *who)
{
	printf("%s %s\n", who, memcmp(before, (void *)turn, CODE) ? "changed" : "same");
}

QUIET static void fork_child(void)
{
	long count = 3;

	if (fork() != 0)
		return;
	alarm(60);
	turns(&count);
	say_text("child");
	printf("child %d\n", (int)getpid());
	for (;;)
		pause();
}

QUIET static void say_threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	int count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	printf("threads %d\n", count - 2);
}

QUIET static void *wait_there(void *unused)
{
	for (;;)
		pause();
	return unused;
}

QUIET static void *last(void *unused)
{
	usleep(200000);
	return unused;
}

QUIET static void begin_thread(void *(*run)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_detach(thread);
}

QUIET static void filter(void)
{
	static const int killed[] = { SYS_accept4, SYS_connect,	    SYS_socket,	    SYS_recvmsg,
				      SYS_sendmsg, SYS_recvfrom,    SYS_getsockopt, SYS_fcntl,
				      SYS_pipe2,   SYS_statx,	    SYS_dup3,	    SYS_prctl };
	enum { COUNT = sizeof(killed) / sizeof(*killed), LOAD = 0, CALLS };
	struct sock_filter code[CALLS + 2 * COUNT + 1] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	for (int i = 0; i < COUNT; i++) {
		code[CALLS + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								   (unsigned)killed[i], 0, 1);
		code[CALLS + 2 * i + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
								       SECCOMP_RET_KILL_PROCESS);
	}
	code[CALLS + 2 * COUNT] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		perror("seccomp");
}

QUIET static long raw_prctl(long option, long value)
{
#ifdef __x86_64__
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_prctl), "D"(option), "S"(value), "d"(0)
			 : "rcx", "r11", "memory");
	return result;
#else
	return syscall(SYS_prctl, option, value, 0, 0, 0);
#endif
}

QUIET static void hide(const char *how)
{
	enum { OTHER = 1001 };

	if (strcmp(how, "\n") == 0)
		prctl(PR_SET_DUMPABLE, 0);
	else if (strcmp(how, " syscall\n") == 0)
		syscall(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
	else if (strcmp(how, " raw\n") == 0)
		raw_prctl(PR_SET_DUMPABLE, 0);
	else if (strcmp(how, " setfsuid\n") == 0)
		setfsuid(OTHER);
	else if (strcmp(how, " setegid\n") == 0 && setegid(OTHER) != 0)
		perror("setegid");
	else if (strcmp(how, " setresuid\n") == 0 && setresuid(OTHER, OTHER, OTHER) != 0)
		perror("setresuid");
	else if (strcmp(how, " syscall-setuid\n") == 0)
		syscall(SYS_setuid, OTHER);
}

QUIET static int join_parent(void)
{
	char path[64];
	int fd, result;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)getppid());
	fd = open(path, O_RDONLY);
	result = setns(fd, 0);
	close(fd);
	return result;
}

QUIET static void do_line(const char *line, char *argv[])
{
	if (strncmp(line, "turns ", 6) == 0)
		do_turns(atol(line + 6));
	else if (strcmp(line, "text\n") == 0)
		say_text("text");
	else if (strcmp(line, "fork\n") == 0)
		fork_child();
	else if (strcmp(line, "exec\n") == 0)
		execv("/proc/self/exe", argv);
	else if (strcmp(line, "close\n") == 0)
		for (int fd = 3; fd < 2000; fd++)
			close(fd);
	else if (strcmp(line, "start\n") == 0)
		printf("start %d\n", wcm_agent_start());
	else if (strcmp(line, "stop\n") == 0)
		wcm_agent_stop();
	else if (strcmp(line, "threads\n") == 0)
		say_threads();
	else if (strncmp(line, "hide", 4) == 0) {
		hide(line + 4);
		do_turns(1);
	}
	else if (strcmp(line, "unshare\n") == 0)
		printf("unshare %d\n", unshare(CLONE_NEWUSER));
	else if (strcmp(line, "apart\n") == 0)
		printf("apart %d\n",
		       unshare(CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC));
	else if (strcmp(line, "together\n") == 0)
		printf("together %d\n", join_parent());
	else if (strcmp(line, "leave\n") == 0) {
		begin_thread(last);
		pthread_exit(NULL);
	}
}

QUIET int main(int argc, char *argv[])
{
	char line[64];

	memcpy(before, (void *)turn, CODE);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1)
		begin_thread(wait_there);
	if (argc > 1 && strcmp(argv[1], "filtered") == 0)
		filter();
	printf("here %d\n", (int)getpid());
	/* By bytes: what follows is for what it becomes. */
	while (read(STDIN_FILENO, line, 1) == 1) {
		size_t size = 1;

		while (line[size - 1] != '\n' && size < sizeof(line) - 1 &&
		       read(STDIN_FILENO, line + size, 1) == 1)
			size++;
		line[size] = '\0';
		do_line(line, argv);
	}
	return 0;
}
