/* SPDX-License-Identifier: MIT */
/* escape.h - text of any bytes in a line of text, or in JSON.
 *
 * As the library writes it, by format/words.h.  All that others have a say in goes through
 * here. */
#ifndef WCM_TOOL_ESCAPE_H
#define WCM_TOOL_ESCAPE_H

#include <stdio.h>

#include "format/words.h"

/* Write SIZE bytes to FILE, escaped. */
void escape(FILE *file, enum wcm_escape how, const char *text, size_t size);

/* Write NAME to FILE; what is beyond the first MOST bytes becomes "...". */
void escape_name(FILE *file, const char *name, size_t most);

/* The same in memory that the caller frees; NULL when out of it. */
char *escaped_name(const char *name, size_t most);

/* Write a sentence that has names in it: its backslashes stand for themselves. */
void escape_text(FILE *file, const char *text);

/* Write SIZE bytes of lines of source text: its backslashes and tabs stand for themselves. */
void escape_lines(FILE *file, const char *text, size_t size);

/* What empties the buffer of WORDS into stdout, which is the command's and may be full, too. */
void words_to_stdout(struct wcm_words *words);

/* The name that was escaped so, in the place of TEXT.  \x00, which no name holds,
 * stays as it is. */
void unescape(char *text);

#endif
