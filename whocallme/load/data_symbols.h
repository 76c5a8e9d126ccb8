/* SPDX-License-Identifier: MIT */
/* data_symbols.h - names the variable that holds an address. */
#ifndef WCM_LOAD_DATA_SYMBOLS_H
#define WCM_LOAD_DATA_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "whocallme/symbol.h"

struct wcm_file_symbols;

/* Opens the debug file of the module of ADDRESS as FILE's, which is finished in any case.
 * False: it has none. */
typedef bool wcm_debug_opener(struct wcm_file_symbols *file, uintptr_t address);

/* Find the variable of a loaded module that holds ADDRESS, where no function does.  OPEN is for
 * the module's debug file, under wcm__lock().  SYMBOL's name lives as long as the process.
 * False: none is known. */
bool wcm__data_symbol_find(uintptr_t address, struct wcm_symbol *symbol, wcm_debug_opener *open);

#endif
