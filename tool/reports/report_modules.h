/* SPDX-License-Identifier: MIT */
/* loaded.h - what does a report say of the module at an address? */
#ifndef WCM_TOOL_LOADED_H
#define WCM_TOOL_LOADED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* One of "modules"; the strings are the report's, as it has them. */
struct loaded {
	uint64_t start, end, bias;
	const char *path;
	const char *build_id; /* or NULL */
};

/* By path and address. */
struct loaded_modules {
	struct loaded *loaded;
	size_t count;
};

/* Those of REPORT, which must live as long; none where memory is out. */
struct loaded_modules loaded_read(const json_t *report);
void loaded_free(struct loaded_modules *modules);

/* The module at PATH that has PC, or ends there, as what returns behind its last call
 * does; NULL: none. */
const struct loaded *loaded_at(const struct loaded_modules *modules, const char *path,
			       uint64_t pc);

/* One at PATH, wherever it is; NULL: none. */
const struct loaded *loaded_as(const struct loaded_modules *modules, const char *path);

/* The member NAME of OBJECT, a number as a string.  False where it is none. */
bool report_hex(const json_t *object, const char *name, uint64_t *number);

#endif
