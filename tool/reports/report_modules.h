/* SPDX-License-Identifier: MIT */
/* report_modules.h - what a frame says of itself, and where in a module's file that is. */
#ifndef WCM_TOOL_REPORT_MODULES_H
#define WCM_TOOL_REPORT_MODULES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "resolve/module_offset.h"

/* What a frame says of itself, in text or in JSON. */
struct report_frame {
	uint64_t number, pc; /* pc is 0 where the report does not say */
	bool is_signal; /* that of its delivery: nothing else is known */
	bool exact;     /* pc was interrupted; else it is behind a call */
	bool cold;        /* the part of the function that was split off */
	const char *name; /* NULL: none */
	uint64_t offset;  /* of pc, from the function's start */
	const char *path; /* of its module; NULL: none */
	bool has_module_offset;
	uint64_t module_offset; /* pc in the module's own numbering */
};

/* One of "modules"; the strings are the report's, as it has them. */
struct loaded {
	uint64_t start, end, bias;
	const char *path;
	const char *build_id; /* or NULL */
};

/* Sorted by path and address. */
struct loaded_modules {
	struct loaded *loaded;
	size_t count, room;
};

/* Those of REPORT, which must live as long; fewer where memory is out. */
struct loaded_modules loaded_read(const json_t *report);
void loaded_free(struct loaded_modules *modules);

/* Add MODULE, and sort them once all are there.  False when out of memory. */
bool loaded_add(struct loaded_modules *modules, const struct loaded *module);
void loaded_sort(struct loaded_modules *modules);

/* The module at PATH that has PC, or ends there, as what returns behind its last call
 * does; NULL: none. */
const struct loaded *loaded_at(const struct loaded_modules *modules, const char *path,
			       uint64_t pc);

/* One at PATH, wherever it is; NULL: none. */
const struct loaded *loaded_as(const struct loaded_modules *modules, const char *path);

/* ADDRESS becomes that of FRAME's call, or of what was interrupted, in its module's file;
 * MODULES are those of its report.  False where the frame does not say where in a file it
 * lies. */
bool frame_address(const struct report_frame *frame,
		   const struct loaded_modules *modules, struct address *address);

/* The member NAME of OBJECT, a number as a string.  False where it is none. */
bool report_hex(const json_t *object, const char *name, uint64_t *number);

#endif
