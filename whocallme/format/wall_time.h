/* SPDX-License-Identifier: MIT */
/* wall_time.h (SAFE) - writes a moment of the calendar as bytes in a buffer. */
#ifndef WCM_FORMAT_WALL_TIME_H
#define WCM_FORMAT_WALL_TIME_H

#include <stdint.h>

enum { WCM_WALL_TIME = sizeof("2026-11-28T12:05:11.123456789Z") - 1 };

/* Write NS nanoseconds since 1970 to BUF: in UTC, as RFC 3339 has it, of WCM_WALL_TIME bytes
 * without a zero byte. */
void wcm__format_wall_time(char *buf, uint64_t ns);

#endif
