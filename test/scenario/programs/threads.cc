// SPDX-License-Identifier: MIT
// threads.cc - what C++ does on a thread, once every new one is armed.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

extern "C" void wcm__threads_arm(void);

namespace
{
struct guard {
	const char *name;
	~guard()
	{
		std::printf("%s destroyed, %s\n", name, armed());
	}
	static const char *armed()
	{
		stack_t stack;

		sigaltstack(nullptr, &stack);
		return stack.ss_flags & SS_DISABLE ? "bare" : "armed";
	}
};

thread_local guard local{ "thread-local" };

void *cancelled(void *)
{
	guard on_stack{ "on the stack" };

	for (;;)
		pause();
}

void *leaving(void *)
{
	guard on_stack{ "on the stack" };

	pthread_exit(&local);
}

int thrown()
{
	try {
		throw std::runtime_error("caught");
	} catch (const std::exception &error) {
		std::puts(error.what());
	}
	return 0;
}
}

int main(int argc, char *argv[])
{
	pthread_t thread;
	void *result;

	wcm__threads_arm();
	std::setvbuf(stdout, nullptr, _IONBF, 0);
	if (argc > 1 && std::strcmp(argv[1], "uncaught") == 0)
		std::thread([] { throw 1; }).join();
	std::thread(thrown).join();
	pthread_create(&thread, nullptr, leaving, nullptr);
	pthread_join(thread, &result);
	pthread_create(&thread, nullptr, cancelled, nullptr);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	std::puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}
