/* SPDX-License-Identifier: MIT */
/* json_string.h - strings as JSON has them. */
#ifndef WCM_TOOL_JSON_STRING_H
#define WCM_TOOL_JSON_STRING_H

#include <stdio.h>

/* Print TEXT to stdout as a JSON string (RFC 8259); bytes that are no UTF-8
 * become U+FFFD, and what format/printable.h does not show an escape. */
void json_print(const char *text);

/* Write TEXT, which is JSON already, to FILE.  Bytes that are no UTF-8, and characters that
 * format/printable.h does not show, become escapes. */
void json_print_text(FILE *file, const char *text);

/* A JSON string in memory that the caller frees; NULL when out of it. */
char *json_quoted(const char *text);

#endif
