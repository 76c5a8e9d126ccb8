/* SPDX-License-Identifier: MIT */
/* symbol_name.h (SAFE) - what the names in a symbol table say: labels, parts of functions,
 * clones. */
#ifndef WCM_SYMBOLS_SYMBOL_NAME_H
#define WCM_SYMBOLS_SYMBOL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of NAME, of SIZE bytes, without the suffix of a part that is split off; SIZE
 * where it has none.  *FLAG, unless there is none, is WCM_SYMBOL_COLD or WCM_SYMBOL_PART. */
size_t wcm__part_suffix(const char *name, size_t size, uint8_t *flag);

/* The length of NAME, of SIZE bytes, without any suffix of a part or a clone: as the source
 * names the function. */
size_t wcm__source_size(const char *name, size_t size);

/* What names nothing: $x, $d and their like mark where code and data alternate (AAELF64, 5.5.5);
 * what begins with .L is a label of the compiler's or the assembler's own, which stays where the
 * linker may still move code.  Three bytes of NAME tell. */
bool wcm__is_mere_label(const char *name);

#endif
