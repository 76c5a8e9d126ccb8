// SPDX-License-Identifier: MIT
// traced_resumes.cc - coroutines that hand over to one another by jumps, and exceptions in them.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>

struct task {
	struct promise_type;
	using handle_type = std::coroutine_handle<promise_type>;

	struct goes_back {
		bool await_ready() noexcept { return false; }
		std::coroutine_handle<> await_suspend(handle_type handle) noexcept;
		void await_resume() noexcept {}
	};
	struct promise_type {
		int value = 0;
		std::exception_ptr thrown;
		std::coroutine_handle<> waiting;

		task get_return_object() { return task(handle_type::from_promise(*this)); }
		std::suspend_always initial_suspend() { return {}; }
		goes_back final_suspend() noexcept { return {}; }
		void return_value(int x) { value = x; }
		void unhandled_exception()
		{
			if (!waiting)
				throw;
			thrown = std::current_exception();
		}
	};

	explicit task(handle_type given) : handle(given) {}
	task(task &&other) : handle(std::exchange(other.handle, nullptr)) {}
	~task()
	{
		if (handle)
			handle.destroy();
	}
	bool await_ready() { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> from)
	{
		handle.promise().waiting = from;
		return handle;
	}
	int await_resume()
	{
		if (handle.promise().thrown)
			std::rethrow_exception(handle.promise().thrown);
		return handle.promise().value;
	}

	handle_type handle;
};

std::coroutine_handle<> task::goes_back::await_suspend(handle_type handle) noexcept
{
	std::coroutine_handle<> waiting = handle.promise().waiting;

	return waiting ? waiting : std::noop_coroutine();
}

// Is resumed where it is made.
struct at_once {
	struct promise_type {
		at_once get_return_object() { return {}; }
		std::suspend_never initial_suspend() { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { throw; }
	};
};

struct itself {
	bool await_ready() { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> handle) { return handle; }
	void await_resume() {}
};

static at_once goes_on(int x)
{
	co_await itself();
	if (x > 1)
		throw x;
}

static task leaf(int x)
{
	if (x == 7)
		throw x;
	co_return x;
}

static task middle(int x)
{
	int first = co_await leaf(x);
	int second = co_await leaf(x + 1);

	co_return first + second;
}

static task top(int from, int to)
{
	int sum = 0;

	for (int i = from; i < to; i++)
		sum += co_await middle(i);
	co_return sum;
}

static void run(int from, int to)
{
	task whole = top(from, to);

	try {
		whole.handle.resume();
		std::printf("%d ", whole.handle.promise().value);
	} catch (int x) {
		std::printf("threw %d ", x);
	}
}

int main()
{
	run(8, 200);
	run(0, 20);
	for (int i = 0; i < 4; i++)
		try {
			goes_on(i);
			std::printf("went ");
		} catch (int x) {
			std::printf("threw %d ", x);
		}
	std::puts("");
}
