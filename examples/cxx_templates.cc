// SPDX-License-Identifier: MIT
// cxx_templates.cc - templates, of std:: as well, are compiled with the program, flag
// and all: sort() is many calls.  -F 'is_less*,main' leaves the program's own.
//
//	c++ -finstrument-functions -o cxx_templates cxx_templates.cc
//	whocallme trace ./cxx_templates
#include <algorithm>

template <class Type> static bool is_less(Type left, Type right)
{
	return left < right;
}

int main()
{
	int numbers[] = { 3, 1, 2 };

	std::sort(numbers, numbers + 3, is_less<int>);
	return numbers[0] != 1;
}
