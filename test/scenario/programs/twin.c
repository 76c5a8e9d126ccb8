/* SPDX-License-Identifier: MIT */
/* twin.c - a function that is called like one of lines.c. */
void twin_call(void (*function)(int *));

static int *volatile nowhere;

__attribute__((noinline, aligned(4096))) static void namesake(void (*function)(int *))
{
	function(nowhere);
	__asm__ volatile("");
}

void twin_call(void (*function)(int *))
{
	namesake(function);
	__asm__ volatile("");
}
