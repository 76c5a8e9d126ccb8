/* SPDX-License-Identifier: MIT */
/* cxx.h - what the two translation units of cxx share. */
#include <whocallme.h>

#define CALLER __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("")

struct Zoo {
	void call_all();
	static void in_static(int);
	void in_method(const char *);
};

inline void in_header()
{
	who_call_me();
}

namespace zoo
{
void elsewhere(int);
}
