/* SPDX-License-Identifier: MIT */
/* dynamic.h - which dynamic symbols has an object? */
#ifndef WCM_SYMBOLS_DYNAMIC_H
#define WCM_SYMBOLS_DYNAMIC_H

#include "symbols/headers.h"
#include "symbols/modules.h"

/* Set MODULE's dynsym, if it has one, by its dynamic section. */
void wcm__dynamic_symbols(struct wcm_module *module, const struct wcm_headers *headers);

#endif
