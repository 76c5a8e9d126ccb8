/* SPDX-License-Identifier: MIT */
/* twin.c - a function that is called like one of lines.c. */
void twin_call(void (*function)(void));

__attribute__((noinline)) static void namesake(void (*function)(void))
{
	function();
	__asm__ volatile("");
}

void twin_call(void (*function)(void))
{
	namesake(function);
	__asm__ volatile("");
}
