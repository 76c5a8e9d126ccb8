// SPDX-License-Identifier: MIT
// traced_throws.cc - exceptions through instrumented functions.
#include <cstdlib>
#include <stdexcept>

namespace {

void leaf()
{
	__asm__ volatile("");
}

void deeper()
{
	leaf();
}

void thrower(int left)
{
	if (left == 0)
		throw std::runtime_error("thrown");
	thrower(left - 1);
}

struct Guard {
	~Guard()
	{
		deeper();
	}
};

void guarded(int depth)
{
	Guard guard;

	thrower(depth);
}

void catcher(int depth)
{
	try {
		guarded(depth);
	} catch (const std::exception &) {
		deeper();
	}
	leaf();
}

void rethrower(int depth)
{
	try {
		thrower(depth);
	} catch (...) {
		leaf();
		throw;
	}
}

int compare(const void *a, const void *b)
{
	leaf();
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

}

int main()
{
	int numbers[] = { 3, 1, 2 };

	for (int i = 0; i < 4; i++)
		catcher(i);
	try {
		rethrower(2);
	} catch (...) {
		deeper();
	}
	qsort(numbers, 3, sizeof(*numbers), compare);
	leaf();
}
