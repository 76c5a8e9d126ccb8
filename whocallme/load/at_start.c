/* SPDX-License-Identifier: MIT */
/* at_start.c - lists the modules that came with the program, before main.
 *
 * A capture or a crash then finds them in a list that is published already, and does
 * not read the dynamic linker's records.  A program may overwrite its environment to have another
 * title, as setproctitle() does, before it asks for lines: what is read late is kept.
 */
#include "load/at_start.h"

#include <stdlib.h>
#include <string.h>

#include "format/settings.h"
#include "lines/resolver.h"
#include "load/loaded.h"
#include "load/lock.h"

__attribute__((constructor)) static void list_modules(void)
{
	const char *helper = wcm__setting(NULL, WCM_SET_HELPER);

	wcm__lock();
	wcm__loaded_refresh();
	wcm__unlock();
	if (helper)
		wcm__resolver_note(strdup(helper));
}

void wcm__at_first_thread(void)
{
}

extern const char wcm__listed_at_start;
const char wcm__listed_at_start = 0;
