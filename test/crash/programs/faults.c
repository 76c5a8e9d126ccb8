/* SPDX-License-Identifier: MIT */
/* faults.c - what one instruction, or one call of libc, can do. */
#define _GNU_SOURCE
#include <alloca.h>
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "deaths.h"

/* A frame of its own, also where the call is the last thing it does. */
#define STAY __asm__ volatile("")

#if defined(__x86_64__) || defined(__i386__)
#define UNDEFINED __asm__ volatile("ud2")
#define BREAKPOINT __asm__ volatile("int3")
#define ACCESS_ALIGNED(at) __asm__ volatile("movaps %%xmm0, (%0)" : : "r"(at) : "memory")
#elif defined(__aarch64__)
#define UNDEFINED __asm__ volatile("udf #0")
#define BREAKPOINT __asm__ volatile("brk #0")
#define ACCESS_ALIGNED(at) __asm__ volatile("ldaxr x9, [%0]" : : "r"(at) : "x9", "memory")
#elif defined(__riscv)
#define UNDEFINED __asm__ volatile(".4byte 0")
#define BREAKPOINT __asm__ volatile("ebreak")
#define ACCESS_ALIGNED(at) __asm__ volatile("lr.d t0, (%0)" : : "r"(at) : "t0", "memory")
#endif

static volatile int zero, sink;
static char *volatile wild =
	(char *)(uintptr_t)(UINTPTR_MAX > UINT32_MAX ? 0x123456789000 : 0x12345000);

void bare_read(void)
{
	sink = *(volatile int *)(uintptr_t)zero;
}

void null_read(void)
{
	ready();
	sink = *(volatile int *)(uintptr_t)zero;
}

/* Two functions of the source, one of the machine code. */
__attribute__((always_inline)) static inline void innermost_read(int value)
{
	sink = value;
	sink = value + *(volatile int *)(uintptr_t)zero;
}

void inlined_read(void)
{
	ready();
	innermost_read(1);
}

void wild_read(void)
{
	ready();
	sink = *(volatile char *)wild;
}

void write_to_text(void)
{
	ready();
	*(volatile char *)(uintptr_t)write_to_text = 1;
}

void null_call(void)
{
	ready();
	((void (*)(void))(uintptr_t)zero)();
	STAY;
}

void wild_call(void)
{
	ready();
	((void (*)(void))(uintptr_t)wild)();
	STAY;
}

void call_of_data(void)
{
	static char data[64];

	ready();
	((void (*)(void))(uintptr_t)data)();
	STAY;
}

int recurse(volatile char *above)
{
	volatile char here[64];

	here[0] = *above;
	return recurse(here) + here[0];
}

void recursion(void)
{
	volatile char start = 0;

	ready();
	sink = recurse(&start);
}

void by_alloca(void)
{
	ready();
	for (;;) {
		volatile char *part = alloca(256);

		part[0] = (char)zero;
	}
}

#if defined(__riscv)
/* Neither a call nor the beginning of a function stores at its frame's end. */
#define touch(frame) ((frame)[0] = (char)zero)
#else
__attribute__((noinline)) static void touch(volatile char *frame)
{
	frame[0] = (char)zero;
}
#endif

/* More than any stack here has. */
__attribute__((noinline)) void frame_of_16_mib(void)
{
	volatile char frame[16 * 1024 * 1024];

	touch(frame);
	sink = frame[zero];
}

void huge_frame(void)
{
	ready();
	frame_of_16_mib();
	STAY;
}

void by_abort(void)
{
	ready();
	abort();
}

void by_assert(void)
{
	ready();
	assert(zero == 1);
}

void division(void)
{
	ready();
	sink = 1000 / zero;
}

void undefined(void)
{
	ready();
	UNDEFINED;
}

void breakpoint(void)
{
	ready();
	BREAKPOINT;
}

void misaligned(void)
{
	static _Alignas(16) char bytes[32];

	ready();
	ACCESS_ALIGNED(bytes + 1 + zero);
}

/* The pages of a file that was cut short after it was mapped. */
void beyond_file(void)
{
	FILE *file = tmpfile();
	volatile char *page;

	if (!file || ftruncate(fileno(file), 8192) != 0)
		_exit(4);
	page = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fileno(file), 0);
	if (page == MAP_FAILED || ftruncate(fileno(file), 0) != 0)
		_exit(4);
	ready();
	sink = page[4096];
}

void by_kill(void)
{
	int is_main = getpid() == gettid();

	ready();
	if (is_main)
		kill(getpid(), SIGSEGV);
	else
		pthread_kill(pthread_self(), SIGSEGV);
	STAY;
}

void double_free(void)
{
	void *volatile block = malloc(24);

	ready();
	free(block);
	free(block);
	STAY;
}

/* The size of the arena's rest is overwritten by what lies below it. */
void corrupt_arena(void)
{
	char *volatile block = malloc(60000);

	memset(block + malloc_usable_size(block), 0x7f, sizeof(size_t));
	ready();
	block = malloc(61000);
	STAY;
}

/* malloc() follows a wild link of its own list, with the arena's lock held: this
 * process has other threads, so the lock is taken. */
void malloc_locked(void)
{
	char *volatile *volatile block = malloc(5000);
	void *volatile barrier = malloc(2000);

	free((void *)block);
	block[1] = wild;
	ready();
	barrier = malloc(9000);
	STAY;
}

void in_printf(void)
{
	ready();
	printf("%s\n", wild);
	STAY;
}
