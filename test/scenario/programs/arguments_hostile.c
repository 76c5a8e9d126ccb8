/* SPDX-License-Identifier: MIT */
/* arguments_hostile.c - gives library functions what cannot be shown, or not for long.
 *
 * With LIBRARY it is the library.  The program's argument says what is to happen; it prints how
 * often seen() was called, and how often something was not as it would be without a trace.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

int seen(const char *text);
int within(int (*inner)(void *), void *data);

#ifdef LIBRARY

int seen(const char *text)
{
	(void)text;
	return errno;
}

int within(int (*inner)(void *), void *data)
{
	return inner(data) + 1;
}

#else

enum { PAGE = 4096, OFTEN = 20000, DEEP = 20000, NUMBER = 1234 };

static long calls, wrong;

static void give(const void *text)
{
	errno = NUMBER;
	wrong += seen(text) != NUMBER;
	wrong += errno != NUMBER;
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

static char *map(size_t size, int protection)
{
	return mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void pointers(void)
{
	static const uintptr_t nowhere[] = { 0, 1, 8, PAGE - 1, -1UL, -8UL, -4096UL, 1UL << 63,
					     1UL << 47, (1UL << 47) - 1, (1UL << 47) - PAGE,
					     0xffffffffff600000 };
	char *none = map(PAGE, PROT_NONE), *only_written = map(PAGE, PROT_WRITE);
	char *two = map(2 * PAGE, PROT_READ | PROT_WRITE), *endless = map(1 << 20, PROT_READ);
	char binary[64];

	mprotect(two + PAGE, PAGE, PROT_NONE);
	memset(two, 'x', PAGE);
	for (int i = 0; i < 64; i++)
		binary[i] = (char)(i * 37 + 1);
	for (unsigned i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++)
		give((const void *)nowhere[i]);
	for (int back = 0; back <= 70; back++)
		give(two + PAGE - back);
	munmap(endless, 1 << 20);
	endless = map(1 << 20, PROT_READ | PROT_WRITE);
	memset(endless, 'y', 1 << 20);
	give(endless);
	give(none), give(none + PAGE - 1), give(only_written), give(binary);
}

static char *shared;
static int is_over;

/* Writes, and takes the page away and gives it back. */
static void *change(void *unused)
{
	for (unsigned i = 0; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); i++) {
		memset(shared, 'a' + i % 26, i % 60);
		shared[i % 60] = i % 3 ? '\0' : '\377';
		mmap(shared, PAGE, i % 2 ? PROT_NONE : PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		mmap(shared, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	return unused;
}

static void changing(void)
{
	pthread_t thread;

	shared = map(PAGE, PROT_READ | PROT_WRITE);
	pthread_create(&thread, NULL, change, NULL);
	for (int i = 0; i < OFTEN; i++)
		give(shared + i % 8);
	is_over = 1;
	pthread_join(thread, NULL);
}

static void closed(void)
{
	for (int fd = 3; fd < 2048; fd++)
		close(fd);
	for (int i = 0; i < OFTEN; i++)
		give("closed");
}

static sigjmp_buf back;

static int jump(void *data)
{
	give(data);
	siglongjmp(back, 1);
}

static void jumps(void)
{
	static volatile int i;

	for (i = 0; i < OFTEN; i++)
		if (!sigsetjmp(back, 0))
			within(jump, "left by a jump");
}

static int deeper(void *data)
{
	const long left = (long)data;

	give("deep");
	return left > 0 ? within(deeper, (void *)(left - 1)) : 0;
}

static void deep(void)
{
	wrong += within(deeper, (void *)DEEP) != DEEP + 1;
}

static void on_alarm(int signal)
{
	const int kept = errno;

	(void)signal;
	give("from a handler");
	errno = kept;
}

static void signals(void)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	char line[64];

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < OFTEN; i++) {
		give("amid handlers");
		snprintf(line, sizeof(line), "%d %s %g", i, "text", i / 2.);
		wrong += atoi(line) != i;
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

static int leave_thread(void *data)
{
	give(data);
	pthread_exit(NULL);
}

static void *thread(void *unused)
{
	within(leave_thread, "a thread that ends here");
	return unused;
}

static int leave(void *data)
{
	give(data);
	printf("%ld calls, %ld wrong\n", calls, wrong);
	exit(3);
}

static void ends(void)
{
	pthread_t threads[50];

	for (int i = 0; i < 50; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < 50; i++)
		pthread_join(threads[i], NULL);
	within(leave, "a program that ends here");
}

/* A format that is NULL is an error that glibc tells of. */
static void formats(void)
{
	char text[8];

	wrong += printf(NULL) != -1;
	wrong += fprintf(stdout, NULL) != -1;
	wrong += snprintf(text, sizeof(text), "%s %5.1f %d %Lg %c", "words", 2.5, 7, 1.5L,
			  'x') != 19;
	wrong += snprintf(NULL, 0, "%d%f%d%f%d%f%d%f%d%f", 1, 2., 3, 4., 5, 6., 7, 8., 9,
			  10.) != 46;
}

/* What it closes gives back 0, which is the last that is known of this program. */
static void another(void)
{
	give("before");
	close(dup(0));
	execl("/proc/self/exe", "arguments_hostile", "after", (char *)NULL);
}

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{ "pointers", pointers }, { "changing", changing }, { "closed", closed },
		{ "jumps", jumps }, { "deep", deep }, { "signals", signals }, { "ends", ends },
		{ "formats", formats }, { "another", another },
	};

	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
			ways[i].run();
	if (argc > 1 && strcmp(argv[1], "after") == 0) {
		give("after");
		close(dup(1)); /* what no program of a list calls is said */
	}
	printf("%ld calls, %ld wrong\n", calls, wrong);
	return 0;
}

#endif
