/* SPDX-License-Identifier: MIT */
/* entries.h - walks the entries of debug data below one.
 *
 * libdw finds the entry beside another by passing over all that is below it, once
 * more on each level, where the compiler wrote no DW_AT_sibling: clang writes none,
 * and damaged data nests as deep as it likes.  Here each entry is passed over once.
 */
#ifndef WCM_TOOL_ENTRIES_H
#define WCM_TOOL_ENTRIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

struct entries {
	Dwarf_Die die;  /* the current one */
	unsigned depth; /* 0: the one to begin with */
};

/* Go to the first entry below the current one if BELOW, to the one beside it, or
 * beside one that holds it, if not or if there is none.  False behind the last one
 * below the first, and where the data is damaged. */
bool entries_next(struct entries *entries, bool below);

#endif
