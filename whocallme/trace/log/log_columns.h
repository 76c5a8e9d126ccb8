/* SPDX-License-Identifier: MIT */
/* log_columns.h (SAFE) - the columns of a line of the log. */
#ifndef WCM_TEXT_LOG_COLUMNS_H
#define WCM_TEXT_LOG_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/line.h"

enum { WCM_LOG_WORDS = 1024 }; /* bytes of what a call is given, or gives back, at most */

#define WCM_LOG_NO_STACK UINT64_MAX

/* A log begins: what it counts from is known. */
void wcm__log_times_begin(void);

/* Up to the symbol: of KIND, three letters, in the thread TID, at the time AT of
 * wcm__ticks_ns(), with STACK bytes in use, or WCM_LOG_NO_STACK. */
void wcm__log_columns(struct wcm_line *line, const char *kind, int tid, uint64_t at,
		      uint64_t stack);

/* SIZE bytes at TEXT, which stay until the line is written. */
static inline void wcm__log_add(struct wcm_line *line, const char *text, size_t size)
{
	line->part[line->count++] = (struct iovec){ (void *)text, size };
}

enum { WCM_LOG_DEEPEST = 128 };

/* Twice as many spaces, and "&". */
extern const char wcm__log_spaces[] __attribute__((visibility("hidden")));

/* The place of a symbol that is called at DEPTH, or deeper than is shown, and of a function "&" in
 * front of it. */
static inline void wcm__log_indent(struct wcm_line *line, uint32_t depth, bool is_function)
{
	const uint32_t shown = depth < WCM_LOG_DEEPEST ? depth : WCM_LOG_DEEPEST;

	wcm__log_add(line, wcm__log_spaces + 2 * (WCM_LOG_DEEPEST - shown),
		     2 * shown + is_function);
}

/* BEFORE and a time. */
void wcm__log_time(struct wcm_line *line, const char *before, uint64_t ns);

#endif
