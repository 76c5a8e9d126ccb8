/* SPDX-License-Identifier: MIT */
/* data_symbols.h - names the variable that holds an address. */
#ifndef WCM_LOAD_DATA_SYMBOLS_H
#define WCM_LOAD_DATA_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "whocallme/symbol.h"

/* Find the variable of a loaded module that holds ADDRESS, where no function does.  SYMBOL's
 * name lives as long as the process.  False: none is known. */
bool wcm__data_symbol_find(uintptr_t address, struct wcm_symbol *symbol);

#endif
