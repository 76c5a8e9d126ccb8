/* SPDX-License-Identifier: MIT */
/* printable.h (SAFE) - tells which characters may be shown on a terminal. */
#ifndef WCM_FORMAT_PRINTABLE_H
#define WCM_FORMAT_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

/* How many of the SIZE bytes at TEXT are its first character, which becomes *CHARACTER;
 * 0 where they are no UTF-8 (Unicode, table 3-7).  SIZE is above 0, and may be more than
 * there is where a zero byte follows. */
size_t wcm__utf8_length(const char *text, size_t size, uint32_t *character);

/* The same, and 0 for a character that a terminal obeys, that turns the order of those
 * around it, that is not seen, or that is none. */
size_t wcm__printable_length(const char *text, size_t size);

#endif
