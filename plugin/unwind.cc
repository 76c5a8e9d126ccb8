// SPDX-License-Identifier: GPL-3.0-or-later
// unwind.cc - exceptions that leave the current function.
//
// The function's body becomes a cleanup region, as a local variable with a destructor would make
// it one: where what throws outside of any region goes, and exceptions that others have no
// handler for, and the outer region of those.  Without the latter, the tables would say of a try
// block that it is entered for its own types alone, and another exception would pass without
// running any code.
#include "plugin.h"

#include "cfghooks.h"
#include "cfgloop.h"
#include "except.h"
#include "tree-cfg.h"
#include "tree-eh.h"

#include "ends.h"
#include "modes.h"

void wcm_find_throws(auto_vec<gimple *> *throws)
{
	basic_block block;

	FOR_EACH_BB_FN(block, cfun)
		for (gimple_stmt_iterator gsi = gsi_start_bb(block); !gsi_end_p(gsi);
		     gsi_next(&gsi)) {
			gimple *stmt = gsi_stmt(gsi);

			if (stmt_can_throw_external(cfun, stmt) && !wcm_is_sibling_call(stmt))
				throws->safe_push(stmt);
		}
}

// A cleanup region around all others.
static eh_region make_outer_region()
{
	eh_region region = gen_eh_region_cleanup(NULL);

	region->inner = region->next_peer;
	region->next_peer = NULL;
	for (eh_region inner = region->inner; inner; inner = inner->next_peer)
		inner->outer = region;
	return region;
}

static basic_block make_landing_block(eh_landing_pad pad)
{
	basic_block block = create_empty_bb(EXIT_BLOCK_PTR_FOR_FN(cfun)->prev_bb);

	block->count = profile_count::zero();
	if (current_loops)
		add_bb_to_loop(block, get_loop(cfun, 0));
	pad->post_landing_pad = gimple_block_label(block);
	EH_LANDING_PAD_NR(pad->post_landing_pad) = pad->index;
	return block;
}

// A statement that throws ends its block.
static void lead_to(gimple *stmt, basic_block landing, int pad)
{
	if (stmt != gsi_stmt(gsi_last_bb(gimple_bb(stmt))))
		split_block(gimple_bb(stmt), stmt);
	add_stmt_to_eh_lp(stmt, pad);
	edge e = make_edge(gimple_bb(stmt), landing, EDGE_EH);
	e->probability = profile_probability::never();
}

basic_block wcm_catch_throws(const auto_vec<gimple *> &throws)
{
	eh_region region = make_outer_region();
	eh_landing_pad pad = gen_eh_landing_pad(region);
	basic_block landing = make_landing_block(pad);
	gimple_stmt_iterator gsi;

	for (unsigned i = 0; i < throws.length(); i++)
		lead_to(throws[i], landing, pad->index);
	gsi = gsi_last_bb(landing);
	gsi_insert_after(&gsi, gimple_build_resx(region->index), GSI_NEW_STMT);
	free_dominance_info(CDI_DOMINATORS);
	free_dominance_info(CDI_POST_DOMINATORS);
	if (current_loops)
		loops_state_set(LOOPS_NEED_FIXUP);
	return landing;
}
