/* SPDX-License-Identifier: MIT */
/* packed_symbols.h - tells whether libdwfl can read the .gnu_debugdata of a file. */
#ifndef WCM_TOOL_PACKED_SYMBOLS_H
#define WCM_TOOL_PACKED_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>

/* False where ELF has one whose symbols libdwfl gives up half-way, and then reads from
 * memory that it has freed, or one that unpacks to far more than object files do. */
bool packed_symbols_are_sound(Elf *elf);

#endif
