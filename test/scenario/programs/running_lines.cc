// SPDX-License-Identifier: MIT
// running_lines.cc - inlined templates and members of C++, and their lines.
#include <algorithm>
#include <cstdio>
#include <link.h>
#include <vector>
#include <whocallme.h>

namespace shop {

volatile int turns;

struct Sum {
	int value = 0;
	template <typename T> __attribute__((always_inline)) void add(const T &item)
	{
		turns = turns + 1;
		value += static_cast<int>(item);
		show();
		turns = turns + 1;
	}
	__attribute__((noinline)) void show() const
	{
		who_call_me();
		full_backtrace();
		turns = turns + 1;
	}
};

struct Adder {
	Sum *sum;
	void operator()(double item) const
	{
		sum->add(item);
	}
};

int note_bias(dl_phdr_info *info, size_t, void *bias)
{
	*static_cast<unsigned long *>(bias) = info->dlpi_addr;
	return 1;
}

} // namespace shop

int main(int, char *argv[])
{
	std::vector<double> items{ 1.0 };
	unsigned long bias = 0;
	shop::Sum sum;

	init_function_table(argv[0]);
	dl_iterate_phdr(shop::note_bias, &bias);
	std::printf("%#lx\n", bias);
	std::fflush(stdout);
	std::for_each(items.begin(), items.end(), shop::Adder{ &sum });
	return sum.value - 1;
}
