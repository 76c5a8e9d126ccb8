/* SPDX-License-Identifier: MIT */
/* symbol_table.h - finds the name of an address in a module's symbol tables. */
#ifndef WCM_TOOL_SYMBOL_TABLE_H
#define WCM_TOOL_SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_table;

/* All that MODULE has, in its file, its debug file and .gnu_debugdata.  NULL when
 * out of memory.  Names live as long as MODULE. */
struct symbol_table *symbol_table_read(Dwfl_Module *module);
void symbol_table_free(struct symbol_table *table);

/* The function at ADDRESS, and how far into it that is; NULL where none is. */
const char *symbol_table_find(const struct symbol_table *table,
			      uint64_t address, uint64_t *offset);

#endif
