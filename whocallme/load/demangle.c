/* SPDX-License-Identifier: MIT */
/* demangle.c - names as people write them, in memory of their own. */
#include "whocallme/symbol.h"

#include <demangle.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/demangle.h"

enum { STYLE = DMGL_PARAMS | DMGL_ANSI };

static char *demangle_of_unit(const char *name)
{
	char *known, *plain;

	if (asprintf(&known, WCM_OF_UNIT_KNOWN "%s",
		     name + sizeof(WCM_OF_UNIT) - 1) < 0)
		return NULL;
	plain = cplus_demangle(known, STYLE | DMGL_AUTO);
	free(known);
	return plain;
}

char *wcm_name_demangle(const char *name)
{
	char *plain = wcm__demangle_is_of_unit(name) ?
			      demangle_of_unit(name) :
			      cplus_demangle(name, STYLE | DMGL_AUTO);

	/* DMGL_AUTO takes D's names for nobody's. */
	return plain ? plain : cplus_demangle(name, STYLE | DMGL_DLANG);
}
