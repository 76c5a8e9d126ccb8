/* SPDX-License-Identifier: MIT */
/* quick_start.c - stands in for load/at_start.c where the start must not take long.
 *
 * A program of one thread is asked for one stack at most, in its crash, when the
 * dynamic linker's own records will do; one of many may be asked for all of them.
 */
#include "load/at_start.h"

#include "load/loaded.h"
#include "load/lock.h"

void wcm__at_first_thread(void)
{
	wcm__lock();
	wcm__loaded_refresh();
	wcm__unlock();
}

extern const char wcm__listed_at_start;
const char wcm__listed_at_start = 0;
