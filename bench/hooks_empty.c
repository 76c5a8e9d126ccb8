/* SPDX-License-Identifier: MIT */
/* hooks_empty.c - hooks that do nothing. */
#include "hooks.h"

void __cyg_profile_func_enter(void *func, void *site)
{
	(void)func;
	(void)site;
}

void __cyg_profile_func_exit(void *func, void *site)
{
	(void)func;
	(void)site;
}
