/* SPDX-License-Identifier: MIT */
/* sym_store.h - the tables of symbols of a recording, one for each file. */
#ifndef WCM_TOOL_SYM_STORE_H
#define WCM_TOOL_SYM_STORE_H

#include "base/tree.h"
#include "symbols/sym_file.h"

/* All zero at first. */
struct sym_store {
	struct tree files;
	struct stored **all;
	size_t count, room;
};

/* The table of the module at PATH, as recordings escape it, with BUILD_ID, in hexadecimal
 * or empty: that of the recording in DIR, else that of the module's own file.  Lives as
 * long as STORE; NULL where there is none. */
const struct sym_file *sym_store_get(struct sym_store *store, const char *dir,
				     const char *path, const char *build_id);
/* The text of the recording's other file about that module, of what debug data says, for the caller
 * to free; NULL: there is none. */
char *sym_store_text(struct sym_store *store, const char *dir, const char *path,
		     const char *build_id);
void sym_store_free(struct sym_store *store);

#endif
