/* SPDX-License-Identifier: MIT */
/* none.c (SAFE) - where libiberty cannot be copied: names stay mangled. */
#include "core/demangler/demangler.h"

int wcm__demangler_cxx(const char *name, int options, wcm_demangled_taker *take,
		       void *opaque)
{
	(void)name, (void)options, (void)take, (void)opaque;
	return 0;
}

int wcm__demangler_rust(const char *name, int options, wcm_demangled_taker *take,
			void *opaque)
{
	(void)name, (void)options, (void)take, (void)opaque;
	return 0;
}

char *wcm__demangler_d(const char *name, int options)
{
	(void)name, (void)options;
	return NULL;
}
