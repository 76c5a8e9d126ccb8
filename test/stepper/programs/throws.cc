// SPDX-License-Identifier: MIT
// throws.cc - exceptions through frames that clean up, virtual thunks, callbacks.
#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

static volatile long sink;

struct guard {
	NOINLINE ~guard() { sink++; }
};

NOINLINE static void dive(int depth)
{
	guard here;

	if (depth == 0)
		throw std::runtime_error("bottom");
	dive(depth - 1);
	sink++;
}

NOINLINE static void rethrow(int depth)
{
	try {
		dive(depth);
	} catch (const std::logic_error &) {
		sink++;
	} catch (...) {
		sink++;
		throw;
	}
}

struct left {
	virtual ~left() {}
	virtual long value() { return 1; }
	long l = 1;
};

struct right {
	virtual ~right() {}
	virtual long other() { return 2; }
	long r = 2;
};

struct both : virtual left, virtual right {
	NOINLINE long value() override { return l + sink; }
	NOINLINE long other() override { return r + sink; }
};

NOINLINE static long ask(left *a, right *b)
{
	return a->value() + b->other();
}

NOINLINE static void containers()
{
	std::vector<int> numbers;
	std::map<std::string, int> names;

	for (int i = 0; i < 60; i++)
		numbers.push_back(i * 37 % 61);
	std::sort(numbers.begin(), numbers.end(),
		  [](int a, int b) { return a > b; });
	for (int i = 0; i < 10; i++)
		names["a name that is too long for the inside " +
		      std::to_string(i)] = i;
	std::function<void(int)> visit = [&](int depth) {
		if (depth > 0)
			visit(depth - 1);
		sink += numbers[0];
	};
	visit(5);
}

int main()
{
	both object;

	for (int depth = 0; depth < 3; depth++)
		try {
			rethrow(depth);
		} catch (const std::exception &caught) {
			sink += caught.what()[0];
		}
	sink += ask(&object, &object);
	containers();
	return 0;
}
