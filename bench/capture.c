/* SPDX-License-Identifier: MIT */
/* capture.c - how long does it take to capture 32 frames?
 *
 *	capture CAPTURER
 *	capture CAPTURER THREADS
 *
 * One capturer in one fresh process: its first call, then the median of many; or
 * what each capture takes of the clock while 1 thread, then THREADS of them, do
 * nothing else.  Whether the code up to main has frame pointers is for the build to
 * say.
 */
#include "capture.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "clock.h"

/* Deeper than what is captured, so that nobody meets the outermost frame. */
enum { DEPTH = FRAMES + 8, SAMPLES = 501, CALLS = 16 };

static double frame_ns(double start, size_t calls)
{
	return (clock_ns() - start) / (double)(calls * FRAMES);
}

static void measure(const struct capturer *capturer)
{
	static double sample[SAMPLES];
	double start = clock_ns();
	size_t frames = capturer->capture();

	emit("first_ns", clock_ns() - start);
	if (frames != FRAMES)
		give_up("a capture is shorter than the stack");
	for (size_t i = 0; i < SAMPLES; i++) {
		start = clock_ns();
		for (size_t call = 0; call < CALLS; call++)
			capturer->capture();
		sample[i] = frame_ns(start, CALLS);
	}
	emit("frame_ns", median(sample, SAMPLES));
}

/* The addition after the call keeps it from becoming a jump. */
__attribute__((noinline)) static int
descend(const struct capturer *capturer,
	void (*bottom)(const struct capturer *capturer), volatile int depth)
{
	if (depth == 0)
		bottom(capturer);
	else
		depth += descend(capturer, bottom, depth - 1);
	return depth + 1;
}

static pthread_barrier_t line;
static bool is_over;
static size_t captures; /* by all threads */

static void capture_until_over(const struct capturer *capturer)
{
	enum { WARM_UP = 100 };
	size_t count = 0;

	for (int i = 0; i < WARM_UP; i++)
		capturer->capture();
	pthread_barrier_wait(&line);
	for (; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); count++)
		capturer->capture();
	__atomic_fetch_add(&captures, count, __ATOMIC_RELAXED);
}

static void *run_thread(void *capturer)
{
	descend(capturer, capture_until_over, DEPTH);
	return NULL;
}

/* Nanoseconds of the clock for each frame that THREADS at once captured. */
static double measure_threads(const struct capturer *capturer, unsigned threads)
{
	const struct timespec while_they_run = { .tv_nsec = 100000000 };
	pthread_t *thread = calloc(threads, sizeof(*thread));
	double start, elapsed;

	captures = 0;
	is_over = false;
	pthread_barrier_init(&line, NULL, threads + 1);
	for (unsigned i = 0; i < threads; i++)
		if (!thread || pthread_create(&thread[i], NULL, run_thread,
					      (void *)capturer) != 0)
			give_up("a thread cannot be made");
	pthread_barrier_wait(&line);
	start = clock_ns();
	nanosleep(&while_they_run, NULL);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	elapsed = clock_ns() - start;
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	return elapsed / ((double)captures * FRAMES);
}

static void compare_threads(const struct capturer *capturer, unsigned threads)
{
	double one = measure_threads(capturer, 1);
	double many = measure_threads(capturer, threads);

	emit("one_thread_ns", one);
	emit("threads_ns", many);
	emit("speedup", one / many);
}

static void say_whose(const void *function)
{
	Dl_info info;

	if (function && dladdr(function, &info) && info.dli_fname)
		emit_text("runs_in", strrchr(info.dli_fname, '/')
					     ? strrchr(info.dli_fname, '/') + 1
					     : info.dli_fname);
}

static const struct capturer *find_capturer(const char *name)
{
	for (const struct capturer *c = capturers; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	give_up("there is no such capturer");
}

int main(int argc, char **argv)
{
	const struct capturer *capturer;

	if (argc != 2 && argc != 3)
		give_up("usage: capture CAPTURER [THREADS]");
	capturer = find_capturer(argv[1]);
	if (capturer->prepare)
		capturer->prepare();
	say_whose(capturer->function);
	if (argc == 3)
		compare_threads(capturer, (unsigned)atoi(argv[2]));
	else
		descend(capturer, measure, DEPTH);
	return 0;
}
