/* SPDX-License-Identifier: MIT */
/* demangle.c - names as people write them, in memory of their own. */
#include "whocallme/symbol.h"

#include <demangle.h>
#include <stddef.h>

enum { STYLE = DMGL_PARAMS | DMGL_ANSI };

char *wcm_name_demangle(const char *name)
{
	char *plain = cplus_demangle(name, STYLE | DMGL_AUTO);

	/* DMGL_AUTO takes D's names for nobody's. */
	return plain ? plain : cplus_demangle(name, STYLE | DMGL_DLANG);
}
