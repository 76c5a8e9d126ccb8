/* SPDX-License-Identifier: MIT */
/* conventions.c - what i386 has besides the psABI's calls: arguments in registers, callees that
 * take their arguments off the stack, frames that align a stack of words, and signals in both
 * of the kernel's frames.  Built for position-independent code it has thunks, too, which tell
 * a function where it is. */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define IN_REGISTERS __attribute__((noinline, regparm(3)))
#define FAST __attribute__((noinline, fastcall))
#define CALLEE_POPS __attribute__((noinline, stdcall))
#define OF_A_CLASS __attribute__((noinline, thiscall))
#define ALIGNS __attribute__((noinline, force_align_arg_pointer))

struct large {
	int part[9];
};

typedef int IN_REGISTERS in_registers(int a, int b, int c);

volatile int sink; /* what others may see is found by the thunk */

static CALLEE_POPS int pops(int a, int b, int c, int d)
{
	sink += a;
	return d > 0 ? pops(b, c, d, d - 1) + 1 : c;
}

static IN_REGISTERS int fewer(int a, int b, int c)
{
	sink += b;
	return a > 0 ? fewer(a - 1, c, b) + pops(a, b, c, 1) : c;
}

static FAST int fast(int a, int b, int c, int d)
{
	sink += c;
	return a > 0 ? fast(a - 1, d, b, c) + fewer(1, a, b) : pops(a, b, c, d);
}

static OF_A_CLASS int member(struct large *self, int a, int b)
{
	self->part[a % 9] += b;
	return a > 0 ? member(self, a - 1, fast(b & 1, 1, 2, 3)) : self->part[0];
}

/* The caller hands over where the result goes, which the callee takes off. */
static NOINLINE struct large large(int a)
{
	struct large made = { { a } };

	made.part[8] = member(&made, 3, a);
	return a > 0 ? large(a - 1) : made;
}

static ALIGNS int aligned(int a, in_registers *function)
{
	_Alignas(64) volatile char bytes[64] = { 0 };

	bytes[a & 63] = (char)function(1, a, 2);
	sink += (int)((long)bytes & 63);
	return a > 0 ? aligned(a - 1, function) + bytes[1] : 0;
}

static NOINLINE int unknown(int count, ...)
{
	va_list list;
	int total = 0;

	va_start(list, count);
	for (; count > 0; count--)
		total += va_arg(list, int) + pops(1, 2, 3, 1);
	va_end(list);
	return total;
}

/* A word more, and another, on a stack that is aligned to no more. */
static NOINLINE int by_words(void)
{
	return unknown(1, 2) + unknown(2, 3, 4) + unknown(3, 5, 6, 7) + unknown(4, 8, 9, 10, 11);
}

static void on_plain(int number)
{
	sink += pops(number, 1, 2, 2);
}

static void on_info(int number, siginfo_t *info, void *context)
{
	sink += fewer(info->si_signo - number, 1, context != NULL);
}

static NOINLINE void interrupt(void)
{
	const struct sigaction plain = { .sa_handler = on_plain };
	const struct sigaction with_info = { .sa_sigaction = on_info, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &plain, NULL);
	sigaction(SIGUSR2, &with_info, NULL);
	raise(SIGUSR1);
	raise(SIGUSR2);
	kill(getpid(), SIGUSR1);
	syscall(SYS_kill, getpid(), SIGUSR2);
}

int main(void)
{
	sink += large(2).part[8] + fast(3, 1, 2, 3) + by_words();
	sink += aligned(2, fewer);
	interrupt();
	exit(0);
}
