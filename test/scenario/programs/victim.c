/* SPDX-License-Identifier: MIT */
/* victim.c - a shared library that depends on nothing, its names given by
 * -DNAME: NAME_shown is exported, NAME_hidden is not. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

static int JOIN(NAME, _hidden)(int x)
{
	return x + 1;
}

int JOIN(NAME, _shown)(int x);
int JOIN(NAME, _shown)(int x)
{
	return JOIN(NAME, _hidden)(x) * 2;
}

void *hidden_address(void);
void *hidden_address(void)
{
	return (void *)JOIN(NAME, _hidden);
}
