// SPDX-License-Identifier: GPL-3.0-or-later
// hooks.cc - mode=hooks: the calls that -finstrument-functions makes.
#include "plugin.h"

#include "callee.h"
#include "modes.h"

static tree make_type()
{
	return build_function_type_list(void_type_node, ptr_type_node, ptr_type_node, NULL_TREE);
}

static gimple_seq tell_hooks(wcm_point point, location_t location, tree)
{
	tree hook = wcm_callee(point == WCM_ENTRY ? "__cyg_profile_func_enter"
						  : "__cyg_profile_func_exit", make_type);
	tree caller = make_ssa_name(ptr_type_node);
	gcall *find_caller = gimple_build_call(builtin_decl_explicit(BUILT_IN_RETURN_ADDRESS), 1,
					       integer_zero_node);
	gcall *call = gimple_build_call(hook, 2, build_fold_addr_expr(cfun->decl), caller);
	gimple_seq seq = NULL;

	gimple_call_set_lhs(find_caller, caller);
	gimple_set_location(find_caller, location);
	gimple_set_location(call, location);
	gimple_seq_add_stmt(&seq, find_caller);
	gimple_seq_add_stmt(&seq, call);
	return seq;
}

const wcm_mode wcm_hooks = { "hooks", tell_hooks, NULL, "__cyg_profile_func_" };
