/* SPDX-License-Identifier: MIT */
/* build_table.h - makes a function table from raw symbols: sorts them, and chooses the
 * best alias.
 */
#ifndef WCM_OBJECTS_BUILD_TABLE_H
#define WCM_OBJECTS_BUILD_TABLE_H

#include "core/symbols/function_table.h"
#include "load/objects/objfile.h"

/* Sort SYMBOLS by offset, the best of several names for one offset first: global
 * over weak over local, sized over unsized, typed as a function over untyped,
 * fewest leading underscores, then lexically.  Data is left out; a function without
 * a size in front of it ends there.  False when out of memory. */
bool wcm__sort_symbols(struct wcm_raw_symbols *symbols);

/* Sort SYMBOLS by offset alone.  What is added next, until SORTED of them is cleared, is left out
 * where a function of the same offset and name is there already: .dynsym says again what .symtab
 * does, or most of it.  False when out of memory. */
bool wcm__sort_before_doubles(struct wcm_raw_symbols *symbols);

/* Build a table from sorted SYMBOLS, in one block of memory that free(3) takes.
 * NULL when out of memory. */
struct wcm_function_table *
wcm__build_table(const struct wcm_raw_symbols *symbols);

/* How long NAME is without its symbol version: "memcpy@@GLIBC_2.14" ends at the
 * first @, save in "f@plt". */
size_t wcm__name_length(const char *name, uint8_t flags);

#endif
