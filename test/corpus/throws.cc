/* SPDX-License-Identifier: MIT */
/* throws.cc - the shapes of stack that C++ adds. */
#include <algorithm>
#include <csetjmp>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mark.h"

namespace {

struct Guard {
	~Guard()
	{
		mark("destructor");
		KEEP();
	}
};

NOINLINE void thrower(int depth)
{
	Guard guard;

	if (depth == 0)
		throw std::runtime_error("here");
	thrower(depth - 1);
	KEEP();
}

NOINLINE void rethrower()
{
	try {
		thrower(2);
	} catch (const std::exception &) {
		mark("catch");
		throw;
	}
}

NOINLINE void catcher()
{
	try {
		rethrower();
	} catch (...) {
		mark("catch again");
		KEEP();
	}
	std::exception_ptr pointer;
	try {
		thrower(0);
	} catch (...) {
		pointer = std::current_exception();
	}
	try {
		std::rethrow_exception(pointer);
	} catch (const std::runtime_error &error) {
		mark("rethrown");
	}
}

struct Base {
	virtual ~Base() {}
	virtual Base *self(int value) = 0;
	long words[3] = {};
};

struct Left : virtual Base {
	Left *self(int value) override
	{
		mark("left");
		words[0] += value;
		return this;
	}
};

struct Other {
	virtual ~Other() {}
	virtual int other(double a, int b)
	{
		return int(a) + b;
	}
	long word = 1;
};

struct Both : Left, Other {
	Both *self(int value) override
	{
		mark("thunk");
		words[1] += value;
		return this;
	}
	int other(double a, int b) override
	{
		mark("other thunk");
		return int(a) - b;
	}
	~Both()
	{
		mark("virtual destructor");
		KEEP();
	}
};

NOINLINE void dispatch(Base *base, Other *other)
{
	base->self(1)->words[2]++;
	other->other(2.0, 3);
	KEEP();
}

NOINLINE void thunks()
{
	Both both;

	dispatch(&both, &both);
	Left left;
	left.self(2);
	Other *other = new Both;
	delete other;
}

NOINLINE int call(const std::function<int(int)> &function)
{
	return function(3) + 1;
}

NOINLINE void library()
{
	std::vector<std::string> words = { "one", "two", "three", "four" };
	int asked = 0;

	std::sort(words.begin(), words.end(),
		  [&](const std::string &a, const std::string &b) {
			  if (!asked++)
				  mark("sort");
			  return a < b;
		  });
	call([&](int value) {
		mark("lambda");
		return value + asked;
	});
	std::thread([&] {
		thread_local Guard guard;
		mark("thread");
		(void)&guard;
		try {
			thrower(1);
		} catch (...) {
		}
	}).join();
}

std::jmp_buf back;

NOINLINE void promises() noexcept
{
	thrower(1);
	KEEP();
}

/* Called by the library out of the midst of a throw. */
NOINLINE void terminates()
{
	std::set_terminate([] {
		mark("terminate");
		std::longjmp(back, 1);
	});
	if (setjmp(back) == 0)
		promises();
	if (setjmp(back) == 0)
		std::terminate();
}

NOINLINE void pure(int size)
{
	alignas(64) volatile char bytes[64];
	volatile char *more = static_cast<char *>(__builtin_alloca(size));

	more[0] = bytes[0] = 1;
	try {
		thrower(more[0] - 1);
	} catch (std::runtime_error &) {
		mark("realigned catch");
	}
	KEEP();
}

void scenes()
{
	catcher();
	thunks();
	library();
	terminates();
	pure(100);
}

struct AtStart {
	AtStart()
	{
		mark("static");
		KEEP();
	}
	~AtStart()
	{
		mark("static destructor");
		KEEP();
	}
} at_start;

} // namespace

int main()
{
	run_rounds(scenes);
}
