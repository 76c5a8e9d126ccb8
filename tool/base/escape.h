/* SPDX-License-Identifier: MIT */
/* escape.h - names of any bytes in a line of text.
 *
 * As the library writes them: a byte of what format/printable.h does not show, and a
 * backslash, is \xNN.  All that others have a say in goes through here, or through
 * json_string.h. */
#ifndef WCM_TOOL_ESCAPE_H
#define WCM_TOOL_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* Write NAME to FILE; what is beyond the first MOST bytes becomes "...". */
void escape_name(FILE *file, const char *name, size_t most);

/* The same, all of it, in memory that the caller frees; NULL when out of it. */
char *escaped_name(const char *name);

/* Write a sentence that has names in it: its backslashes stand for themselves. */
void escape_text(FILE *file, const char *text);

/* Write SIZE bytes of source text: its backslashes and tabs stand for themselves. */
void escape_source(FILE *file, const char *text, size_t size);

/* The same of several lines. */
void escape_lines(FILE *file, const char *text, size_t size);

/* The name that was escaped so, in the place of TEXT.  \x00, which no name holds,
 * stays as it is. */
void unescape(char *text);

#endif
