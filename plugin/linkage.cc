// SPDX-License-Identifier: GPL-3.0-or-later
// linkage.cc - the linkage of functions as they are written.
//
// With the whole program before it, gcc makes internal what nothing else calls, external what a
// part of LTO calls in another, and copies are always internal.  So it is noted before that, as an
// attribute, which copies inherit and LTO carries.
#include "plugin.h"

#include "linkage.h"

// No program can name an attribute so; gcc ignores it where it compares functions.
static const char noted[] = "whocallme linkage";

enum { IS_EXTERNAL = 1, IS_WEAK = 2, IS_COMDAT = 4, IS_HIDDEN = 8 };

static int linkage_here(tree function)
{
	return (TREE_PUBLIC(function) ? IS_EXTERNAL : 0) | (DECL_WEAK(function) ? IS_WEAK : 0) |
	       (DECL_COMDAT(function) || DECL_ONE_ONLY(function) ? IS_COMDAT : 0) |
	       (DECL_VISIBILITY(function) == VISIBILITY_HIDDEN ? IS_HIDDEN : 0);
}

void wcm_note_linkage()
{
	cgraph_node *node;

	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
	{
		tree linkage = build_int_cst(integer_type_node, linkage_here(node->decl));

		DECL_ATTRIBUTES(node->decl) =
			tree_cons(get_identifier(noted), build_tree_list(NULL_TREE, linkage),
				  DECL_ATTRIBUTES(node->decl));
	}
}

// A function that gcc has made since has none but that which it has here.
static int linkage_of(tree function)
{
	tree attribute = lookup_attribute(noted, DECL_ATTRIBUTES(function));

	return attribute ? int(TREE_INT_CST_LOW(TREE_VALUE(TREE_VALUE(attribute))))
			 : linkage_here(function);
}

bool wcm_has_linkage(const std::string &word, tree function)
{
	int linkage = linkage_of(function);

	if (word == "internal" || word == "static")
		return !(linkage & IS_EXTERNAL);
	return linkage & (word == "external" ? IS_EXTERNAL
			  : word == "weak"   ? IS_WEAK
			  : word == "comdat" ? IS_COMDAT
					     : IS_HIDDEN);
}
