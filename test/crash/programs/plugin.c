/* SPDX-License-Identifier: MIT */
/* plugin.c - a library that does not survive being loaded. */
#include <stddef.h>

int plugin_sink;

__attribute__((noinline)) void plugin_dies(const volatile int *from)
{
	plugin_sink = *from;
}

__attribute__((constructor)) void plugin_constructor(void)
{
	plugin_dies(NULL);
	__asm__ volatile("");
}
