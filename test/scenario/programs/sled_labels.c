/* SPDX-License-Identifier: MIT */
/* sled_labels.c - functions with sleds of their own, next to those of sled_labels.S: it prints
 * what they give back. */
#include <stdio.h>
#ifdef LINKED
#include <whocallme.h>
#endif

int ends(void), stub(int), next(int), untyped(int);

/* Directly behind the label at the end of sled_labels.S. */
__attribute__((noipa, aligned(1))) int first(int x)
{
	return x * 2;
}

/* Some of the NOPs are in front of the entry. */
#define FRONT(n) \
	__attribute__((noipa, patchable_function_entry(5, n))) int front##n(int x) \
	{ \
		return x + n; \
	}
FRONT(1)
FRONT(2)
FRONT(4)
FRONT(5)

int main(int argc, char **argv)
{
#ifdef LINKED
	init_function_table(argv[0]);
	wcm_trace_start(&(struct wcm_trace_options){ .mode = WCM_TRACE_LOG });
#else
	(void)argv;
#endif
	for (int i = 0; i < 3; i++)
		printf("%d %d %d %d %d %d %d %d %d\n", ends(), stub(argc), next(2), untyped(3),
		       first(4), front1(5), front2(6), front4(7), front5(8));
	return 0;
}
