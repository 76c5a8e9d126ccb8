/* SPDX-License-Identifier: MIT */
/* hook.c - every call of a program built with -finstrument-functions:
 *
 *	WHOCALLME_TRACE=pairs ./hook
 */
#include <stdio.h>

static int square(int number)
{
	return number * number;
}

static int sum_of_squares(int count)
{
	int sum = 0;

	for (int number = 1; number <= count; number++)
		sum += square(number);
	return sum;
}

int main(void)
{
	printf("%d\n", sum_of_squares(3));
	return 0;
}
