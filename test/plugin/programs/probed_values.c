/* SPDX-License-Identifier: MIT */
/* probed_values.c - functions with parameters and results of all kinds, for mode=probes. */
#include <stdio.h>

struct large {
	long words[4];
};

__attribute__((noipa)) short narrow(signed char c, unsigned short s, const char *text, long wide)
{
	return (short)(c + s + text[0] + (int)wide);
}

__attribute__((noipa)) struct large large(struct large given, int number)
{
	given.words[0] += number;
	return given;
}

__attribute__((noipa)) int sibling(int number)
{
	return narrow((signed char)number, 2, "t", -5);
}

__attribute__((noipa)) void nothing(void)
{
}

__attribute__((noipa)) unsigned long addressed(unsigned long number)
{
	unsigned long *volatile at = &number;

	*at += 5;
	return number;
}

__attribute__((noipa)) int thirteen(int a, int b, int c, int d, int e, int f, int g, int h, int i,
				    int j, int k, int l, int m)
{
	return a + b + c + d + e + f + g + h + i + j + k + l + m;
}

int main(void)
{
	const struct large given = { { 1, 2, 3, 4 } };

	nothing();
	printf("%d ", narrow(-1, 2, "a", 5000000000));
	printf("%lu ", addressed(37));
	printf("%ld %d ", large(given, 2).words[0], sibling(3));
	printf("%d\n", thirteen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
	return 0;
}
