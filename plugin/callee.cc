// SPDX-License-Identifier: GPL-3.0-or-later
// callee.cc - the functions that are called by what is inserted.
#include "plugin.h"

#include "ggc.h"

#include "callee.h"

// More than a mode has.
static tree callees[4];

static tree declare(const char *name, tree type)
{
	tree function = build_fn_decl(name, type);

	TREE_NOTHROW(function) = 1;
	// In a function that calls setjmp(), a call of another kind would need an edge back.
	DECL_ATTRIBUTES(function) = tree_cons(get_identifier("leaf"), NULL_TREE,
					      DECL_ATTRIBUTES(function));
	return function;
}

tree wcm_callee(const char *name, tree (*make_type)())
{
	tree *callee = callees;

	while (*callee && strcmp(IDENTIFIER_POINTER(DECL_NAME(*callee)), name))
		callee++;
	if (!*callee)
		*callee = declare(name, make_type());
	return *callee;
}

void wcm_keep_callees(const char *plugin)
{
	static const ggc_root_tab roots[] = {
		{ callees, ARRAY_SIZE(callees), sizeof(callees[0]), gt_ggc_mx_tree_node,
		  gt_pch_nx_tree_node },
		LAST_GGC_ROOT_TAB,
	};

	register_callback(plugin, PLUGIN_REGISTER_GGC_ROOTS, NULL,
			  const_cast<ggc_root_tab *>(roots));
}
