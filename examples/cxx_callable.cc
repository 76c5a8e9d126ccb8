// SPDX-License-Identifier: MIT
// cxx_callable.cc - lambdas, callbacks and inline functions are functions, too.
//
//	c++ -finstrument-functions -o cxx_callable cxx_callable.cc
//	whocallme trace ./cxx_callable
#include <cstdlib>

inline int next(int number) // seen, though it is inlined
{
	return number + 1;
}

static int compare(const void *left, const void *right) // seen
{
	return *static_cast<const int *>(left) - *static_cast<const int *>(right);
}

int main(int argc, char *[])
{
	auto twice = [](int number) { return 2 * number; }; // seen
	int numbers[] = { twice(argc), next(0) };

	// Not seen: it was not compiled with the flag.
	std::qsort(numbers, 2, sizeof(int), compare);
	return numbers[0] != 1;
}
