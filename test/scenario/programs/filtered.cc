/* SPDX-License-Identifier: MIT */
/* filtered.cc - functions whose names are more than one word. */
namespace shop {

struct Till {
	Till();
	int add(int price);
	int add(int price, int count);
	operator int() const;
	int sum;
};

Till::Till() : sum(0) {}

int Till::add(int price)
{
	return sum += price;
}

int Till::add(int price, int count)
{
	return add(price * count);
}

Till::operator int() const
{
	return sum;
}

template <class T> T twice(T value)
{
	return value + value;
}

} // namespace shop

int main()
{
	shop::Till till;
	till.add(1);
	till.add(2, 3);
	return shop::twice(int(till)) != 14;
}
