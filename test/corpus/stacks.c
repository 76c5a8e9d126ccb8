/* SPDX-License-Identifier: MIT */
/* stacks.c - every shape of stack that C makes. */
#include <alloca.h>
#include <link.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "mark.h"
#include "assembly.h"
#include "coroutines.h"

static volatile int zero;

NOINLINE static int recurse(int depth)
{
	int below = depth > 0 ? recurse(depth - 1) : (mark("recursion"), 0);

	KEEP();
	return below + 1;
}

static int odd(int n);

NOINLINE static int even(int n)
{
	if (n == 0)
		mark("mutual");
	return n > 0 ? odd(n - 1) + zero : 1;
}

NOINLINE static int odd(int n)
{
	return n > 0 ? even(n - 1) - zero : 0;
}

static int asked;

static int compare(const void *a, const void *b)
{
	if (!asked++)
		mark("compare");
	return *(const int *)a - *(const int *)b;
}

static int compare_r(const void *a, const void *b, void *argument)
{
	if (!(*(int *)argument)++)
		mark("qsort_r");
	return *(const int *)a - *(const int *)b;
}

static void visit(const void *node, VISIT order, int depth)
{
	(void)node;
	if (order == leaf || depth == 0)
		mark("twalk");
}

NOINLINE static void callbacks(void)
{
	int many[] = { 9, 3, 7, 1, 8, 2, 5, 4, 6, 0 }, key = 4, count = 0;
	void *tree = NULL;

	asked = 0;
	qsort(many, 10, sizeof(*many), compare);
	asked = 0;
	KEEP();
	bsearch(&key, many, 10, sizeof(*many), compare);
	qsort_r(many, 10, sizeof(*many), compare_r, &count);
	asked = 1;
	tsearch(&many[0], &tree, compare);
	tsearch(&many[1], &tree, compare);
	twalk(tree, visit);
	tdelete(&many[1], &tree, compare);
	tdelete(&many[0], &tree, compare);
}

static ssize_t cookie_write(void *cookie, const char *bytes, size_t size)
{
	(void)cookie;
	(void)bytes;
	mark("cookie");
	return (ssize_t)size;
}

NOINLINE static void inside_stdio(void)
{
	cookie_io_functions_t functions = { .write = cookie_write };
	FILE *file = fopencookie(NULL, "w", functions);

	setvbuf(file, NULL, _IONBF, 0);
	fprintf(file, "%d %s %f\n", 1, "two", 3.0);
	fclose(file);
}

static int each_module(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	(void)data;
	mark("iterate");
	return 1;
}

NOINLINE static double sum(int count, ...)
{
	double total = 0;
	va_list list;

	va_start(list, count);
	while (count-- > 0)
		total += va_arg(list, double);
	va_end(list);
	mark("varargs");
	return total + zero;
}

NOINLINE static void with_alloca(size_t size)
{
	char *bytes = alloca(size);

	memset(bytes, 0, size);
	mark("alloca");
	bytes = alloca(size * 3);
	memset(bytes, 0, size);
	mark("alloca again");
	KEEP();
}

NOINLINE static int with_vla(int size)
{
	int vla[size + 1];

	for (int i = 1; i < size; i += size / 2) {
		char inner[i * 8];

		memset(inner, 1, sizeof(inner));
		mark("vla");
		vla[i] = inner[i];
	}
	return vla[1];
}

NOINLINE static int big_frame(void)
{
	volatile char bytes[300000];

	bytes[0] = 1;
	mark("big");
	return bytes[0];
}

NOINLINE static int page_frame(int a, int b, int c, int d, int e, int f, int g,
			       int h, int i)
{
	volatile char bytes[5000];

	bytes[a] = (char)(b + c + d + e + f + g + h + i);
	mark("page");
	return bytes[a];
}

NOINLINE static int realigned(int value)
{
	_Alignas(64) volatile char bytes[128];

	bytes[0] = (char)value;
	mark("realigned");
	return bytes[0];
}

NOINLINE static int realigned_vla(int size, ...)
{
	_Alignas(64) volatile char bytes[128];
	volatile char vla[size];
	va_list list;

	va_start(list, size);
	vla[0] = bytes[0] = (char)va_arg(list, int);
	va_end(list);
	mark("realigned vla");
	return realigned(vla[0]) + bytes[0];
}

#ifndef __clang__
NOINLINE static int apply(int (*function)(int), int value)
{
	int result = function(value);

	KEEP();
	return result;
}

NOINLINE static int nested(int base)
{
	int add(int value)
	{
		mark("nested");
		return base += value;
	}
	return apply(add, 3) + add(4) + zero;
}
#endif

NOINLINE static int tail_end(int n)
{
	mark("tail");
	return n;
}

NOINLINE static int tail(int n)
{
	return n > 0 ? tail(n - 1) : tail_end(n);
}

NOINLINE static int tail_indirect(int (*function)(int), int n)
{
	return function(n);
}

static jmp_buf back;

__attribute__((noreturn)) NOINLINE static void jump_back(const char *name)
{
	mark(name);
	longjmp(back, 1);
}

NOINLINE static void never_returns(int value)
{
	char text[40];

	memset(text, value, sizeof(text));
	KEEP();
	jump_back("noreturn");
}

