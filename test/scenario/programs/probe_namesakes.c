/* SPDX-License-Identifier: MIT */
/* probe_namesakes.c - a static variable of this file, by its probe; twice in one program. */
#include <whocallme/probe.h>

static volatile int namesake = NUMBER;

__attribute__((noinline)) void NAME(void)
{
	WCM_PROBE(globals, namesake, namesake);
}

#if NUMBER == 1
void other(void);

int main(void)
{
	NAME();
	other();
	return 0;
}
#endif
