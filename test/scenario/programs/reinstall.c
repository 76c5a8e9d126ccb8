/* SPDX-License-Identifier: MIT */
/* reinstall.c - a handler installed, taken over by another, removed, installed
 * once more: the crash is reported, once. */
#include <signal.h>
#include <whocallme.h>

int main(void)
{
	wcm_crash_install(NULL);
	signal(SIGSEGV, SIG_DFL);
	wcm_crash_remove();
	wcm_crash_install(NULL);
	wcm_crash_install(NULL);
	*(volatile int *)0 = 1;
}
