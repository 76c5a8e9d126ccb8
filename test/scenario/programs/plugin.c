/* SPDX-License-Identifier: MIT */
/* plugin.c - a shared library with an exported and a hidden function. */
#include <whocallme.h>

#define CALLER __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("")

void plugin_asks(void);
void plugin_calls(void);
void *plugin_address(void);

CALLER static void plugin_hidden(void)
{
	plugin_asks();
	NO_TAIL_CALL;
}

void plugin_asks(void)
{
	who_call_me();
}

void plugin_calls(void)
{
	plugin_asks();
	NO_TAIL_CALL;
	plugin_hidden();
	NO_TAIL_CALL;
}

void *plugin_address(void)
{
	return (void *)plugin_hidden;
}
