/* SPDX-License-Identifier: MIT */
/* every_macro.c - C and C++ alike: each macro as a statement and a value, twice
 * in one function. */
#include <whocallme.h>

int every_macro(int argc);

int every_macro(int argc)
{
	const char *name = who_am_i();

	if (argc)
		who_call_me();
	else
		who_call_me();
	if (name && full_backtrace() > 0)
		return full_backtrace();
	return 0;
}
