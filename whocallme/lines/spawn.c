/* SPDX-License-Identifier: MIT */
/* spawn.c - how does another program start, from a process in any state? */
#include "lines/spawn.h"

#include <errno.h>

int wcm__spawn(struct wcm_spawned *spawned, const char *path,
	       const char *const arguments[], const char *const environment[])
{
	(void)path, (void)arguments, (void)environment;
	spawned->fd = -1;
	return -ENOSYS;
}

bool wcm__spawned_is_there(const struct wcm_spawned *spawned)
{
	return spawned->fd >= 0;
}

void wcm__spawned_end(struct wcm_spawned *spawned, bool kill)
{
	(void)kill;
	spawned->fd = -1;
}
