/* SPDX-License-Identifier: MIT */
/* demangle.c - names as people write them, in memory of their own. */
#include "whocallme/symbol.h"

#include <stdlib.h>

#include "report/demangle.h"

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
