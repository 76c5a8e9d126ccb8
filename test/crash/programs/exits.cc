// SPDX-License-Identifier: MIT
// exits.cc - dying while the program, or the thread, ends.
#include <cstdlib>

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
