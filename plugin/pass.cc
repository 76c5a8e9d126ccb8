// SPDX-License-Identifier: GPL-3.0-or-later
// pass.cc - puts what a mode tells into the chosen functions.
//
// It stands behind all that inlines, optimises and marks sibling calls, so that what is told is
// what runs, and a function that is not chosen is compiled as without the plugin; and before
// exceptions lose their regions.  Functions come by there at every level, and from LTO.
//
// For inline=yes it stands once more before anything is inlined.  A function that calls setjmp()
// is never inlined, and waits for the later place.  So does a coroutine that resumes others:
// its calls of them are marked to become jumps from the start, which they cannot with a region of
// ours around them.
#include "plugin.h"

#include "cfgloop.h"
#include "context.h"
#include "gimple-ssa.h"
#include "tree-cfg.h"
#include "tree-into-ssa.h"

#include "arguments.h"
#include "chosen.h"
#include "ends.h"
#include "modes.h"

static const wcm_arguments *arguments;

// Marks a function that has been done, through LTO, and its clones with it.  No program can name
// an attribute so.
static const char done[] = "whocallme done";

static location_t location_of(const gimple *stmt)
{
	return stmt && gimple_has_location(stmt) ? gimple_location(stmt)
						 : cfun->function_end_locus;
}

// What the function gives back at END, if anything, and if that is known there.
static tree result_at(const wcm_end &end)
{
	const greturn *last = end.before ? dyn_cast<const greturn *>(end.before) : NULL;

	return last ? gimple_return_retval(last) : NULL_TREE;
}

static void tell_ends(const auto_vec<wcm_end> &ends)
{
	for (unsigned i = 0; i < ends.length(); i++) {
		const wcm_end &end = ends[i];
		gimple_seq told = arguments->mode->tell(WCM_EXIT, location_of(end.before),
							result_at(end));

		if (end.before) {
			gimple_stmt_iterator gsi = gsi_for_stmt(end.before);
			gsi_insert_seq_before(&gsi, told, GSI_SAME_STMT);
		} else {
			gsi_insert_seq_on_edge(end.on, told);
		}
	}
}

static void tell_unwinding(const auto_vec<gimple *> &throws)
{
	if (throws.is_empty())
		return;
	gimple_stmt_iterator gsi = gsi_after_labels(wcm_catch_throws(throws));
	gimple_seq told = arguments->mode->tell(WCM_UNWIND, cfun->function_end_locus, NULL_TREE);
	gsi_insert_seq_before(&gsi, told, GSI_SAME_STMT);
}

static void tell_points()
{
	auto_vec<wcm_end> ends;
	auto_vec<gimple *> throws;

	wcm_find_ends(&ends);
	wcm_find_throws(&throws);
	tell_ends(ends);
	tell_unwinding(throws);
	gimple_seq told = arguments->mode->tell(WCM_ENTRY, cfun->function_start_locus, NULL_TREE);
	gsi_insert_seq_on_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(cfun)), told);
	gsi_commit_edge_inserts();
	mark_virtual_operands_for_renaming(cfun);
}

static unsigned instrument()
{
	tree decl = cfun->decl;

	DECL_ATTRIBUTES(decl) = tree_cons(get_identifier(done), NULL_TREE, DECL_ATTRIBUTES(decl));
	if (arguments->mode->mark)
		arguments->mode->mark();
	if (!arguments->mode->tell)
		return 0;
	tell_points();
	return TODO_update_ssa;
}

static bool is_done()
{
	return lookup_attribute(done, DECL_ATTRIBUTES(cfun->decl)) != NULL_TREE;
}

static const pass_data late_data = {
	GIMPLE_PASS, "whocallme", OPTGROUP_NONE, TV_PLUGIN_RUN, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

static const pass_data early_data = {
	GIMPLE_PASS, "whocallme_early", OPTGROUP_NONE, TV_PLUGIN_RUN, PROP_cfg | PROP_ssa,
	0, 0, 0, 0,
};

namespace
{
class late_pass : public gimple_opt_pass
{
public:
	late_pass(gcc::context *context) : gimple_opt_pass(late_data, context) {}
	unsigned execute(function *) final override
	{
		return !is_done() && wcm_is_chosen() ? instrument() : 0;
	}
};

class early_pass : public gimple_opt_pass
{
public:
	early_pass(gcc::context *context) : gimple_opt_pass(early_data, context) {}
	bool gate(function *function) final override
	{
		return arguments->inlined && !function->calls_setjmp &&
		       !function->has_nonlocal_label;
	}
	unsigned execute(function *function) final override
	{
		if (!wcm_is_chosen())
			return 0;
		if (!wcm_has_marked_calls())
			return instrument();
		// Where it were inlined, it would not come by the later place.
		DECL_UNINLINABLE(function->decl) = 1;
		return 0;
	}
};
}

void wcm_register_passes(const char *name, const wcm_arguments *given)
{
	register_pass_info late = { new late_pass(g), "resx", 1, PASS_POS_INSERT_BEFORE };
	register_pass_info early = { new early_pass(g), "ssa", 1, PASS_POS_INSERT_AFTER };

	arguments = given;
	register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &late);
	register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &early);
}
