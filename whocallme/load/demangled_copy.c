/* SPDX-License-Identifier: MIT */
/* demangled_copy.c - returns a demangled name in memory of its own. */
#include "whocallme/symbol.h"

#include <stdlib.h>

#include "core/report/demangle.h"

char *wcm_name_demangle(const char *name)
{
	char *plain = malloc(WCM_DEMANGLED_MOST);
	size_t length = plain ? wcm__demangle(name, false, plain, WCM_DEMANGLED_MOST) : 0;
	char *fitting = length > 0 ? realloc(plain, length + 1) : NULL;

	if (length > 0)
		return fitting ? fitting : plain;
	free(plain);
	return NULL;
}
