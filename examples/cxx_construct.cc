// SPDX-License-Identifier: MIT
// cxx_construct.cc - which constructors and destructors are calls?
//
//	c++ -finstrument-functions -o cxx_construct cxx_construct.cc
//	whocallme trace ./cxx_construct

struct Trivial { // neither: there is nothing to do
	int number;
};

struct Written { // both
	Written() {}
	~Written() {}
};

struct Base { // the destructor; the constructor by clang++ alone
	Base() = default;
	virtual ~Base() = default;
};

struct Derived : Base { // the same, and within it Base's, which clang++ -O2 takes for it
};

template <class Type> void live()
{
	Type object;

	(void)object;
}

int main()
{
	live<Trivial>();
	live<Written>();
	live<Base>();
	live<Derived>();
}
