/* SPDX-License-Identifier: MIT */
/* flight.c - says itself which functions it calls, and how deep, and then asks for what the
 * flight recorder has of them, or dies.
 *
 *	flight WHAT [CALLS [json]]
 *
 * What it says goes to stdout, by write(2), a line a call.  With CALLS it starts the recorder
 * itself; a crash report in JSON goes to descriptor 3.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <whocallme.h>

#ifdef __clang__
#define OUTLINE __attribute__((noinline))
#else
#define OUTLINE __attribute__((noipa))
#endif
#define UNSEEN __attribute__((no_instrument_function, patchable_function_entry(0)))
#define END __asm__ volatile("" ::: "memory") /* no call is the last thing done */
#define ENTER say(__func__)
#define LEAVE (depth--)

static __thread int depth;
static int speaks = 1;
static volatile sig_atomic_t ticks;
static jmp_buf away;
static void (*volatile handler)(int n);

UNSEEN static void say(const char *name)
{
	char line[256];
	int length;

	if (!speaks)
		return;
	length = snprintf(line, sizeof(line), "%*s%s\n", 2 * depth, "", name);
	depth++;
	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(9);
}

OUTLINE int leaf(int n) { ENTER; LEAVE; return n + 1; }
OUTLINE int large(int n)
{
	volatile char room[2000];

	ENTER;
	room[n & 15] = (char)n;
	n = leaf(room[n & 15]);
	LEAVE;
	return n;
}
OUTLINE int parse(int n) { ENTER; n = leaf(n) + large(n) + leaf(n + 1); LEAVE; return n; }
OUTLINE void nothing(int n) { ENTER; __asm__ volatile("" : : "r"(n)); LEAVE; }
OUTLINE void choose(int n) { ENTER; handler = parse(n) > 12 ? NULL : nothing; LEAVE; END; }
OUTLINE void serve(int n) { ENTER; choose(n); handler(n); LEAVE; END; }
OUTLINE void jumps(void) { ENTER; leaf(1); longjmp(away, 1); }
OUTLINE void is_left(void) { ENTER; jumps(); LEAVE; END; }
OUTLINE void comes_back(void)
{
	const int kept = depth + 1;

	ENTER;
	if (setjmp(away) == 0)
		is_left();
	depth = kept;
	leaf(2);
	large(3);
	LEAVE;
	END;
}
OUTLINE void on_signal(int signal) { ENTER; leaf(signal); LEAVE; END; }
OUTLINE void on_tick(int signal) { ENTER; ticks++; leaf(signal); LEAVE; END; }
OUTLINE void before_fork(void) { ENTER; large(1); LEAVE; END; }
OUTLINE void in_child(void) { ENTER; leaf(1); LEAVE; END; }

/* No memory can be had from the first call of this thread on. */
OUTLINE void *starved_thread(void *unused)
{
	for (int i = 0; i < 1000; i++)
		leaf(i);
	return unused;
}
UNSEEN static void *starve(void *unused)
{
	struct rlimit limit, none;

	getrlimit(RLIMIT_AS, &limit);
	none = limit;
	none.rlim_cur = 1;
	setrlimit(RLIMIT_AS, &none);
	starved_thread(NULL);
	setrlimit(RLIMIT_AS, &limit);
	starved_thread(NULL);
	wcm_flight_write(STDERR_FILENO);
	return unused;
}

static pthread_barrier_t met;

OUTLINE void works(int n) { ENTER; large(n); LEAVE; END; }
OUTLINE void *first_thread(void *unused)
{
	ENTER;
	works(1);
	pthread_barrier_wait(&met);
	pthread_barrier_wait(&met);
	LEAVE;
	return unused;
}
OUTLINE void *short_thread(void *unused) { ENTER; works(2); LEAVE; return unused; }
OUTLINE void *last_thread(void *unused)
{
	ENTER;
	nothing(3);
	pthread_barrier_wait(&met);
	pthread_barrier_wait(&met);
	LEAVE;
	return unused;
}

UNSEEN static void crash(void)
{
	for (int i = 0; i < 20; i++)
		serve(i);
}

/* Signals come between any two instructions of a note. */
UNSEEN static void storm(void)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };

	speaks = 0;
	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; ticks < 500 && i < 50000000; i++)
		leaf(1);
	setitimer(ITIMER_REAL, &never, NULL);
}

