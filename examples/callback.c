/* SPDX-License-Identifier: MIT */
/* callback.c - who calls a callback?  The stack inside qsort()'s. */
#include <stdlib.h>
#include <whocallme.h>

static int compare(const void *left, const void *right)
{
	static int asked;

	if (!asked++) {
		who_call_me();
		full_backtrace();
	}
	return *(const int *)left - *(const int *)right;
}

static void sort_numbers(void)
{
	int numbers[] = { 3, 1, 2 };

	qsort(numbers, 3, sizeof(*numbers), compare);
}

int main(int argc, char *argv[])
{
	(void)argc;
	init_function_table(argv[0]);
	sort_numbers();
	return 0;
}
