/* SPDX-License-Identifier: MIT */
/* traced.cc - C++ with the hooks: a method, a constructor, an exception. */
#include <stdexcept>

struct Thing {
	Thing();
	void work(int depth);
};

Thing::Thing()
{
}

void Thing::work(int depth)
{
	if (depth == 0)
		throw std::runtime_error("enough");
	work(depth - 1);
}

int main()
{
	Thing thing;

	try {
		thing.work(1);
	} catch (const std::exception &) {
		Thing again;
	}
	return 0;
}
