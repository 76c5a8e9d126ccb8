/* SPDX-License-Identifier: MIT */
/* source.h - the text of a line, and whether it is what was compiled. */
#ifndef WCM_TOOL_SOURCE_H
#define WCM_TOOL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "debug/location.h"

/* Line LINE (from 1) of LOCATION's file without its newline, *LENGTH bytes of any kind; NULL
 * where it cannot be read, or is known to be of another text.  Text that debug data carries is
 * preferred.  Files are kept for the next look-up; what is returned lives until then. */
const char *source_line(const struct location *location, uint64_t line, size_t *length);

/* Why the text of LOCATION's file may be, or is, that of other lines, in words, the caller's to
 * free; NULL: nothing speaks against it. */
char *source_doubt(const struct location *location);

#endif
