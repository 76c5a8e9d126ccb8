/* SPDX-License-Identifier: MIT */
/* arguments_replayed.c - functions whose calls uftrace records with values of each kind. */
#include <stdio.h>
#include <string.h>

enum color { RED, GREEN, BLUE = 7 };

int put(const char *text, int number, long large, unsigned plain, short narrow, void *at,
	char character, double real, float small)
{
	(void)text, (void)large, (void)plain, (void)narrow, (void)at;
	(void)character, (void)real, (void)small;
	return number;
}

enum color pick(enum color color, char character)
{
	return character ? color : RED;
}

const char *name(int number)
{
	return number ? "a text that is somewhat longer than others, and is cut perhaps" : NULL;
}

double half(double number)
{
	return number / 2;
}

int main(void)
{
	put("text", -5, 123456789, 4000000000u, -3, put, 'x', 2.5, -1e10f);
	put(NULL, 100001, -100001, 7, 3, NULL, '9', 1 / 3., 0);
	put("", 100000, -100000, 7, 3, (void *)0x123, '\n', 1e30, 0);
	put((const char *)8, 0x7fffffff, -1, 0, 0, (void *)-1L, ' ', 0, 0);
	pick(GREEN, 'a'), pick(BLUE, '\0'), pick((enum color)3, '\n');
	name(0), name(1);
	half(3), half(-0.1);
	return 0;
}
