/* SPDX-License-Identifier: MIT */
/* plugin.c - a library to load and unload; NAME is what its function calls. */
static void NAME(void)
{
	__asm__ volatile("");
}

void plug(void);
void plug(void)
{
	NAME();
}
