/* SPDX-License-Identifier: MIT */
/* source.h - the text of a line. */
#ifndef WCM_TOOL_SOURCE_H
#define WCM_TOOL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

/* Line LINE (from 1) of FILE without its newline, *LENGTH bytes of any kind; NULL
 * where it cannot be read.  Files are kept for the next look-up; what is returned
 * lives until then. */
const char *source_line(const char *file, uint64_t line, size_t *length);

#endif
