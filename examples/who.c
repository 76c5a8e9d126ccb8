/* SPDX-License-Identifier: MIT */
/* who.c - the original library's test program: each function says who called
 * it. */
#include <whocallme.h>

void test(void);
void test_a(void);
void test_b(void);
void test_c(void);

void test(void)
{
	who_call_me();
}

void test_a(void)
{
	test_b();
	test_c();
}

void test_b(void)
{
	test();
}

void test_c(void)
{
	who_call_me();
}

int main(int argc, char *argv[])
{
	(void)argc;
	init_function_table(argv[0]);
	test();
	test_a();
	test_b();
	test_c();
}
