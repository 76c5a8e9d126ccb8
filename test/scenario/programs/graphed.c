/* SPDX-License-Identifier: MIT */
/* graphed.c - known numbers of calls, in many ways.  What main() is not told it does
 * not do. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <whocallme.h>

#define QUIET __attribute__((no_instrument_function))

int twin_elsewhere(int value);

static int leaf(int value)
{
	return value + 1;
}

static int recurse(int depth)
{
	return depth > 0 ? recurse(depth - 1) : leaf(depth);
}

static int even(int n);

static int odd(int n)
{
	return n > 0 ? even(n - 1) : 0;
}

static int even(int n)
{
	return n > 0 ? odd(n - 1) : 1;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int compared;

QUIET static int count_compared(const void *a, const void *b)
{
	compared++;
	return compare(a, b);
}

static void calls(void)
{
	int numbers[100];

	for (int i = 0; i < 100; i++)
		numbers[i] = i * 37 % 101;
	qsort(numbers, 100, sizeof(*numbers), count_compared);
	for (int i = 0; i < 100; i++)
		recurse(9);
	even(20);
	printf("compare %d\n", compared);
}

static jmp_buf back;

static void jump(int depth)
{
	if (depth == 0)
		longjmp(back, 1);
	jump(depth - 1);
}

static void jumps(void)
{
	volatile int left = 50;

	if (setjmp(back) != 0)
		left--;
	if (left > 0)
		jump(3);
	leaf(left);
}

static void *work(void *argument)
{
	for (int i = 0; i < 1000; i++)
		leaf(i);
	return argument;
}

static void threads(int together, int times)
{
	pthread_t thread[64];

	for (int i = 0; i < times; i++) {
		for (int j = 0; j < together; j++)
			pthread_create(&thread[j], NULL, work, NULL);
		for (int j = 0; j < together; j++)
			pthread_join(thread[j], NULL);
	}
}

QUIET static long pages_mapped(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file && fscanf(file, "%ld", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages;
}

/* Threads that come and go take no memory that stays. */
static void churn(void)
{
	long before;

	threads(4, 10);
	before = pages_mapped();
	threads(4, 500);
	printf("pages more: %ld\n", pages_mapped() - before);
}

static void in_child(void)
{
	leaf(1);
}

static void forks(void)
{
	leaf(0);
	if (fork() == 0) {
		in_child();
		exit(0);
	}
	wait(NULL);
	leaf(2);
}

static void crash(void)
{
	struct wcm_crash_options options = { 0 };

	wcm_crash_install(&options);
	leaf(0);
	*(volatile int *)16 = 1;
}

static int twin(int value)
{
	return value;
}

static void twins(void)
{
	twin(1);
	twin_elsewhere(2);
	twin_elsewhere(3);
}

/* Until somebody kills it. */
static void flushes(void)
{
	for (;;) {
		for (int i = 0; i < 100; i++)
			recurse(9);
		wcm_trace_flush();
	}
}

/* Three traces: each counts its own. */
static void restarts(void)
{
	struct wcm_trace_options options = { .mode = WCM_TRACE_GRAPH };
	static const char *const names[] = { "1.dot", "2.dot", "3.dot" };

	for (int i = 0; i < 3; i++) {
		options.output = names[i];
		wcm_trace_start(&options);
		threads(2, 1);
		for (int j = 0; j <= i; j++)
			leaf(j);
		wcm_trace_stop();
		leaf(9);
	}
}

static void ends_quickly(void)
{
	leaf(1);
	quick_exit(0);
}

static void elsewhere(void)
{
	leaf(chdir("/"));
}

/* Call a library that is gone before anybody asks what its functions are called. */
static void plugs(void)
{
	void *plugin = dlopen("libtwin.so", RTLD_NOW);
	int (*function)(int);

	if (!plugin)
		return;
	*(void **)&function = dlsym(plugin, "twin_elsewhere");
	leaf(function(1));
	dlclose(plugin);
}

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {
		{ "calls", calls }, { "jumps", jumps }, { "churn", churn },
		{ "forks", forks }, { "crash", crash }, { "twins", twins },
		{ "flushes", flushes }, { "restarts", restarts },
		{ "quick", ends_quickly }, { "elsewhere", elsewhere }, { "plugs", plugs },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			parts[i].run();
	if (argc > 1 && strcmp(argv[1], "threads") == 0)
		threads(16, 4);
	return 0;
}
