/* SPDX-License-Identifier: MIT */
/* sled_calls.c - the same calls however the program is built: none of them is inlined,
 * split, or made into another. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __clang__
#define OUTLINE __attribute__((noinline))
#else
#define OUTLINE __attribute__((noipa))
#endif
#define END __asm__ volatile("" ::: "memory") /* no call is the last thing done */

static jmp_buf away;

OUTLINE void leaf(int x) { __asm__ volatile("" : : "r"(x)); }
OUTLINE void twice(int x) { leaf(x); leaf(x + 1); END; }
OUTLINE void deep(int x) { if (x > 0) deep(x - 1); else twice(x); END; }
OUTLINE void jumps(int x) { leaf(x); longjmp(away, 1); }
OUTLINE void is_left(int x) { jumps(x); END; }
OUTLINE void comes_back(void) { if (setjmp(away) == 0) is_left(1); leaf(9); END; }
OUTLINE void loop(void) { for (int i = 0; i < 5; i++) leaf(i); END; }
static OUTLINE int ascending(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
OUTLINE void sorts(void) { int n[] = { 3, 1, 2 }; qsort(n, 3, sizeof(*n), ascending); END; }

int main(void)
{
	twice(1);
	deep(3);
	comes_back();
	loop();
	sorts();
	puts("done");
	return 0;
}
