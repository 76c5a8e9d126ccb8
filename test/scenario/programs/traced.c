/* SPDX-License-Identifier: MIT */
/* traced.c - a program built with -finstrument-functions; its argument says
 * what it does besides the calls. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef CONTROLLED
#include <whocallme.h>
#endif

enum { THREADS = 4, CALLS = 500 };

void test(void);
void test_a(void);
void test_b(void);
void test_c(void);

void test(void)
{
}

void test_a(void)
{
	test_b();
	test_c();
}

void test_b(void)
{
	test();
}

void test_c(void)
{
}

static void the_calls(void)
{
	test();
	test_a();
	test_b();
	test_c();
}

static void *thread_body(void *argument)
{
	for (int i = 0; i < CALLS; i++)
		test_b();
	return argument;
}

static void threads(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, thread_body, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void keeps_errno(void)
{
	errno = EXDEV;
	test_a();
	printf("%d\n", errno == EXDEV);
}

static void plugin(const char *path)
{
	void *opened = dlopen(path, RTLD_NOW);
	void (*run)(void) = (void (*)(void))dlsym(opened, "plugin_run");

	run();
	dlclose(opened);
}

static void controlled(void)
{
#ifdef CONTROLLED
	struct wcm_trace_options options = { .fd = 1 }, unknown = { .mode = 99 };

	test();
	if (wcm_trace_start(&unknown) != WCM_EINVAL)
		puts("an unknown mode was taken");
	if (wcm_trace_start(&options) != WCM_OK)
		puts("not started");
	test_b();
	wcm_trace_stop();
	test_a();
	wcm_trace_start(NULL);
	test_c();
	wcm_trace_stop();
#endif
}

int main(int argc, char *argv[])
{
	if (argc < 2)
		the_calls();
	else if (strcmp(argv[1], "threads") == 0)
		threads();
	else if (strcmp(argv[1], "errno") == 0)
		keeps_errno();
	else if (strcmp(argv[1], "plugin") == 0)
		plugin(argv[2]);
	else if (strcmp(argv[1], "controlled") == 0)
		controlled();
	return 0;
}
