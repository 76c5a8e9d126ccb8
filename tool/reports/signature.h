/* SPDX-License-Identifier: MIT */
/* signature.h - reduces a crash to what makes it the same as another. */
#ifndef WCM_TOOL_SIGNATURE_H
#define WCM_TOOL_SIGNATURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cut the stack of REPORT to what the MOST functions of a signature can come from: a
 * recursion counts once, however deep, unless ALL: then each frame of a fold is there. */
void signature_cut(json_t *report, size_t most, bool all);

/* The MOST functions on top of the stack that crashed in REPORT, inlined ones among
 * them, a recursion once: a new array of objects with "function" (demangled, less the compiler's
 * suffixes), "module", "build_id", "module_offset" where the function is unknown,
 * "file", "line" and "inlined", as far as each is known.  Those that only raise the
 * signal, and those below main() or the function of a thread, are left out unless
 * ALL.  NULL when out of memory. */
json_t *signature_frames(const json_t *report, size_t most, bool all);

/* What is compared of each frame. */
enum signature_by {
	BY_PROGRAM,  /* the build of its module, and the function */
	BY_FUNCTION, /* the function, of whatever program and build */
	BY_FILE,     /* the source file, or the function where it is unknown */
};

/* Of those frames: 64-bit FNV-1a over, for each, the build-id of its module (or the
 * base name of the module's path, or nothing), a zero byte, its function (or
 * module_offset, or "??"), and a zero byte.  BY_FUNCTION and BY_FILE leave the module
 * out where there is a function or file.  Where there are no frames, over the names
 * of the program and the signal, a zero byte behind each. */
uint64_t signature_hash(const json_t *frames, const json_t *report,
			enum signature_by by);

/* The last part of PATH. */
const char *base_name(const char *path);

/* groups.c: counts equal crashes and lists them. */

/* Where a report was read: FILE lives as long as the groups. */
struct report_origin {
	const char *file;
	size_t line; /* from 1 */
};

struct groups;

/* NULL when out of memory. */
struct groups *groups_new(void);
void groups_free(struct groups *groups);

/* Count REPORT, whose signature is HASH of FRAMES; FRAMES is taken over.  False when
 * out of memory. */
bool groups_add(struct groups *groups, const json_t *report, json_t *frames,
		uint64_t hash, const struct report_origin *origin);

/* Print the groups to stdout, the most frequent ones first, of the same count by hash,
 * no more than TOP of them: as a table, or a JSON object a line. */
void groups_print(const struct groups *groups, size_t top);
void groups_print_json(const struct groups *groups, size_t top);

#endif
