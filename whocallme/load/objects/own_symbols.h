/* SPDX-License-Identifier: MIT */
/* own_symbols.h - reads the functions of a loaded module's own .symtab, without BFD. */
#ifndef WCM_OBJECTS_OWN_SYMBOLS_H
#define WCM_OBJECTS_OWN_SYMBOLS_H

#include "core/modules/modules.h"
#include "load/objects/raw_symbols.h"

struct wcm_own_symbols {
	struct wcm_raw_symbols raw; /* as they stand in the file */
	struct wcm_section_layout layout;
	char *strings; /* where the names are */
	bool has_debug_frame; /* the file has such a section */
};

/* Read those of MODULE's file, in a fraction of the time that BFD takes.  PLT stubs are not
 * among them.  False: there is no .symtab, or it is better left to BFD.  One thread at a
 * time; in either case SYMBOLS is to be freed. */
bool wcm__own_symbols_read(struct wcm_own_symbols *symbols, const struct wcm_module *module,
			   bool is_executable);
void wcm__own_symbols_free(struct wcm_own_symbols *symbols);

#endif
