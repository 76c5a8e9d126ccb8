// SPDX-License-Identifier: MIT
// recorded.cc - names and exceptions of C++ to record.
#include <stdexcept>

namespace ns {

struct shape {
	int size;
	explicit shape(int n) : size(n) {}
	virtual ~shape() {}
	virtual int area(int scale) const { return size * scale; }
	explicit operator bool() const { return size != 0; }
	int operator()(int n) { return n + size; }
	bool operator<(const shape &other) const { return size < other.size; }
	template <class T> T as(T value) { return value; }
};

template <class T> T twice(T value) { return value + value; }

} // namespace ns

namespace {

int hidden(int n) { return n; }

int thrower(int depth)
{
	ns::shape local(depth);

	if (depth == 0)
		throw std::runtime_error("out");
	return thrower(depth - 1) + local.size;
}

int catcher()
{
	try {
		return thrower(3);
	} catch (const std::exception &) {
		return hidden(1);
	}
}

} // namespace

int main()
{
	ns::shape one(1), two(2);
	auto lambda = [](int n) { return n + 1; };

	if (one && one < two)
		one(one.area(2));
	one.as<double>(2);
	ns::twice<int>(lambda(1));
	return catcher() == 1 ? 0 : 1;
}
