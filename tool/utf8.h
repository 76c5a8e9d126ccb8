/* SPDX-License-Identifier: MIT */
/* utf8.h - which bytes are a character? */
#ifndef WCM_TOOL_UTF8_H
#define WCM_TOOL_UTF8_H

#include <stddef.h>

/* How many of the SIZE bytes at TEXT are its first character, 0 where they are no
 * UTF-8 (Unicode, table 3-7).  SIZE is above 0. */
size_t utf8_length(const char *text, size_t size);

#endif
