/* SPDX-License-Identifier: MIT */
/* at_start.c - which modules came with the program?  They are listed before main: a
 * capture or a crash need not find out. */
#include "load/at_start.h"

#include "load/loaded.h"
#include "load/lock.h"

__attribute__((constructor)) static void list_modules(void)
{
	wcm__lock();
	wcm__loaded_refresh();
	wcm__unlock();
}

void wcm__at_first_thread(void)
{
}

extern const char wcm__listed_at_start;
const char wcm__listed_at_start = 0;
