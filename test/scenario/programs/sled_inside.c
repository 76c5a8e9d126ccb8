/* SPDX-License-Identifier: MIT */
/* sled_inside.c - prints what the functions of sled_inside.S give back, and its data; one function
 * has a sled. */
#include <stdio.h>

int described(void);

__attribute__((noipa)) int has_one(int x)
{
	return x + 1;
}

int sized(void), bare(void);
extern const unsigned look[2];

__attribute__((patchable_function_entry(0, 0))) int main(void)
{
	for (int i = 0; i < 2; i++)
		printf("%d %x %x %x %x %x\n", has_one(i), (unsigned)described(),
		       (unsigned)sized(), (unsigned)bare(), look[0], look[1]);
	return 0;
}
