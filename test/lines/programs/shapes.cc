// SPDX-License-Identifier: MIT
// shapes.cc - C++ that inlines much: containers, algorithms, lambdas, exceptions.
#include "shapes.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <stdexcept>

namespace
{

struct by_area {
	bool operator()(const std::unique_ptr<shapes::shape> &a,
			const std::unique_ptr<shapes::shape> &b) const
	{
		return a->area() < b->area();
	}
};

std::map<std::string, double> sums(const shapes::list &list)
{
	std::map<std::string, double> result;

	for (const auto &shape : list)
		result[shape->name()] += shape->area();
	return result;
}

double total(const shapes::list &list,
	     const std::function<double(const shapes::shape &)> &measure)
{
	struct adder {
		const std::function<double(const shapes::shape &)> &measure;

		double operator()(double sum,
				  const std::unique_ptr<shapes::shape> &shape)
		{
			return sum + measure(*shape);
		}
	};

	return std::accumulate(list.begin(), list.end(), 0.0, adder{ measure });
}

} // namespace

int main(int argc, char *argv[])
{
	try {
		shapes::list list =
			shapes::read(std::vector<std::string>(argv + 1, argv + argc));
		double scale = argc;

		std::sort(list.begin(), list.end(), by_area());
		for (const auto &[name, area] : sums(list))
			std::cout << name << ": " << area << "\n";
		std::cout << total(list, [&](const shapes::shape &shape) {
			return scale * shape.area();
		}) << "\n";
	} catch (const std::exception &error) {
		std::cerr << "shapes: " << error.what() << "\n";
		return 1;
	}
	return 0;
}
