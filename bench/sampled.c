/* SPDX-License-Identifier: MIT */
/* sampled.c - preloaded into a program at work: a timer's handler takes its stacks.
 *
 *	BENCH_SAMPLER=CONTENDER BENCH_HERTZ=N BENCH_OUTPUT=FILE
 *
 * One contender in one process; for this library, it is preloaded, too.  The timer is of
 * the clock, as one of processor time comes no more often than the kernel's tick.  Each
 * handler sets it anew at its end, so that the program gets on however long captures
 * take.  A handler measures the capture alone, by the processor's counter, and keeps what
 * it saw; at exit the file gets a line a metric.  A handler that the kernel has
 * interrupted took milliseconds, so the slowest captures of a hundred are left out, for
 * everybody.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <whocallme.h>

#include "clock.h"

enum { MOST = 128, MOST_SAMPLES = 1 << 18 };

struct sample {
	uint32_t ticks, frames;
};

typedef void take_function(void);

/* Where it is preloaded. */
extern __typeof__(wcm_stack_capture) wcm_stack_capture __attribute__((weak));

static struct sample *samples;
static size_t sample_count;
static take_function *take;
static int (*unwind)(void **pcs, int count);
static uint32_t empty_ticks; /* of reading the counter twice */
static uint64_t start_ticks;
static double start_ns;
static pid_t process;
static timer_t timer;
static struct itimerspec once;

static uint64_t ticks(void)
{
#ifdef __x86_64__
	uint64_t now = __builtin_ia32_rdtsc();

	__asm__ volatile("" ::: "memory");
	return now;
#else
	return (uint64_t)clock_ns();
#endif
}

/* Storing the result after the call keeps the call from becoming a jump. */
static volatile size_t taken;

static void take_whocallme(void)
{
	static struct wcm_frame frames[MOST];

	taken = wcm_stack_capture(frames, MOST, 0, NULL);
}

static void *pcs[MOST];

static void take_glibc(void)
{
	taken = (size_t)backtrace(pcs, MOST);
}

static void take_libunwind(void)
{
	taken = (size_t)unwind(pcs, MOST);
}

/* Never two at once: the next signal is asked for at the end. */
static void on_timer(int signal)
{
	uint64_t before, spent;

	(void)signal;
	before = ticks();
	take();
	spent = ticks() - before;
	if (sample_count < MOST_SAMPLES)
		samples[sample_count++] = (struct sample){
			.ticks = spent < UINT32_MAX ? (uint32_t)spent : UINT32_MAX,
			.frames = (uint32_t)taken,
		};
	timer_settime(timer, 0, &once, NULL);
}

static bool choose(const char *name)
{
	void *library;

	if (strcmp(name, "glibc") == 0)
		take = take_glibc;
	if (strcmp(name, "whocallme") == 0 && wcm_stack_capture)
		take = take_whocallme;
	if (strcmp(name, "libunwind") == 0) {
		library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
		if (library)
			*(void **)&unwind = dlsym(library, "unw_backtrace");
		if (unwind)
			take = take_libunwind;
	}
	return take != NULL;
}

static void calibrate(void)
{
	enum { TIMES = 1000 };

	empty_ticks = UINT32_MAX;
	for (int i = 0; i < TIMES; i++) {
		uint64_t before = ticks();
		uint32_t spent = (uint32_t)(ticks() - before);

		empty_ticks = spent < empty_ticks ? spent : empty_ticks;
	}
	start_ticks = ticks();
	start_ns = clock_ns();
}

static void start_timer(long hertz)
{
	struct sigaction action = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };

	once.it_value.tv_nsec = 1000000000 / hertz;
	if (sigaction(SIGPROF, &action, NULL) != 0 ||
	    timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
	    timer_settime(timer, 0, &once, NULL) != 0)
		give_up("there is no timer");
}

/* The program's own children are not measured. */
__attribute__((constructor)) static void start(void)
{
	const char *name = getenv("BENCH_SAMPLER"), *hertz = getenv("BENCH_HERTZ");

	unsetenv("LD_PRELOAD");
	if (!name || !hertz || atol(hertz) < 2)
		return;
	unsetenv("BENCH_SAMPLER");
	samples = mmap(NULL, MOST_SAMPLES * sizeof(*samples), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (samples == MAP_FAILED)
		give_up("there is no memory");
	process = getpid();
	if (!choose(name))
		return;
	take(); /* glibc opens libgcc */
	calibrate();
	start_timer(atol(hertz));
}

static double ticks_of_frame(const struct sample *sample)
{
	return (double)sample->ticks / (double)(sample->frames + 1);
}

static int compare_samples(const void *left, const void *right)
{
	double a = ticks_of_frame(left), b = ticks_of_frame(right);

	return (a > b) - (a < b);
}

/* Nanoseconds a frame of the first COUNT. */
static double mean_ns(size_t count, double tick_ns)
{
	double spent = 0, frames = 0;

	for (size_t i = 0; i < count; i++) {
		spent += samples[i].ticks > empty_ticks
				 ? (double)(samples[i].ticks - empty_ticks) : 0;
		frames += (double)samples[i].frames;
	}
	return frames > 0 ? spent * tick_ns / frames : 0;
}

static void print_to(FILE *file, double tick_ns)
{
	size_t kept = sample_count - sample_count / 100;
	double frames = 0, all = mean_ns(sample_count, tick_ns);

	for (size_t i = 0; i < sample_count; i++)
		frames += (double)samples[i].frames;
	qsort(samples, sample_count, sizeof(*samples), compare_samples);
	fprintf(file, "captures\t%zu\nframes\t%.9g\nall_ns\t%.9g\nframe_ns\t%.9g\n",
		sample_count, frames / (double)(sample_count + !sample_count), all,
		mean_ns(kept, tick_ns));
}

__attribute__((destructor)) static void finish(void)
{
	const char *path = getenv("BENCH_OUTPUT");
	double tick_ns;
	FILE *file;

	if (!samples || getpid() != process || !path)
		return;
	if (take)
		timer_delete(timer);
	signal(SIGPROF, SIG_IGN);
	tick_ns = (clock_ns() - start_ns) / (double)(ticks() - start_ticks);
	file = fopen(path, "w");
	if (!file)
		return;
	if (take)
		print_to(file, tick_ns);
	else
		fprintf(file, "missing\t1\n");
	fclose(file);
}
