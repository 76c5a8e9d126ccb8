/* SPDX-License-Identifier: MIT */
/* tree.c - calls that are known, whatever the compiler and the linker: main() calls
 * outer() twice, which calls inner() and, the first time, outer() again.  Prints where
 * they are. */
#include <stdio.h>

static volatile int sum;

static void inner(int n)
{
	sum += n;
}

void outer(int n)
{
	inner(n);
	if (n == 1)
		outer(n + 1);
}

int main(void)
{
	printf("%p main\n%p outer\n%p inner\n", (void *)main, (void *)outer,
	       (void *)inner);
	outer(1);
	outer(3);
	return sum == 6 ? 0 : 1;
}
