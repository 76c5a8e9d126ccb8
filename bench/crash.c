/* SPDX-License-Identifier: MIT */
/* crash.c - what does the crash report cost?
 *
 *	crash start LIBRARY	a process's start with LIBRARY preloaded
 *	crash report		from the fault to the end of the report, 64 threads
 *
 * A start is timed against one without, in turn, and the difference counts.
 */
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <whocallme.h>

#include "clock.h"

enum { STARTS = 200, THREADS = 64 };

static char *const plain[] = { (char *)"PATH=/bin:/usr/bin", NULL };

/* The time until a process that does nothing has ended. */
static double start_ns(char *const environment[])
{
	char *const arguments[] = { (char *)"true", NULL };
	double begin = clock_ns();
	int status;
	pid_t pid;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, arguments,
			environment) != 0 ||
	    waitpid(pid, &status, 0) != pid || status != 0)
		give_up("/bin/true cannot be run");
	return clock_ns() - begin;
}

static int measure_start(const char *library)
{
	char preload[4096 + 16];
	char *const preloaded[] = { plain[0], preload, NULL };
	double more[STARTS];

	if (access(library, R_OK) != 0)
		return 77;
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", library);
	for (int i = -10; i < STARTS; i++) {
		double without = start_ns(plain);
		double with = start_ns(preloaded);

		if (i >= 0)
			more[i] = with - without;
	}
	emit("start_ns", median(more, STARTS));
	return 0;
}

static double *fault_at;
static pthread_barrier_t asleep;

static void *sleep_for_ever(void *argument)
{
	pthread_barrier_wait(&asleep);
	for (;;)
		pause();
	return argument;
}

static void fault(void)
{
	*fault_at = clock_ns();
	__builtin_trap();
}

static _Noreturn void die_with_threads(int fd)
{
	struct wcm_crash_options options = { .fd = fd };
	const struct rlimit none = { 0 };
	pthread_t thread;

	setrlimit(RLIMIT_CORE, &none);
	if (wcm_crash_install(&options) != WCM_OK)
		_exit(1);
	pthread_barrier_init(&asleep, NULL, THREADS);
	for (int i = 1; i < THREADS; i++)
		if (pthread_create(&thread, NULL, sleep_for_ever, NULL) != 0)
			_exit(1);
	pthread_barrier_wait(&asleep);
	usleep(20000); /* all of them are in pause() */
	fault();
	_exit(1);
}

/* Read all of the report; returns its first frames, one a thread. */
static unsigned drain(int fd, double *last)
{
	static char text[1 << 20];
	unsigned stacks = 0;
	size_t size = 0;
	ssize_t got;

	while ((got = read(fd, text + size, sizeof(text) - 1 - size)) > 0) {
		*last = clock_ns();
		size += (size_t)got;
	}
	text[size] = '\0';
	for (const char *at = text; (at = strstr(at, "\n#0 ")); at++)
		stacks++;
	return stacks;
}

static int measure_report(void)
{
	double last = 0;
	int ends[2], status;
	unsigned stacks;
	pid_t pid;

	fault_at = mmap(NULL, sizeof(*fault_at), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fault_at == MAP_FAILED || pipe(ends) != 0)
		give_up("no memory or no pipe");
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		die_with_threads(ends[1]);
	}
	close(ends[1]);
	stacks = drain(ends[0], &last);
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		give_up("the process did not die");
	if (stacks != THREADS)
		give_up("the report is not complete");
	emit("report_ns", last - *fault_at);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "start") == 0)
		return measure_start(argv[2]);
	if (argc == 2 && strcmp(argv[1], "report") == 0)
		return measure_report();
	give_up("usage: crash start LIBRARY | crash report");
}
