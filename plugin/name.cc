// SPDX-License-Identifier: GPL-3.0-or-later
// name.cc - the names of functions.
#include "plugin.h"

#include "name.h"

const char *wcm_assembler_name(tree function)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));

	// A name that the program has given by asm("...") is marked so.
	return name + (*name == '*');
}
