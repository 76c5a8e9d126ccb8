// SPDX-License-Identifier: MIT
// exits.cc - dying while the program, or the thread, ends.
#include <climits>
#include <cstdlib>
#include <pthread.h>

#include "deaths.h"

struct Static {
	~Static();
};

struct Local {
	int used = 0;

	~Local();
};

static thread_local Local local;

extern "C" void static_destructor(void)
{
	null_read();
	__asm__ volatile("");
}

extern "C" void tls_destructor(void)
{
	null_read();
	__asm__ volatile("");
}

Static::~Static()
{
	static_destructor();
	__asm__ volatile("");
}

Local::~Local()
{
	tls_destructor();
	__asm__ volatile("");
}

extern "C" void exit_handler(void)
{
	null_read();
	__asm__ volatile("");
}

void in_atexit(void)
{
	std::atexit(exit_handler);
	std::exit(0);
}

void in_static(void)
{
	static Static dying;

	std::exit(0);
}

// Dies when the caller returns from the thread's first function, or from main.
void in_tls(void)
{
	local.used = 1;
}

static pthread_key_t key;

// In its last round, when the thread's other keys are done with.
extern "C" void key_destructor(void *round)
{
	if (round == (void *)PTHREAD_DESTRUCTOR_ITERATIONS)
		recursion();
	pthread_setspecific(key, (char *)round + 1);
	__asm__ volatile("");
}

void in_key(void)
{
	pthread_key_create(&key, key_destructor);
	pthread_setspecific(key, (void *)1);
	pthread_exit(nullptr);
}
