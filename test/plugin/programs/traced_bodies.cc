// SPDX-License-Identifier: MIT
// traced_bodies.cc - what C++ has bodies in, and exceptions through them.
#include <coroutine>
#include <cstdio>
#include <stdexcept>

#define CALLED __attribute__((noinline))

struct noisy {
	int value;
	CALLED explicit noisy(int given) : value(given) { std::printf("+%d ", value); }
	CALLED ~noisy() { std::printf("-%d ", value); }
	CALLED int in_class(int x) { return value + x; }
	CALLED virtual int is_virtual(int x) { return value - x; }
};

static noisy at_start(1);

template <class T> CALLED T templated(T x)
{
	return x + 1;
}

struct lazily {
	struct promise_type {
		int value = 0;
		lazily get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int x) noexcept
		{
			value = x;
			return {};
		}
		void return_void() {}
		void unhandled_exception() { throw; }
	};
	std::coroutine_handle<promise_type> handle;
};

static lazily counts(int to)
{
	for (int i = 0; i < to; i++)
		co_yield i;
}

struct mine {
	int value;
};

CALLED void throws(int x)
{
	if (x == 1)
		throw mine{ 1 };
	if (x == 2)
		throw std::runtime_error("two");
	std::printf("none ");
}

CALLED void cleans_up(int x)
{
	noisy local(2);
	throws(x);
	std::printf("cleaned ");
}

CALLED void catches_one(int x)
{
	try {
		cleans_up(x);
	} catch (const std::runtime_error &error) {
		std::printf("%s ", error.what());
	}
}

// Nothing here runs for the exception, but what tells of it.
CALLED void catches_another(int x)
{
	try {
		throw x;
	} catch (const mine &) {
		std::printf("no ");
	}
}

CALLED void throws_on(int x)
{
	try {
		throws(x);
	} catch (const mine &) {
		throw;
	}
}

CALLED void lets_none_out(int x) noexcept
{
	try {
		catches_one(x);
	} catch (...) {
		std::printf("all ");
	}
}

// As the last thing that it does.
CALLED void passes_through(int x)
{
	throws_on(x);
}

int main(int argc, char **)
{
	auto lambda = [&](int x) CALLED { return x + argc; };
	lazily counter = counts(2);
	noisy *late = new noisy(3);

	for (counter.handle.resume(); !counter.handle.done(); counter.handle.resume())
		std::printf("%d ", counter.handle.promise().value);
	counter.handle.destroy();
	for (int i = 0; i < 3; i++)
		try {
			catches_one(i);
		} catch (const mine &) {
			std::printf("mine ");
		}
	try {
		catches_another(3);
	} catch (int x) {
		std::printf("int %d ", x);
	}
	lets_none_out(1);
	try {
		passes_through(1);
	} catch (const mine &) {
		std::printf("passed ");
	}
	std::printf("%d %d %d %d %g\n", late->in_class(1), late->is_virtual(1), lambda(2),
		    templated(3), templated(2.5));
	delete late;
	return 0;
}
