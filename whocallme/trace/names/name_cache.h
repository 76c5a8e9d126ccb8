/* SPDX-License-Identifier: MIT */
/* name_cache.h (SAFE) - names a function over and over, quickly. */
#ifndef WCM_NAMES_NAME_CACHE_H
#define WCM_NAMES_NAME_CACHE_H

#include "format/line.h"
#include "format/text.h"

/* Have names shown by WRITER, which may need much stack; while no trace is open. */
void wcm__name_cache_show_by(wcm_name_writer *writer);

/* Add the function at FUNC to LINE, as wcm__text_symbol() does; one of a library
 * that was opened by its file's name. */
void wcm__name_cache_add(struct wcm_line *line, uintptr_t func);

/* The same of a function whose module may be gone.  KNOWN is what this has returned of it when
 * it was there, or 0.  Returns what is known then; 0: nothing can be. */
uint32_t wcm__name_cache_add_again(struct wcm_line *line, uintptr_t func, uint32_t known);

#endif
