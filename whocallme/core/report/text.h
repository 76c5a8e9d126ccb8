/* SPDX-License-Identifier: MIT */
/* text.h (SAFE) - writes a frame as a line of text, in the order that gdb has. */
#ifndef WCM_REPORT_TEXT_H
#define WCM_REPORT_TEXT_H

#include "core/report/line.h"
#include "whocallme/stack.h"
#include "whocallme/symbol.h"

/* How a line shows a name: as it is in the table, or otherwise. */
typedef void wcm_name_writer(struct wcm_line *line, const char *name);

/* Write FRAME, number NUMBER of its stack, as a line to FD; a module without a table is named by
 * its file. */
bool wcm__text_frame(int fd, const struct wcm_frame *frame, size_t number,
		     wcm_name_writer *write_name);

/* Add the same to LINE, in a report of a crash; not HAS_ADDRESS: without the address. */
void wcm__text_add_frame(struct wcm_line *line, const struct wcm_frame *frame,
			 size_t number, bool has_address, wcm_name_writer *write_name);

/* Write why the stack ends, and WHY that is so, or NULL, unless all of it was seen. */
bool wcm__text_stop(int fd, enum wcm_stop stop, const char *why);

/* Add the function at ADDRESS to LINE: its name, or where it lies. */
void wcm__text_function(struct wcm_line *line, uintptr_t address,
			wcm_name_writer *write_name);

/* The same for what a look-up of ADDRESS has filled in. */
void wcm__text_symbol(struct wcm_line *line, uintptr_t address,
		      const struct wcm_symbol *symbol, wcm_name_writer *write_name);

#endif
