// SPDX-License-Identifier: MIT
// cxx_constexpr.cc - a constexpr function is called where it runs, not where the
// compiler has computed it: once.
//
//	c++ -finstrument-functions -o cxx_constexpr cxx_constexpr.cc
//	whocallme trace ./cxx_constexpr

constexpr int square(int number)
{
	return number * number;
}

int main(int argc, char *[])
{
	constexpr int nine = square(3); // no call

	return square(argc) > nine; // a call
}
