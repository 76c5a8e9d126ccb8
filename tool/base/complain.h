/* SPDX-License-Identifier: MIT */
/* complain.h - what goes wrong, in a line on stderr that says whose it is. */
#ifndef WCM_TOOL_COMPLAIN_H
#define WCM_TOOL_COMPLAIN_H

#include <stdarg.h>

/* From now on lines begin with "whocallme COMMAND: ". */
void complain_as(const char *command);

/* "whocallme", or "whocallme COMMAND" once there is one. */
const char *complain_name(void);

/* Write the line, its beginning and its end being added. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Write its beginning alone, for what needs more than a format, and more of it. */
void complain_begin(void);
void complain_rest(const char *format, va_list arguments)
	__attribute__((format(printf, 1, 0)));

void complain_of_memory(void);

#endif
