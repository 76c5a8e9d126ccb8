/* SPDX-License-Identifier: MIT */
/* inject_events.c - what instrumented code does of the plugin's runtime, in every situation.
 *
 *	inject_events WAY [NUMBER...]
 *
 * Events are named by who makes them and by a count, so that the log shows each that is lost,
 * torn, or there twice.  Exits with 0 where the program was left alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern void __inject_trace_write(const char *prefix, unsigned int length, unsigned long ip)
	__attribute__((visibility("hidden")));

#ifdef TRACER_PATH
const char __inject_tracer_path[] = TRACER_PATH;
#endif

static void need(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stdout, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* Its name is as long as the two numbers and PAD make it. */
static void event(const char *who, long a, long b)
{
	char prefix[128];
	const int length = snprintf(prefix, sizeof(prefix), "ev=entry fn=%s_%ld_%ld ip=0x", who,
				    a, b);

	errno = 4321;
	__inject_trace_write(prefix, (unsigned)length, 0);
	need(errno == 4321, "errno is another");
}

static long events, threads;

static void *make_events(void *index)
{
	for (long i = 0; i < events; i++)
		event("thread", (long)index, i);
	return NULL;
}

static void in_threads(void)
{
	pthread_t *thread = calloc((size_t)threads, sizeof(*thread));

	for (long i = 0; i < threads; i++)
		need(pthread_create(&thread[i], NULL, make_events, (void *)i) == 0, "a thread");
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

static volatile long handled;

static void handle(int signal)
{
	(void)signal;
	event("handler", 0, handled++);
}

static void with_timer(void)
{
	const struct itimerval often = { { 0, 100 }, { 0, 20 } }, never = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &often, NULL);
	make_events(0);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%ld\n", handled);
}

/* Each child of each thread has an event, and the thread one after it. */
static void *fork_often(void *index)
{
	for (long i = 0; i < events; i++) {
		const pid_t child = fork();
		int status;

		if (child == 0) {
			event("child", (long)index, i);
			_exit(0);
		}
		need(waitpid(child, &status, 0) == child && status == 0, "a child");
		event("parent", (long)index, i);
	}
	return NULL;
}

static void with_forks(void)
{
	pthread_t thread[4];

	for (long i = 0; i < 4; i++)
		need(pthread_create(&thread[i], NULL, fork_often, (void *)i) == 0, "a thread");
	for (long i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void with_vforks(void)
{
	for (volatile long i = 0; i < events; i++) {
		const pid_t child = vfork();
		int status;

		if (child == 0) {
			if (i % 2)
				syscall(SYS_close_range, 3, ~0u, 0);
			event("child", 0, i);
			_exit(0);
		}
		need(waitpid(child, &status, 0) == child && status == 0, "a child of vfork");
		event("parent", 0, i);
	}
	/* The log, a file of ours, and nothing else that has been left open. */
	need(fcntl(1001, F_GETFD) < 0, "a second descriptor of the log");
}

/* Closed, once with nothing in its place and once with files of ours on all numbers. */
static void with_closed(const char *ours)
{
	struct stat status;
	int fd;

	event("closed", 0, 0);
	syscall(SYS_close_range, 3, ~0u, 0);
	event("closed", 0, 1);
	syscall(SYS_close_range, 3, ~0u, 0);
	do
		fd = open(ours, O_WRONLY | O_CREAT | O_APPEND, 0600);
	while (fd >= 0 && fd < 1010);
	need(fd > 1000, "many files");
	event("closed", 0, 2);
	need(stat(ours, &status) == 0 && status.st_size == 0, "it is empty");
}

/* Stderr is another file than it was. */
static void with_stderr(const char *ours)
{
	struct stat status;

	event("stderr", 0, 0);
	close(2);
	event("stderr", 0, 1);
	need(open(ours, O_WRONLY | O_CREAT | O_TRUNC, 0600) == 2, "its number");
	event("stderr", 0, 2);
	need(stat(ours, &status) == 0 && status.st_size == 0, "it is empty");
}

static void limit(rlim_t bytes)
{
	const struct rlimit limit = { bytes, RLIM_INFINITY };

	need(setrlimit(RLIMIT_FSIZE, &limit) == 0, "a limit");
}

/* The third event does not fit, nor the fourth; the fifth does. */
static void with_limit(void)
{
	const long line = sizeof("ev=entry fn=limit_0_0 ip=0x0123456789abcdef "
				 "tid=0x0123456789abcdef\n") - 1;

	event("limit", 0, 0);
	limit(2 * (rlim_t)line + 10);
	for (long i = 1; i < 4; i++)
		event("limit", 0, i);
	limit(RLIM_INFINITY);
	event("limit", 0, 4);
}

/* Nobody reads what stderr is; SIGPIPE has its default action, and none is left. */
static void with_no_reader(void)
{
	int ends[2];
	sigset_t pending;

	need(pipe(ends) == 0 && dup2(ends[1], 2) == 2, "a pipe");
	close(ends[0]);
	event("pipe", 0, 0);
	event("pipe", 0, 1);
	need(sigpending(&pending) == 0 && !sigismember(&pending, SIGPIPE), "no signal");
}

/* A pipe that is full at times, and does not wait. */
static void with_slow_reader(void)
{
	int ends[2];

	need(pipe2(ends, O_NONBLOCK) == 0, "a pipe");
	fcntl(ends[1], F_SETPIPE_SZ, 4096);
	if (fork() == 0) {
		char text[4096];
		struct pollfd poll_end = { .fd = ends[0], .events = POLLIN };
		ssize_t got;

		close(ends[1]);
		for (;;) {
			usleep(500);
			poll(&poll_end, 1, -1);
			got = read(ends[0], text, sizeof(text));
			if (got == 0)
				_exit(0);
			need(got > 0 && write(1, text, (size_t)got) == got, "copied");
		}
	}
	dup2(ends[1], 2);
	close(ends[0]);
	close(ends[1]);
	make_events(0);
	close(2);
	wait(NULL);
}

/* As programs do that look different in ps(1): their environment is gone. */
static void wipe(char *argv[])
{
	extern char **environ;
	char *end = argv[0];

	for (int i = 0; argv[i]; i++)
		end = argv[i] + strlen(argv[i]) + 1;
	for (int i = 0; environ[i]; i++)
		if (environ[i] == end)
			end += strlen(environ[i]) + 1;
	memset(argv[0], 'x', (size_t)(end - argv[0]));
}

int main(int argc, char *argv[])
{
	const char *way = argc > 1 ? argv[1] : "one";

	threads = argc > 2 ? atol(argv[2]) : 1;
	events = argc > 3 ? atol(argv[3]) : 1;
	if (strcmp(way, "wiped") == 0) {
		wipe(argv);
		event("wiped", threads, events);
	} else if (strcmp(way, "threads") == 0)
		in_threads();
	else if (strcmp(way, "timer") == 0)
		with_timer();
	else if (strcmp(way, "fork") == 0)
		with_forks();
	else if (strcmp(way, "vfork") == 0)
		with_vforks();
	else if (strcmp(way, "closed") == 0)
		with_closed(argv[2]);
	else if (strcmp(way, "stderr") == 0)
		with_stderr(argv[2]);
	else if (strcmp(way, "limit") == 0)
		with_limit();
	else if (strcmp(way, "no-reader") == 0)
		with_no_reader();
	else if (strcmp(way, "slow-reader") == 0)
		with_slow_reader();
	else
		event(way, threads, events);
	return 0;
}
