/* SPDX-License-Identifier: MIT */
/* demangle.h - names as people write them, when they are written. */
#ifndef WCM_LOAD_DEMANGLE_H
#define WCM_LOAD_DEMANGLE_H

#include "report/line.h"

/* Add NAME to LINE demangled.  Uses libiberty's entry points that allocate
 * nothing; a name they do not know, or one so long that taking it apart could
 * overrun a signal stack, appears as it is. */
void wcm__line_demangled(struct wcm_line *line, const char *name);

#endif
