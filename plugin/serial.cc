// SPDX-License-Identifier: GPL-3.0-or-later
// serial.cc - mode=serial: calls of the runtime in runtime/, which writes a line for each.
//
//	__inject_trace_write("ev=entry fn=NAME ip=0x", length, address of the lea)
//
// Call and string are reached from where the code stands, and need no relocation: the callee is
// hidden, in the same module.  So it works in code that nobody has relocated yet.
#include "plugin.h"

#include "address.h"
#include "callee.h"
#include "modes.h"
#include "name.h"

static tree make_type()
{
	return build_function_type_list(void_type_node, const_ptr_type_node,
					unsigned_type_node, long_unsigned_type_node, NULL_TREE);
}

static tree trace_write()
{
	tree function = wcm_callee("__inject_trace_write", make_type);

	DECL_VISIBILITY(function) = VISIBILITY_HIDDEN;
	DECL_VISIBILITY_SPECIFIED(function) = 1;
	return function;
}

static gimple_seq tell_serial(wcm_point point, location_t location, tree)
{
	static const char *const words[] = { "entry", "exit", "unwind" };
	std::string prefix = std::string("ev=") + words[point] +
			     " fn=" + wcm_assembler_name(cfun->decl) + " ip=0x";
	tree text = build_string_literal(prefix.size() + 1, prefix.c_str());
	gimple_seq seq = NULL;
	tree address = wcm_own_address(&seq, location);
	gcall *call = gimple_build_call(trace_write(), 3, text,
					build_int_cst(unsigned_type_node, prefix.size()),
					address);

	gimple_set_location(call, location);
	gimple_seq_add_stmt(&seq, call);
	return seq;
}

const wcm_mode wcm_serial = { "serial", tell_serial, NULL, "__inject_" };
