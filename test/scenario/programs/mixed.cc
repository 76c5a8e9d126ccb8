/* SPDX-License-Identifier: MIT */
/* mixed.cc - a few mangled names, two sections of code. */
namespace shop
{
int buy(int count, const char *what);
int buy(int count, const char *what)
{
	return count + *what;
}
}

extern "C" int plain(void);
__attribute__((section(".text.plain"))) int plain(void)
{
	return 1;
}

template <typename T> __attribute__((noinline)) T twice(T x)
{
	return x + x;
}

int use(int x);
int use(int x)
{
	return twice(x);
}
