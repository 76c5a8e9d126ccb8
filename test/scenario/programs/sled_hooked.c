/* SPDX-License-Identifier: MIT */
/* sled_hooked.c - has functions of its own called at every entry. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <whocallme.h>

#define OUTLINE __attribute__((noinline))
/* So that the compiler takes a call for one that may do anything. */
#define ANYTHING() __asm__ volatile("" ::: "memory")
#define UNTRACED __attribute__((patchable_function_entry(0)))

typedef double vector __attribute__((vector_size(16)));

extern __thread int calls;
extern __thread uintptr_t latest, returns_to, stack;
__thread int calls;
__thread uintptr_t latest, returns_to, stack;
extern int wrong;
int wrong;

OUTLINE static double waste(double x)
{
	ANYTHING();
	return x * 1.5 + 2;
}

OUTLINE static double sum(int count, ...)
{
	double total = 0;
	va_list list;

	ANYTHING();
	va_start(list, count);
	while (count-- > 0)
		total += va_arg(list, double);
	va_end(list);
	return total;
}

OUTLINE static vector add(vector a, vector b)
{
	ANYTHING();
	return a + b;
}

OUTLINE static uintptr_t returned(void)
{
	ANYTHING();
	return (uintptr_t)__builtin_return_address(0);
}

/* It has sleds itself, calls what has, and spoils what it may. */
static void count(const struct wcm_entry *entry)
{
	volatile vector spoilt = { waste(entry->sp & 7), 3 };

	wrong += strcmp(entry->data, "data") != 0;
	latest = entry->func;
	returns_to = entry->site;
	stack = entry->sp;
	calls++;
	errno = (int)add(spoilt, spoilt)[1];
}

UNTRACED static void *work(void *argument)
{
	const int before = calls;

	for (int i = 0; i < 100000; i++) {
		errno = 4;
		wrong += sum(3, 1.0, 2.0, (double)i) != 3.0 + i;
		wrong += latest != (uintptr_t)sum || errno != 4;
		wrong += add((vector){ 1, i }, (vector){ 2, i })[1] != 2.0 * i;
		wrong += latest != (uintptr_t)add;
		wrong += returned() != returns_to;
		wrong += stack > (uintptr_t)__builtin_frame_address(0);
	}
	if (calls - before != 300000)
		printf("%d calls\n", calls - before);
	return argument;
}

static jmp_buf back;

static void leave(const struct wcm_entry *entry)
{
	calls++;
	if (entry->func == (uintptr_t)returned)
		longjmp(back, 1);
}

static int plain_calls;

static void plain(void)
{
	__atomic_fetch_add(&plain_calls, 1, __ATOMIC_RELAXED);
}

UNTRACED int main(void)
{
	pthread_t thread[4];

	wcm_hook_set(count, "data");
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("wrong %d\n", wrong);

	wcm_hook_set(leave, NULL);
	calls = 0;
	for (volatile int i = 0; i < 3; i++)
		if (setjmp(back) == 0)
			returned();
	printf("left %d\n", calls);

	wcm_hook(plain);
	sum(1, 2.0);
	sum(1, 2.0);
	wcm_hook(NULL);
	sum(1, 2.0);
	printf("plain %d\n", plain_calls);
	return 0;
}
