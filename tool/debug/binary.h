/* SPDX-License-Identifier: MIT */
/* binary.h - which files have the debug data of a module?
 *
 * A module is known by its path, its build-id, or both.  What is found once stays
 * open, so that the second question about a module costs little.
 */
#ifndef WCM_TOOL_BINARY_H
#define WCM_TOOL_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/place.h"

struct binaries;
struct binary;

/* No more than MOST are kept open, the least recently used being closed; 0: all.
 * DEBUG_DIRS: folders of separate debug files, with colons in between, or NULL for
 * the one that was configured.  NULL when out of memory. */
struct binaries *binaries_new(const char *debug_dirs, size_t most);
void binaries_free(struct binaries *binaries);

/* Open the module at PATH with BUILD_ID of SIZE bytes; either may be NULL.  It is
 * never NULL: a module without any file answers every address with nothing.  It
 * lives until the next call. */
struct binary *binaries_open(struct binaries *binaries, const char *path,
			     const uint8_t *build_id, size_t size);

/* What is wrong with its files, in a line without a newline; NULL: nothing.  A file
 * of another build (a stale executable, a debug file with another build-id) is not
 * used, and said here. */
const char *binary_complaint(const struct binary *binary);

/* The functions at ADDRESS, of the file's own numbering, innermost first, into
 * PLACES.  At least one: where debug data knows nothing, what the symbol table
 * knows.  The strings live as long as BINARY. */
void binary_find(struct binary *binary, uint64_t address, struct places *places);

/* The value of the INDEX-th symbol called NAME, in the file's own numbering.  False
 * where there are not so many. */
bool binary_symbol(struct binary *binary, const char *name, size_t index,
		   uint64_t *value);

/* Its build-id as it was found in its files; *SIZE is 0 where there is none. */
const uint8_t *binary_build_id(const struct binary *binary, size_t *size);

#endif
