/* SPDX-License-Identifier: MIT */
/* crash.c - a program that says where it died.  Its exit status is still the
 * signal, and its core still what it would have been. */
#include <whocallme.h>

static int deepest(const int *pointer)
{
	return *pointer;
}

static int middle(const int *pointer)
{
	return deepest(pointer) + 1;
}

int main(int argc, char *argv[])
{
	init_function_table(argv[0]);
	wcm_crash_install(NULL);
	return middle(argc > 100 ? &argc : NULL);
}