NOINLINE static void jumps(void)
{
	if (setjmp(back) == 0)
		never_returns(1);
	mark("longjmp");
	KEEP();
}

NOINLINE static void on_signal(int signal)
{
	mark(signal == SIGUSR2 ? "usr2" : "signal");
	if (signal == SIGUSR1)
		raise(SIGUSR2);
	KEEP();
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

NOINLINE static void signals(int flags)
{
	handle(SIGUSR1, on_signal, flags);
	handle(SIGUSR2, on_signal, flags);
	raise(SIGUSR1);
	KEEP();
	pthread_kill(pthread_self(), SIGUSR2);
	KEEP();
}

NOINLINE static void on_alternate(char *memory, size_t size)
{
	stack_t stack = { .ss_sp = memory, .ss_size = size }, old;

	sigaltstack(&stack, &old);
	signals(SA_ONSTACK);
	sigaltstack(&old, NULL);
	KEEP();
}

/* Alternate stacks below, above and beside the one that is left. */
NOINLINE static void alternate_stacks(void)
{
	static char fixed[128 * 1024];
	char own[128 * 1024];
	char *mapped = mmap(NULL, sizeof(fixed), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	on_alternate(fixed, sizeof(fixed));
	on_alternate(own, sizeof(own));
	on_alternate(mapped, sizeof(fixed));
	munmap(mapped, sizeof(fixed));
}

enum { TICKS = 20 };
static volatile int ticks;

static void on_tick(int signal)
{
	(void)signal;
	mark("tick");
	ticks++;
}

/* Once: gdb takes longer over a stack than any useful interval. */
static void tick_after(long microseconds)
{
	struct itimerval once = { .it_value = { 0, microseconds } };

	setitimer(ITIMER_REAL, &once, NULL);
}

/* Wherever the timer finds us: here, in libc, in the vdso, in a PLT stub. */
NOINLINE static void interrupted(void)
{
	char from[300], to[300];
	struct timespec now;

	memset(from, 'a', sizeof(from));
	from[299] = 0;
	handle(SIGALRM, on_tick, SA_RESTART);
	for (int asked = ticks = 0; ticks < TICKS;) {
		if (asked == ticks && asked < TICKS)
			tick_after(50 + 7 * asked++);
		clock_gettime(CLOCK_MONOTONIC, &now);
		snprintf(to, sizeof(to), "%ld %.3f %s", now.tv_nsec,
			 (double)now.tv_sec, from);
		free(malloc(strlen(strchr(to, 'a'))));
	}
}

static void on_abort(int signal)
{
	(void)signal;
	mark("abort");
	longjmp(back, 1);
}

NOINLINE static void aborts(void)
{
	sigset_t set;

	handle(SIGABRT, on_abort, 0);
	if (setjmp(back) == 0)
		abort();
	sigemptyset(&set);
	sigaddset(&set, SIGABRT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static pthread_key_t key;

static void at_thread_end(void *value)
{
	(void)value;
	mark("tsd");
	KEEP();
}

static void at_cancel(void *value)
{
	(void)value;
	mark("cleanup");
	KEEP();
}

static void called_once(void)
{
	mark("once");
	KEEP();
}

static void *thread(void *argument)
{
	static char alternate[64 * 1024];

	pthread_setspecific(key, argument);
	mark("thread");
	recurse(3);
	on_alternate(alternate, sizeof(alternate));
	pthread_cleanup_push(at_cancel, NULL);
	if (argument)
		pthread_exit(NULL);
	pthread_cleanup_pop(1);
	return NULL;
}

NOINLINE static void run_thread(void *argument)
{
	pthread_attr_t attributes;
	pthread_t id;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 128 * 1024);
	pthread_create(&id, argument ? &attributes : NULL, thread, argument);
	pthread_join(id, NULL);
}

NOINLINE static void threads(void)
{
	static pthread_once_t control = PTHREAD_ONCE_INIT;

	pthread_once(&control, called_once);
	if (!key)
		pthread_key_create(&key, at_thread_end);
	run_thread(NULL);
	run_thread(&key);
}

static void scenes(void)
{
	recurse(40);
	even(9);
	callbacks();
	inside_stdio();
	dl_iterate_phdr(each_module, NULL);
	sum(3, 1.0, 2.0, 3.0);
	with_alloca(100);
	with_vla(10);
	big_frame();
	page_frame(1, 2, 3, 4, 5, 6, 7, 8, 9);
	realigned(1);
	realigned_vla(100, 2);
#ifndef __clang__
	nested(5);
#endif
	tail(3);
	tail_indirect(tail, 2);
	jumps();
	signals(0);
	alternate_stacks();
	interrupted();
	aborts();
	threads();
	coroutines();
	assembly();
}

static void at_exit(void)
{
	mark("atexit");
	KEEP();
}

__attribute__((constructor)) static void before_main(void)
{
	mark("constructor");
	KEEP();
}

__attribute__((destructor)) static void after_main(void)
{
	mark("destructor");
	KEEP();
}

int main(void)
{
	_Alignas(64) volatile char aligned[64];

	aligned[0] = 0;
	atexit(at_exit);
	run_rounds(scenes);
	if (aligned[0] == 0)
		exit(0);
	return 1;
}
