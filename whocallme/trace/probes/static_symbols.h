/* SPDX-License-Identifier: MIT */
/* static_symbols.h (SAFE) - the values of static probes that are in variables. */
#ifndef WCM_STATIC_STATIC_SYMBOLS_H
#define WCM_STATIC_STATIC_SYMBOLS_H

#include "core/modules/module.h"
#include "core/symbols/symtab_file.h"

/* A variable that has been looked for; what NAME points to stays. */
struct wcm_static_variable {
	const char *name; /* NULL: none */
	size_t length;
	uintptr_t address; /* 0: it is not known */
};

enum { WCM_STATIC_VARIABLES = 32 };

/* Where the texts of one module are made. */
struct wcm_static_texts {
	const struct wcm_module *map;
	struct wcm_symtab_search *search; /* NULL: nothing has been looked for yet */
	uint64_t symbols;                 /* looked at */
	char *room;
	size_t left;
	struct wcm_static_variable met[WCM_STATIC_VARIABLES]; /* by hash, the latest ones */
};

/* VALUES, those of a probe of the module, with addresses in the place of its variables.  What is
 * not known stays as it is.  The text stays where it is.  Signal-safe. */
const char *wcm__static_resolve(struct wcm_static_texts *texts, const char *values);

/* No more is made. */
void wcm__static_texts_end(struct wcm_static_texts *texts);

#endif
