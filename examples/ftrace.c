/* SPDX-License-Identifier: MIT */
/* ftrace.c - a program that logs its calls when it is started with --ftrace, and pays
 * nothing without:
 *
 *	cc -fpatchable-function-entry=5 -o ftrace ftrace.c -lwhocallme
 *	./ftrace --ftrace
 */
#include <stdio.h>
#include <whocallme.h>

__attribute__((noinline)) static int square(int number)
{
	return number * number;
}

__attribute__((noinline)) static int squares_to(int number)
{
	int sum = 0;

	for (int i = 1; i <= number; i++)
		sum += square(i);
	return sum;
}

int main(int argc, char *argv[])
{
	wcm_flags(&argc, argv);
	printf("%d arguments left\n", argc - 1);
	return squares_to(4) == 30 ? 0 : 1;
}
