/* SPDX-License-Identifier: MIT */
/* calls.c - the ways in which a C program calls: recursion, callbacks, variable
 * arguments, frames of a size known late, tail calls, realigned stacks. */
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static volatile long sink;

static NOINLINE int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static NOINLINE void sort_and_search(void)
{
	int number[40];

	for (int i = 0; i < 40; i++)
		number[i] = i * 7919 % 101;
	qsort(number, 40, sizeof(*number), compare);
	sink += bsearch(&number[13], number, 40, sizeof(*number), compare) !=
		NULL;
}

static NOINLINE int sum(int count, ...)
{
	va_list list;
	int total = 0;

	va_start(list, count);
	while (count-- > 0)
		total += va_arg(list, int);
	va_end(list);
	return total;
}

static NOINLINE void print(void)
{
	char text[200];

	snprintf(text, sizeof(text), "%d %s %g %p %5.3f %lx", 42, "text", 1e100,
		 (void *)text, 3.14159, -1L);
	sink += (long)strlen(text) + sum(5, 1, 2, 3, 4, 5) + atoi("1234") +
		(long)strtod("2.5e3", NULL);
}

static NOINLINE void fill(char *bytes, size_t size)
{
	memset(bytes, 1, size);
	sink += bytes[size / 2];
}

static NOINLINE void on_the_stack(size_t size)
{
	char *block = alloca(size);
	char array[size + 3];

	fill(block, size);
	fill(array, sizeof(array));
}

static NOINLINE void big_frame(void)
{
	char block[70000];

	fill(block, sizeof(block));
}

struct wide {
	_Alignas(64) char bytes[64];
};

static NOINLINE void realigned(int a, int b, int c, int d, int e, int f, int g)
{
	struct wide wide;
	char *more = alloca((size_t)g);

	fill(wide.bytes, sizeof(wide.bytes));
	fill(more, (size_t)g);
	sink += a + b + c + d + e + f + g;
}

static NOINLINE long last(long a)
{
	return a * sink;
}

static NOINLINE long middle(long a)
{
	return last(a + 1);
}

static NOINLINE long first(long a)
{
	return middle(a + 1);
}

static NOINLINE long odd(long n);

static NOINLINE long even(long n)
{
	return n == 0 ? 1 : odd(n - 1);
}

static NOINLINE long odd(long n)
{
	return n == 0 ? 0 : even(n - 1);
}

struct block {
	long word[12];
};

static NOINLINE struct block by_value(struct block block)
{
	block.word[3] += sink;
	return block;
}

static NOINLINE void memory(void)
{
	char *block = malloc(100);

	block = realloc(block, 200000);
	free(block);
	free(calloc(10, 10));
}

static NOINLINE void clocks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sink += time(NULL) + now.tv_nsec;
}

int main(void)
{
	struct block block = { { 0 } };

	sink += fibonacci(9);
	sort_and_search();
	print();
	on_the_stack(100);
	big_frame();
	realigned(1, 2, 3, 4, 5, 6, 77);
	sink += first(1) + even(20) + by_value(block).word[3];
	memory();
	clocks();
	puts("done");
	return 0;
}
