// SPDX-License-Identifier: MIT
// cxx_calls.cc - which calls of C++ does -finstrument-functions see?
//
//	c++ -finstrument-functions -o cxx_calls cxx_calls.cc -lwhocallme
//	WHOCALLME_TRACE=log WHOCALLME_OUTPUT=calls.txt ./cxx_calls
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <whocallme.h>

#define UNTRACED __attribute__((no_instrument_function))

namespace {

wcm_trace_counts before;

UNTRACED wcm_trace_counts count()
{
	wcm_trace_counts counts;

	wcm_trace_count(&counts);
	return counts;
}

UNTRACED void ask()
{
	before = count();
}

UNTRACED void answer(const char *what)
{
	std::printf("%s: %straced\n", what, count().calls > before.calls ? "" : "not ");
}

UNTRACED void answer_exits(const char *what)
{
	std::printf("%s: exit %sreported\n", what,
		    count().unwound > before.unwound ? "not " : "");
}

struct Trivial { int number; };
struct Written { Written() {} ~Written() {} };
struct Base {
	Base() = default;
	virtual ~Base() = default;
	virtual void act() {}
};
struct Derived : Base {
	void act() override {}
};

constexpr int square(int number) { return number * number; }
inline int inlined(int number) { return number + 1; }
int callback(const void *, const void *) { return 0; }
void leaf() {}
void thrower() { throw 1; }
void passer() { thrower(); }
void catcher()
{
	try {
		passer();
	} catch (int) {
	}
}

// The object lives in a block of its own, whose end is its destructor's call.
template <class Type> void ask_of(const char *born, const char *dead)
{
	{
		ask();
		Type object;
		answer(born);
		(void)object;
		ask();
	}
	answer(dead);
}

void ask_of_functions(int number)
{
	int numbers[] = { 3, 1, 2 };
	Derived derived;
	Base *volatile base = &derived;

	ask(), base->act(), answer("virtual function");
	ask(), [] {}(), answer("lambda");
	ask(), std::qsort(numbers, 0, sizeof(int), callback), answer("function of libc");
	ask(), std::qsort(numbers, 3, sizeof(int), callback), answer("callback of libc");
	ask(), std::sort(numbers, numbers + 3), answer("template of std::");
	ask(), number = inlined(number), answer("inline function");
	ask();
	constexpr int nine = square(3);
	answer("constexpr function, compiled away");
	ask(), number = square(number + nine), answer("constexpr function, run");
}

}

int main(int argc, char *[])
{
	ask_of<Trivial>("trivial constructor", "trivial destructor");
	ask_of<Written>("constructor", "destructor");
	ask_of<Base>("defaulted constructor", "defaulted virtual destructor");
	ask_of<Derived>("implicit constructor", "implicit virtual destructor");
	ask_of_functions(argc);
	ask(), catcher(), leaf(), answer_exits("function that an exception leaves");
}
