/* SPDX-License-Identifier: MIT */
/* prototypes_include.h (SAFE) - what the table that prototypes.awk makes is compiled with. */
#ifndef WCM_VALUES_PROTOTYPES_INCLUDE_H
#define WCM_VALUES_PROTOTYPES_INCLUDE_H

#include <stdint.h>

#include "trace/values/prototypes.h"

#define IN

/* What is deprecated is called nevertheless. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define LETTER(type) \
	(sizeof(type) == 1 ? 'a' : sizeof(type) == 2 ? 'h' : sizeof(type) == 4 ? 'i' : 'l')
#define INTEGER(type) ((type)-1 < (type)1 ? LETTER(type) : LETTER(type) - 'a' + 'A')

/* The type of the function NAME is the one that the list has. */
#define SAME(name)                                                                     \
	_Static_assert(__builtin_types_compatible_p(__typeof__(name),                  \
						    __typeof__(wcm__as_##name)),       \
		       "the prototype of " #name " is not the one of the header")

#endif
