/* SPDX-License-Identifier: MIT */
/* signature.h - what makes two crashes the same? */
#ifndef WCM_TOOL_SIGNATURE_H
#define WCM_TOOL_SIGNATURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The MOST functions on top of the stack that crashed in REPORT, inlined ones among
 * them: a new array of objects with "function" (demangled, less the compiler's
 * suffixes), "module", "build_id", "module_offset" where the function is unknown,
 * "file", "line" and "inlined", as far as each is known.  Those that only raise the
 * signal are left out unless ALL.  NULL when out of memory. */
json_t *signature_frames(const json_t *report, size_t most, bool all);

/* Of those frames: 64-bit FNV-1a over, for each, the build-id of its module (or the
 * base name of the module's path, or nothing), a zero byte, its function (or
 * module_offset, or "??"), and a zero byte.  Where there are no frames, over the names
 * of the program and the signal, a zero byte behind each. */
uint64_t signature_hash(const json_t *frames, const json_t *report);

/* The last part of PATH. */
const char *base_name(const char *path);

#endif
