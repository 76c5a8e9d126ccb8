/* SPDX-License-Identifier: MIT */
/* sources.c - the functions at an address, as data. */
#include "whocallme/lines.h"

enum wcm_status wcm_symbol_resolve(uintptr_t address,
				   struct wcm_sources **sources)
{
	(void)address;
	*sources = NULL;
	return WCM_EHELPER;
}

void wcm_sources_free(struct wcm_sources *sources)
{
	(void)sources;
}
