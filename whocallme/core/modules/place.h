/* SPDX-License-Identifier: MIT */
/* place.h (SAFE) - whether an address is in a module's code, in its data, or in neither. */
#ifndef WCM_MODULES_PLACE_H
#define WCM_MODULES_PLACE_H

#include <stddef.h>
#include <stdint.h>

enum wcm_place {
	WCM_PLACE_OTHER, /* no module's, or data in which the program has made code */
	WCM_PLACE_CODE,
	WCM_PLACE_DATA,
};

enum wcm_place wcm__place_of(uintptr_t address);

/* SIZE bytes from AT are made executable.  Any thread may say so at any time. */
void wcm__place_made_code(uintptr_t at, size_t size);

#endif
