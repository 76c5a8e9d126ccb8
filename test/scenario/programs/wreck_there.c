/* SPDX-License-Identifier: MIT */
/* wreck_there.c - the library that wreck.c opens, and dies in. */
void die_here(volatile int *nowhere);

void die_here(volatile int *nowhere)
{
	*nowhere = 1;
}