UNSEEN static void fork_and_crash(void)
{
	pid_t child;
	int status;

	before_fork();
	child = fork();
	if (child == 0) {
		if (speaks)
			in_child();
		handler(1);
	}
	if (waitpid(child, &status, 0) == child && WIFSIGNALED(status))
		_exit(3);
}

UNSEEN static void with_threads(void (*then)(void))
{
	pthread_t first, last, each;

	pthread_barrier_init(&met, NULL, 2);
	pthread_create(&first, NULL, first_thread, NULL);
	pthread_barrier_wait(&met);
	for (int i = 0; i < 50; i++) {
		pthread_create(&each, NULL, short_thread, NULL);
		pthread_join(each, NULL);
	}
	pthread_barrier_wait(&met);
	pthread_join(first, NULL);
	pthread_create(&last, NULL, last_thread, NULL);
	pthread_barrier_wait(&met);
	then();
	pthread_barrier_wait(&met);
	pthread_join(last, NULL);
}

static volatile sig_atomic_t stops;
UNSEEN static void *goes_on(void *unused)
{
	while (!stops)
		parse(1);
	return unused;
}

UNSEEN static void running(void)
{
	pthread_t threads[2];

	speaks = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, goes_on, NULL);
	for (int i = 0; i < 100; i++) {
		usleep(1000);
		wcm_flight_write(STDERR_FILENO);
	}
	stops = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

UNSEEN static void write_flight(void) { wcm_flight_write(STDERR_FILENO); }
UNSEEN static void write_threads(void) { wcm_threads_write(STDERR_FILENO); }

/* Start after start, with other numbers, and stops: only what is after the last is shown. */
UNSEEN static void restart(void)
{
	for (uint32_t calls = 1; calls < 100000; calls *= 3) {
		wcm_flight_start(calls);
		leaf(1);
		wcm_flight_stop();
		leaf(2);
	}
	if (wcm_flight_write(STDERR_FILENO) != WCM_EINVAL)
		_exit(4);
	wcm_flight_start(5);
	depth = 0;
	parse(1);
	write_flight();
	wcm_flight_stop();
	wcm_flight_write(STDERR_FILENO);
}

UNSEEN static void start(int argc, char *argv[])
{
	const struct wcm_crash_options options = {
		.fd = 3, .flags = WCM_CRASH_JSON,
		.sections = WCM_SECTION_STACK | WCM_SECTION_CALLS | WCM_SECTION_THREAD_CALLS,
	};

	if (argc > 2)
		wcm_flight_start((uint32_t)strtoul(argv[2], NULL, 10));
	if (argc > 3)
		wcm_crash_install(&options);
}

UNSEEN int main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t thread;

	start(argc, argv);
	handler = nothing;
	if (strcmp(what, "null") == 0) {
		crash();
	} else if (strcmp(what, "signal") == 0) {
		signal(SIGUSR1, on_signal);
		raise(SIGUSR1);
		crash();
	} else if (strcmp(what, "jump") == 0) {
		comes_back();
		handler = NULL;
		handler(1);
	} else if (strcmp(what, "storm") == 0) {
		storm();
		handler = NULL;
		handler(1);
	} else if (strcmp(what, "fork") == 0 || strcmp(what, "forked") == 0) {
		handler = NULL;
		if (what[4])
			before_fork(), speaks = 0;
		fork_and_crash();
	} else if (strcmp(what, "threads") == 0) {
		with_threads(write_flight);
	} else if (strcmp(what, "running") == 0) {
		running();
	} else if (strcmp(what, "stacks") == 0) {
		with_threads(write_threads);
	} else if (strcmp(what, "crash") == 0) {
		with_threads(crash);
	} else if (strcmp(what, "many") == 0) {
		speaks = 0;
		for (int i = 0; i < 1000000; i++)
			leaf(i);
	} else if (strcmp(what, "starved") == 0) {
		before_fork();
		speaks = 0;
		pthread_create(&thread, NULL, starve, NULL);
		pthread_join(thread, NULL);
	} else if (strcmp(what, "restart") == 0) {
		restart();
	}
	return 0;
}
