// SPDX-License-Identifier: MIT
// linked.cc - functions that several files have, of which a linker keeps one copy each: built as
// it is and with -DOTHER.
#include <cstdio>
#include <vector>

int other(std::vector<int> &numbers);

template <class T>
__attribute__((noinline)) T sum(const std::vector<T> &numbers)
{
	T sum = 0;

	for (T number : numbers)
		sum += number;
	return sum;
}

#ifdef OTHER
static __attribute__((noinline)) int add(std::vector<int> &numbers)
{
	numbers.push_back(2);
	return sum(numbers);
}

int other(std::vector<int> &numbers)
{
	numbers.push_back(5);
	return add(numbers);
}
#else
int main()
{
	std::vector<int> numbers;

	numbers.push_back(1);
	const int all = other(numbers);
	std::printf("%d %d\n", all, sum(numbers));
}
#endif
