/* SPDX-License-Identifier: MIT */
/* main.c - crash DEATH main|small|before COUNT: die, in a thread of that kind.
 *
 * Built twice: LINKED with the library, and knowing nothing of it.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef LINKED
#include <whocallme.h>
#endif

#include <sys/syscall.h>

#include "deaths.h"

enum { HUGE_GUARD = 32 * 1024 * 1024, PAINT = 0xa5 };

static const struct {
	const char *name;
	void (*run)(void);
} deaths[] = {
#define X(name) { #name, name },
	DEATH_MAP(X)
#undef X
};

/* In the allocator that the matrix preloads. */
extern int malloc_forbidden __attribute__((weak));

/* The kernel's own word: the library answers that there is none where it is the library's. */
static long alternate_stack(stack_t *stack)
{
	long result = SYS_sigaltstack;

#if defined(__x86_64__)
	__asm__ volatile("syscall" : "+a"(result) : "D"(NULL), "S"(stack)
			 : "rcx", "r11", "memory");
#elif defined(__i386__)
	__asm__ volatile("int $0x80" : "+a"(result) : "b"(NULL), "c"(stack) : "memory");
#elif defined(__aarch64__)
	register long number __asm__("x8") = result;
	register void *new __asm__("x0") = NULL;
	register stack_t *old __asm__("x1") = stack;

	__asm__ volatile("svc 0" : "+r"(new) : "r"(old), "r"(number) : "memory");
	result = (long)new;
#else
	result = sigaltstack(NULL, stack);
#endif
	return result;
}

/* A block on which a handler runs already is in use, and not painted. */
static void paint(stack_t *stack)
{
	if (alternate_stack(stack) != 0 || (stack->ss_flags & SS_DISABLE))
		stack->ss_size = 0;
	else if (stack->ss_flags & SS_ONSTACK)
		stack->ss_sp = NULL;
	else
		memset(stack->ss_sp, PAINT, stack->ss_size);
}

void ready(void)
{
	struct timespec now;
	char text[128];
	stack_t stack;
	int length;

	paint(&stack);
	clock_gettime(CLOCK_MONOTONIC, &now);
	length = snprintf(text, sizeof(text), "ready %d %d %lld.%09ld %p %zu\n",
			  (int)getpid(), (int)gettid(), (long long)now.tv_sec,
			  now.tv_nsec, stack.ss_sp, stack.ss_size);
	if (write(1, text, (size_t)length) != length)
		_exit(6);
	if (&malloc_forbidden)
		malloc_forbidden = 1;
}

static void (*death)(void);
static sem_t go, waiting;

void *small_thread(void *argument)
{
	begin_victim();
	while (sem_wait(&go) != 0)
		;
	death();
	return argument;
}

/* Others, whose stacks must be in the report as well. */
void main_waits(int count)
{
	early_threads_run(death);
	for (int i = 0; i < count; i++)
		sem_post(&go);
	for (;;)
		pause();
}

void bystander_waits(void)
{
	sem_post(&waiting);
	for (;;)
		pause();
}

void *bystander(void *argument)
{
	pthread_setname_np(pthread_self(), "bystander");
	bystander_waits();
	return argument;
}

static void make_thread(void *(*run)(void *), size_t stack, size_t guard)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	pthread_attr_init(&attributes);
	if (stack)
		pthread_attr_setstacksize(&attributes, stack);
	if (guard)
		pthread_attr_setguardsize(&attributes, guard);
	error = pthread_create(&thread, &attributes, run, NULL);
	if (error) {
		fprintf(stderr, "pthread_create: %s\n", strerror(error));
		_exit(5);
	}
}

#ifdef LINKED
static void callback(const void *info, void *ucontext, void *data)
{
	(void)info, (void)ucontext;
	*(volatile int *)data = 1;
}

static void install(const char *name)
{
	struct wcm_crash_options options = { .file = getenv("CRASH_FILE") };
	enum wcm_status status;

	if (strcmp(name, "in_callback") == 0)
		options.callback = callback;
	if (getenv("CRASH_ANY_DESCRIPTOR"))
		options.flags = WCM_CRASH_ANY_DESCRIPTOR;
	status = init_function_table(NULL) ? WCM_ESYSTEM
					   : wcm_crash_install(&options);
	if (status == WCM_OK)
		return;
	fprintf(stderr, "install: %s\n", wcm_status_text(status));
	_exit(7);
}
#else
static void install(const char *name)
{
	(void)name;
}
#endif

static void die(const char *where, int count, int huge)
{
	enum { SMALL = 16 * 1024 };
	int is_main = strcmp(where, "main") == 0;
	int made = strcmp(where, "before") == 0 ? count : is_main;

	for (; made < count; made++)
		make_thread(small_thread, is_main ? 0 : SMALL,
			    huge ? HUGE_GUARD : 0);
	if (!is_main)
		main_waits(count);
	for (int i = 1; i < count; i++)
		sem_post(&go);
	death();
}

int main(int argc, char *argv[])
{
	if (argc != 4)
		return 2;
	install(argv[1]);
	sem_init(&waiting, 0, 0);
	sem_init(&go, 0, 0);
	make_thread(bystander, 0, 0);
	sem_wait(&waiting);
	for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		if (strcmp(argv[1], deaths[i].name) == 0)
			death = deaths[i].run;
	if (!death)
		return 2;
	die(argv[2], atoi(argv[3]), strcmp(argv[1], "huge_frame") == 0);
	return 3;
}
