/* SPDX-License-Identifier: MIT */
/* json.h - strings as JSON has them. */
#ifndef WCM_TOOL_JSON_H
#define WCM_TOOL_JSON_H

/* Print TEXT to stdout as a JSON string (RFC 8259); bytes that are no UTF-8
 * become U+FFFD. */
void json_print(const char *text);

/* The same in memory that the caller frees; NULL when out of it. */
char *json_quoted(const char *text);

#endif
