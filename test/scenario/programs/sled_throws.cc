// SPDX-License-Identifier: MIT
// sled_throws.cc - exceptions through functions that can be patched.
#include <cstdio>
#include <stdexcept>

#ifdef __clang__
#define OUTLINE __attribute__((noinline))
#else
#define OUTLINE __attribute__((noipa))
#endif

OUTLINE void leaf(int x) { __asm__ volatile("" : : "r"(x)); }
struct guard { ~guard() { leaf(7); } };
OUTLINE void throws(int x) { leaf(x); throw std::runtime_error("thrown"); }
OUTLINE void passes(int x) { guard g; throws(x); leaf(x); }
OUTLINE void catches(int x)
{
	try {
		passes(x);
	} catch (const std::exception &) {
		leaf(8);
	}
	leaf(9);
	__asm__ volatile("" ::: "memory"); // no call is the last thing done
}

int main()
{
	for (int i = 0; i < 3; i++)
		catches(i);
	std::puts("caught");
	return 0;
}
