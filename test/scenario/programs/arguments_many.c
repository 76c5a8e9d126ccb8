/* SPDX-License-Identifier: MIT */
/* arguments_many.c - calls library functions a million times, and prints what each is given as
 * uftrace dump shows it: a string, or the digits of a number in hexadecimal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 333334, LONGEST = 31 };

static volatile long kept;

int main(void)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDE";
	static char line[1 << 16];
	unsigned long seed = 4711;

	setvbuf(stdout, line, _IOFBF, sizeof(line));
	for (int i = 0; i < ROUNDS; i++) {
		const char *text;
		unsigned long size;
		int number;
		long large;

		seed = seed * 6364136223846793005 + 1442695040888963407;
		text = letters + LONGEST - (seed >> 59);
		size = seed >> 20 & 0xffffff | 1;
		number = (int)(seed >> 32) | 1;
		large = (long)seed | 1;
		kept = (long)strnlen(text, size);
		printf("%s\n%lx\n", text, size);
		kept = labs(large);
		printf("%lx\n", large);
		kept = abs(number);
		printf("%x\n", number);
	}
	return 0;
}
