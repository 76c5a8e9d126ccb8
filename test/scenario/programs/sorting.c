/* SPDX-License-Identifier: MIT */
/* sorting.c - called back by one of libc's static functions. */
#include <stdlib.h>
#include <whocallme.h>

int compare(const void *left, const void *right);
int compare(const void *left, const void *right)
{
	who_call_me();
	return *(const int *)left - *(const int *)right;
}

int main(int argc, char *argv[])
{
	int numbers[] = { 2, 1 };

	(void)argc;
	init_function_table(argv[0]);
	qsort(numbers, 2, sizeof(*numbers), compare);
	return 0;
}
