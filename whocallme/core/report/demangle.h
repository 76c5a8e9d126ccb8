/* SPDX-License-Identifier: MIT */
/* demangle.h (SAFE) - demangles names as they are written, in any state of the process. */
#ifndef WCM_REPORT_DEMANGLE_H
#define WCM_REPORT_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "format/text.h"

/* What gcc and clang begin the names of functions with that initialise the variables of a
 * source file, and what such a name begins with that demanglers know. */
#define WCM_OF_UNIT       "_GLOBAL__sub_"
#define WCM_OF_UNIT_KNOWN "_GLOBAL__"

/* The bytes of the longest demangled name, its zero byte among them. */
enum { WCM_DEMANGLED_MOST = 32 << 10 };

/* Write NAME, of C++, Rust or D, demangled to ROOM, SIZE bytes, with a zero byte behind
 * it; where it IS_SHORT as wcm_name_shorten() has it.  Returns its length; 0 where NAME
 * is not mangled, or is too long, too deep or too much to be taken apart here. */
size_t wcm__demangle(const char *name, bool is_short, char *room, size_t size);

/* Add NAME to LINE demangled, short or with all of its types; as it is where
 * wcm__demangle() has no answer. */
void wcm__line_short(struct wcm_line *line, const char *name);
void wcm__line_demangled(struct wcm_line *line, const char *name);

/* How names of functions are written: zero is the default. */
enum wcm_names { WCM_NAMES_SHORT, WCM_NAMES_FULL, WCM_NAMES_MANGLED };
wcm_name_writer *wcm__names_writer(enum wcm_names names);

/* Memory for the demangler, until it returns. */
void *wcm__demangle_allocate(size_t size);

/* The demangler formats a number: of too many it is given up. */
void wcm__demangle_count_number(void);

#endif
