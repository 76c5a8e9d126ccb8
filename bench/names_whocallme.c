/* SPDX-License-Identifier: MIT */
/* names_whocallme.c - this library, on a file. */
#include "names.h"

#include <whocallme.h>

static struct wcm_functions *functions;

const bool names_can_find = true;

bool names_load(const char *path, uint64_t first)
{
	(void)first;
	return wcm_functions_load(&functions, path) == WCM_OK;
}

const char *names_find(uint64_t address)
{
	struct wcm_function function;

	return wcm_functions_find(functions, address, &function) ? function.name
								 : NULL;
}
