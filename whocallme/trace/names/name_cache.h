/* SPDX-License-Identifier: MIT */
/* names.h - how is this function called, asked over and over? */
#ifndef WCM_HOOK_NAMES_H
#define WCM_HOOK_NAMES_H

#include "report/line.h"
#include "report/text.h"

/* Have names shown by WRITER, which may need much stack.  Once, before the first. */
void wcm__names_show_by(wcm_name_writer *writer);

/* Add the function at FUNC to LINE, as wcm__text_function() does; one of a library
 * that was opened by its file's name. */
void wcm__names_add(struct wcm_line *line, uintptr_t func);

/* Add NAME to LINE as it is shown. */
void wcm__names_demangle(struct wcm_line *line, const char *name);

#endif
