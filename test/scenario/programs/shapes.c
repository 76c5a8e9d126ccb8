/* SPDX-License-Identifier: MIT */
/* shapes.c - functions that compilers split, clone, resolve late or end with a
 * call. */
#include <stdlib.h>
#include <whocallme.h>

#define KEPT __attribute__((noinline))

int plain_work(int x);
int late(int x);
void ends_with_call(void);
int has_cold_part(int argc);

static void ask(void)
{
	who_call_me();
}

__attribute__((noreturn)) KEPT static void leave(void)
{
	who_call_me();
	full_backtrace();
	exit(0);
}

/* The call is the last instruction: its return address is past the end. */
KEPT void ends_with_call(void)
{
	leave();
}

int plain_work(int x)
{
	return x + 1;
}

static int (*resolve_late(void))(int)
{
	return plain_work;
}
int late(int x) __attribute__((ifunc("resolve_late")));

__attribute__((cold)) KEPT static void asked_in_cold_part(void)
{
	ask();
	full_backtrace();
}

KEPT int has_cold_part(int argc)
{
	if (__builtin_expect(argc > 1, 0)) {
		asked_in_cold_part();
		__asm__ volatile("");
		argc *= 3;
	}
	return argc;
}

KEPT static int cloned(int x, int always)
{
	volatile int sum = x;

	for (int i = 0; i < always; i++)
		sum += i * always;
	ask();
	__asm__ volatile("");
	return sum;
}

int main(int argc, char *argv[])
{
	init_function_table(argv[0]);
	if (argc > 2)
		ends_with_call();
	return (has_cold_part(argc) + late(argc) + cloned(argc, 77)) & 0;
}
