/* SPDX-License-Identifier: MIT */
/* log_columns.h - the columns of a line of the log. */
#ifndef WCM_TEXT_LOG_COLUMNS_H
#define WCM_TEXT_LOG_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/report/line.h"

enum { WCM_LOG_WORDS = 1024 }; /* bytes of what a call is given, or gives back, at most */

#define WCM_LOG_NO_STACK UINT64_MAX

/* Up to the symbol: of KIND, three letters, in the thread TID, AT nanoseconds after the trace's
 * start, with STACK bytes in use, or WCM_LOG_NO_STACK. */
void wcm__log_columns(struct wcm_line *line, const char *kind, int tid, uint64_t at,
		      uint64_t stack);

/* The place of a symbol that is called at DEPTH, and of a function "&" in front of it. */
void wcm__log_indent(struct wcm_line *line, uint32_t depth, bool is_function);

/* SIZE bytes at TEXT, which stay until the line is written. */
void wcm__log_add(struct wcm_line *line, const char *text, size_t size);

/* BEFORE and a time. */
void wcm__log_time(struct wcm_line *line, const char *before, uint64_t ns);

/* VALUE, right-aligned to END in WIDTH; returns where it begins. */
char *wcm__log_number(char *end, uint64_t value, unsigned width);

#endif
