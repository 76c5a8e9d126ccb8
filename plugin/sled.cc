// SPDX-License-Identifier: GPL-3.0-or-later
// sled.cc - mode=sled: the NOPs of -fpatchable-function-entry, which the library patches.
#include "plugin.h"

#include "address.h"
#include "modes.h"

static void mark_sled()
{
	tree name = get_identifier("patchable_function_entry");
	tree nops = build_int_cst(integer_type_node, WCM_SLED_NOPS);

	// One that the program has asked for stays as it is.
	if (!lookup_attribute("patchable_function_entry", DECL_ATTRIBUTES(cfun->decl)))
		DECL_ATTRIBUTES(cfun->decl) = tree_cons(name, build_tree_list(NULL_TREE, nops),
							DECL_ATTRIBUTES(cfun->decl));
}

const wcm_mode wcm_sled = { "sled", NULL, mark_sled, NULL };
