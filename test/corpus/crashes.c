/* SPDX-License-Identifier: MIT */
/* crashes.c - faults, judged from the faulting instruction outwards. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mark.h"

static int *volatile nothing;
static volatile int zero;
static void (*volatile null_function)(void);
static int (*volatile null_number)(int);

#if defined(__x86_64__) || defined(__i386__)
#define ILLEGAL "ud2"
#else
#define ILLEGAL ".word 0"
#endif

NOINLINE static int load_leaf(int *from)
{
	return *from;
}

NOINLINE static void store_leaf(int *to, int a, int b)
{
	to[1] = a * b;
}

NOINLINE static int framed(int *from, int count)
{
	volatile int copy[100];

	copy[count] = count;
	return copy[count] + from[count];
}

NOINLINE static int divide(int value)
{
	return value / zero;
}

NOINLINE static void illegal(void)
{
	__asm__ volatile(ILLEGAL);
}

NOINLINE static void null_call(void)
{
	null_function();
	KEEP();
}

NOINLINE static int null_tail_call(int value)
{
	return null_number(value);
}

NOINLINE static void wild_call(void *at)
{
	((void (*)(void))at)();
	KEEP();
}

NOINLINE static void unprintable_call(void)
{
	wild_call((void *)0x123456);
	KEEP();
}

NOINLINE static void clear_stack(void)
{
	volatile char bytes[1024];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 0;
}

/* qemu 7.2 reads the mask of riscv64's struct sigaction eight bytes too late: off the stack of
 * libc, which blocks a fault or not. */
NOINLINE static void lost_handler(void (*handler)(int))
{
	signal(SIGUSR2, SIG_DFL);
	clear_stack();
	signal(SIGUSR2, handler);
	raise(SIGUSR2);
	KEEP();
}

NOINLINE static int realigned(void)
{
	_Alignas(64) volatile char bytes[128];

	bytes[zero] = 1;
	return bytes[zero] + load_leaf(nothing);
}

NOINLINE static int endless(int depth)
{
	volatile char bytes[64];

	bytes[zero] = (char)depth;
	return endless(depth + 1) + bytes[zero];
}

static int compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	return load_leaf(nothing);
}

/* Run CRASH in a frame of its own; it ends in crash_return. */
#define CRASH(statement)                               \
	do {                                           \
		crash_name = "crash:" #statement;      \
		if (sigsetjmp(crash_return, 1) == 0) { \
			statement;                     \
			KEEP();                        \
		}                                      \
	} while (0)

static volatile int sink;

static void scenes(void)
{
	static char data[16] = "no code at all";
	int numbers[] = { 4, 3, 2, 1 };
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	CRASH(sink=load_leaf(nothing));
	CRASH(store_leaf(nothing,1,2));
	CRASH(sink=framed(nothing,5));
	CRASH(sink=divide(3));
	CRASH(illegal());
	CRASH(null_call());
	CRASH(sink=null_tail_call(1));
	CRASH(wild_call(data));
	CRASH(wild_call(page));
	CRASH(wild_call((void*)0x8000000000001234));
	CRASH(unprintable_call());
	CRASH(lost_handler((void(*)(int))page));
	CRASH(sink=realigned());
	CRASH(sink=(int)strlen((char*)nothing));
	CRASH(memcpy(page,data,zero+16));
	CRASH(memset(page,1,zero+4000));
	CRASH(qsort(numbers,4,4,compare));
	CRASH(free((char*)page+16));
	CRASH(sink=endless(0));
	munmap(page, 4096);
}

static void *thread(void *argument)
{
	(void)argument;
	catch_crashes();
	CRASH(sink=load_leaf(nothing));
	CRASH(null_call());
	return NULL;
}

int main(void)
{
	pthread_t id;

	catch_crashes();
	run_rounds(scenes);
	pthread_create(&id, NULL, thread, NULL);
	pthread_join(id, NULL);
	return 0;
}
