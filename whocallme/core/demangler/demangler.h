/* SPDX-License-Identifier: MIT */
/* demangler.h (SAFE) - libiberty's demanglers, in a copy of their own. */
#ifndef WCM_DEMANGLER_DEMANGLER_H
#define WCM_DEMANGLER_DEMANGLER_H

#include <stddef.h>

/* The copy's own symbols are not hidden; one such reference to each is enough. */
#pragma GCC visibility push(hidden)

typedef void wcm_demangled_taker(const char *text, size_t size, void *opaque);

/* What cplus_demangle_v3_callback() and rust_demangle_callback() do; 0: NAME is not
 * mangled so. */
int wcm__demangler_cxx(const char *name, int options, wcm_demangled_taker *take,
		       void *opaque);
int wcm__demangler_rust(const char *name, int options, wcm_demangled_taker *take,
			void *opaque);

/* What dlang_demangle() does; NULL: NAME is not mangled so. */
char *wcm__demangler_d(const char *name, int options);

#pragma GCC visibility pop

#endif
