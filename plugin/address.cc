// SPDX-License-Identifier: GPL-3.0-or-later
// address.cc - the address of an inserted instruction.
#include "plugin.h"

#include "address.h"
#include "target.h"

#if defined __x86_64__ && defined TARGET_X32
#define HAS_OWN_ADDRESS (TARGET_LP64)
#else
#define HAS_OWN_ADDRESS false
#endif

// The label is of the assembler alone, and has a number of its own wherever the instruction is
// written: what follows may be copied.
static const char own_address[] =
	".Linject%=:\tlea{q}\t{.Linject%=(%%rip), %0|%0, .Linject%=[rip]}";

tree wcm_own_address(gimple_seq *seq, location_t location)
{
	if (!HAS_OWN_ADDRESS)
		return build_int_cst(long_unsigned_type_node, 0);

	tree address = make_ssa_name(long_unsigned_type_node);
	tree constraint = build_tree_list(NULL_TREE, build_string(strlen("=r"), "=r"));
	vec<tree, va_gc> *outputs = NULL;
	vec_safe_push(outputs, build_tree_list(constraint, address));
	gasm *statement = gimple_build_asm_vec(own_address, NULL, outputs, NULL, NULL);

	gimple_asm_set_volatile(statement, true);
	SSA_NAME_DEF_STMT(address) = statement;
	gimple_set_location(statement, location);
	gimple_seq_add_stmt(seq, statement);
	return address;
}
