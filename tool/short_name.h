/* SPDX-License-Identifier: MIT */
/* short_name.h - a C++ function's name without its types. */
#ifndef WCM_TOOL_SHORT_NAME_H
#define WCM_TOOL_SHORT_NAME_H

/* Cut NAME, a demangled one, down in place: without parameters, template arguments
 * and the type that it returns. */
void short_name(char *name);

#endif
