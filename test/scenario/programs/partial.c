/* SPDX-License-Identifier: MIT */
/* partial.c - exported functions, with an alias and versions, and one that is not. */
#include <whocallme.h>

__attribute__((noinline, used)) static int hidden(int number)
{
	return number + 1;
}

__attribute__((noinline)) int exported(int number)
{
	who_call_me();
	return hidden(number) * 2;
}

int __other(int number) __attribute__((alias("exported")));

__asm__(".symver versioned_1, versioned@V1\n.symver versioned_2, versioned@@V2");

int versioned_1(int number)
{
	return number;
}

int versioned_2(int number)
{
	return -number;
}

int main(int argc, char *argv[])
{
	init_function_table(argv[0]);
	return exported(argc) != 2 * (argc + 1);
}
