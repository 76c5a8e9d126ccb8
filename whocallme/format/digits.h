/* SPDX-License-Identifier: MIT */
/* digits.h (SAFE) - writes numbers and names as bytes in a buffer. */
#ifndef WCM_FORMAT_DIGITS_H
#define WCM_FORMAT_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* How many hexadecimal digits VALUE needs, at least 1. */
unsigned wcm__format_hex_digits(uint64_t value);

/* Write the WIDTH low digits of VALUE to BUF; no zero byte follows. */
void wcm__format_hex(char *buf, uint64_t value, unsigned width);

/* Write VALUE in decimal to BUF, of 20 bytes at least; returns the length. */
size_t wcm__format_decimal(char *buf, int64_t value);

/* How many bytes from NAME on, up to its zero byte, may be shown as they are:
 * characters of format/printable.h but the backslash, which begins an escape. */
size_t wcm__format_printable(const char *name);

#endif
