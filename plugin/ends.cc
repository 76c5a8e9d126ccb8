// SPDX-License-Identifier: GPL-3.0-or-later
// ends.cc - where the current function ends, other than by an exception.
//
// A sibling call is a candidate only: gcc makes it a jump where the arguments allow, and
// otherwise a call, behind which the code goes on to a return.  The function has ended before
// it, either way, so that what lies behind it is no end any more, unless it is reached from
// elsewhere; there the end is on the edge.
#include "plugin.h"

#include "tree-eh.h"

#include "chosen.h"
#include "ends.h"

static bool is_marked(const gimple *stmt)
{
	const gcall *call = dyn_cast<const gcall *>(stmt);

	return call && (gimple_call_tail_p(call) || gimple_call_must_tail_p(call));
}

// One that is caught here stays a call, although a coroutine's to the one that it resumes is
// marked in any case.
bool wcm_is_sibling_call(const gimple *stmt)
{
	return is_marked(stmt) && lookup_stmt_eh_lp(const_cast<gimple *>(stmt)) <= 0;
}

bool wcm_has_marked_calls()
{
	basic_block block;

	FOR_EACH_BB_FN(block, cfun)
		for (gimple_stmt_iterator gsi = gsi_start_bb(block); !gsi_end_p(gsi);
		     gsi_next(&gsi))
			if (is_marked(gsi_stmt(gsi)))
				return true;
	return false;
}

static bool is_behind(bitmap behind, basic_block block)
{
	return bitmap_bit_p(behind, block->index);
}

// Nothing can be put on such an edge.
static bool is_entered_oddly(basic_block block)
{
	edge e;
	edge_iterator i;

	FOR_EACH_EDGE(e, i, block->preds)
		if (e->flags & EDGE_COMPLEX)
			return true;
	return false;
}

// Marks the blocks that follow a sibling call, the last statement but for a return in BLOCK.
// Returns false where they cannot be told apart from another end.
static bool mark_behind(basic_block block, bitmap behind)
{
	for (basic_block next = block; single_succ_p(next);) {
		next = single_succ(next);
		if (next == EXIT_BLOCK_PTR_FOR_FN(cfun))
			break;
		if (is_entered_oddly(next))
			return false;
	}
	for (basic_block next = block; single_succ_p(next);) {
		next = single_succ(next);
		if (next == EXIT_BLOCK_PTR_FOR_FN(cfun))
			break;
		bitmap_set_bit(behind, next->index);
	}
	return true;
}

// Calls that report an error of the program are no ends: it stands where it did.
static bool is_report(const gcall *call)
{
	tree callee = gimple_call_fndecl(call);

	if (gimple_call_internal_p(call))
		return true;
	if (!callee || !fndecl_built_in_p(callee, BUILT_IN_NORMAL))
		return false;
	built_in_function code = DECL_FUNCTION_CODE(callee);
	if (code > BEGIN_SANITIZER_BUILTINS && code < END_SANITIZER_BUILTINS)
		return true;
#if GCCPLUGIN_VERSION_MAJOR >= 13
	if (code == BUILT_IN_UNREACHABLE_TRAP)
		return true;
#endif
	return code == BUILT_IN_TRAP || code == BUILT_IN_UNREACHABLE;
}

// A call from which the function does not go on.  If it may throw, it ends as other calls do
// that throw; if it may come back by longjmp(), its block has a successor.
static bool is_last_call(const gimple *stmt)
{
	const gcall *call = dyn_cast<const gcall *>(stmt);

	return call && EDGE_COUNT(gimple_bb(stmt)->succs) == 0 && gimple_call_noreturn_p(call) &&
	       !stmt_can_throw_external(cfun, const_cast<gimple *>(stmt)) && !is_report(call);
}

// Whether STMT is the end of a function that has been inlined here.
static bool is_told_by(const gimple *stmt)
{
	tree callee = gimple_call_fndecl(stmt);

	return callee && wcm_is_reserved(callee);
}

// Appends the ends that are statements of BLOCK.  Returns whether one of them is a sibling call.
static bool find_in_block(basic_block block, auto_vec<wcm_end> *ends, bitmap behind)
{
	bool jumps = false;

	for (gimple_stmt_iterator gsi = gsi_start_bb(block); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi);

		if (wcm_is_sibling_call(stmt)) {
			if (!is_told_by(stmt) && mark_behind(block, behind))
				jumps = true;
			else
				gimple_call_set_tail(as_a<gcall *>(stmt), false);
		}
		if (wcm_is_sibling_call(stmt) || is_last_call(stmt))
			ends->safe_push({ stmt, NULL });
	}
	return jumps;
}

// The edges into what follows a sibling call, from elsewhere.
static void find_edges(auto_vec<wcm_end> *ends, bitmap behind,
		       bitmap jumping)
{
	basic_block block;
	edge e;
	edge_iterator i;

	FOR_EACH_BB_FN(block, cfun) {
		if (!is_behind(behind, block))
			continue;
		FOR_EACH_EDGE(e, i, block->preds)
			if (!is_behind(behind, e->src) && !is_behind(jumping, e->src))
				ends->safe_push({ NULL, e });
	}
}

void wcm_find_ends(auto_vec<wcm_end> *ends)
{
	auto_bitmap behind, jumping;
	basic_block block;
	edge e;
	edge_iterator i;

	FOR_EACH_BB_FN(block, cfun)
		if (find_in_block(block, ends, behind))
			bitmap_set_bit(jumping, block->index);
	find_edges(ends, behind, jumping);
	FOR_EACH_EDGE(e, i, EXIT_BLOCK_PTR_FOR_FN(cfun)->preds) {
		gimple *last = gsi_stmt(gsi_last_bb(e->src));

		if (is_behind(behind, e->src) || is_behind(jumping, e->src))
			continue;
		if (last &&
		    (is_a<greturn *>(last) || gimple_call_builtin_p(last, BUILT_IN_RETURN)))
			ends->safe_push({ last, NULL });
		else
			ends->safe_push({ NULL, e });
	}
}
