/* SPDX-License-Identifier: MIT */
/* callers.c - several callers, two callees: one of each kind of linkage.
 *
 * The callers are kept as functions; the callees are left to the optimiser.
 */
#include <whocallme.h>

#define CALLER __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("")

void shown(void);
void (*volatile indirect)(void);

void shown(void)
{
	who_call_me();
}

static void hidden(void)
{
	who_call_me();
}

CALLER static void first(void)
{
	shown();
	NO_TAIL_CALL;
}

CALLER static void second(void)
{
	hidden();
	NO_TAIL_CALL;
}

CALLER static void by_pointer(void)
{
	indirect();
	NO_TAIL_CALL;
}

int main(int argc, char *argv[])
{
	(void)argc;
	indirect = shown;
	if (init_function_table(argv[0]) != 0)
		return 1;
	first();
	second();
	by_pointer();
	shown();
	hidden();
	return 0;
}
