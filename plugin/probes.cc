// SPDX-License-Identifier: GPL-3.0-or-later
// probes.cc - mode=probes: a static probe at the entry and at each end of a function.
//
//	PROVIDER:NAME__entry(parameters)  PROVIDER:NAME__return(result)  PROVIDER:NAME__unwind()
//
// It is what include/whocallme/probe.h makes: a NOP, and a note of where the values are.  Values
// are handed to an asm statement, which takes them where they are; so nothing is called, and
// nothing but a NOP is executed.  Floating point alone is moved, to a general register: readers
// know no other one.  What is no scalar of a word at most is left out.
#include "plugin.h"

#include "ssa.h"
#include "tree-dfa.h"

#include "address.h"
#include "modes.h"
#include "name.h"

enum { MOST_VALUES = 12 };

static const char *provider = "inject";

void wcm_probes_by(const char *name)
{
	provider = name;
}

// The assembler's text of a value of TYPE that is operand NUMBER, in front of which SPACE is.
static std::string value_text(tree type, unsigned number)
{
	std::string size = std::to_string(tree_to_uhwi(TYPE_SIZE_UNIT(type)));
	bool is_float = SCALAR_FLOAT_TYPE_P(type);

	return std::string(number > 0 ? " " : "") +
	       (!is_float && INTEGRAL_TYPE_P(type) && !TYPE_UNSIGNED(type) ? "-" : "") + size +
	       (is_float ? "f" : "") + "@%" + (size == "1" ? WCM_PROBED_BYTE : "") +
	       std::to_string(number);
}

// Readers know floating point of float's and double's sizes, in binary.
static bool is_value(tree type)
{
	bool is_float = SCALAR_FLOAT_TYPE_P(type) && !DECIMAL_FLOAT_TYPE_P(type);
	unsigned long size;

	if ((!INTEGRAL_TYPE_P(type) && !POINTER_TYPE_P(type) && !is_float) ||
	    !tree_fits_uhwi_p(TYPE_SIZE_UNIT(type)))
		return false;
	size = tree_to_uhwi(TYPE_SIZE_UNIT(type));
	return pow2p_hwi(size) && size <= UNITS_PER_WORD && (!is_float || size >= 4);
}

// What is gathered for one probe.
struct values {
	vec<tree, va_gc> *inputs;
	std::string text;
	unsigned count;
};

static void add_value(values *to, tree type, tree value)
{
	tree constraint = build_string(strlen("nor"), "nor");

	if (to->count == MOST_VALUES || !is_value(type))
		return;
	vec_safe_push(to->inputs,
		      build_tree_list(build_tree_list(NULL_TREE, constraint), value));
	to->text += value_text(type, to->count++);
}

// A parameter that is in memory stays there.
static void add_parameters(values *to)
{
	for (tree parameter = DECL_ARGUMENTS(cfun->decl); parameter;
	     parameter = DECL_CHAIN(parameter)) {
		tree type = TREE_TYPE(parameter);

		if (!is_value(type) || TREE_THIS_VOLATILE(parameter))
			continue;
		add_value(to, type, is_gimple_reg(parameter) ?
					    get_or_create_ssa_default_def(cfun, parameter) :
					    parameter);
	}
}

// Bytes of a name that are no assembler's text are not to be in one.
static std::string plain(const std::string &name)
{
	std::string text;

	for (char c : name)
		text += ISALNUM(c) || c == '_' || c == '.' ? c : '_';
	return text;
}

static std::string note(const std::string &name, const std::string &values)
{
	const std::string address = UNITS_PER_WORD == 8 ? " .8byte " : " .4byte ";

	return "990: nop\n"
	       " .pushsection .note.stapsdt,\"?\",\"note\"\n"
	       " .balign 4\n"
	       " .4byte 992f-991f, 994f-993f, 3\n"
	       "991: .asciz \"stapsdt\"\n"
	       "992: .balign 4\n"
	       "993:" + address + "990b, _.stapsdt.base, 0\n"
	       " .asciz \"" + plain(provider) + "\"\n"
	       " .asciz \"" + name + "\"\n"
	       " .asciz \"" + values + "\"\n"
	       "994: .balign 4\n"
	       " .popsection\n"
	       " .ifndef _.stapsdt.base\n"
	       " .pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
	       " .weak _.stapsdt.base\n"
	       " .hidden _.stapsdt.base\n"
	       "_.stapsdt.base: .space 1\n"
	       " .size _.stapsdt.base, 1\n"
	       " .popsection\n"
	       " .endif\n";
}

static gimple_seq tell_probe(wcm_point point, location_t location, tree result)
{
	static const char *const ends[] = { "__entry", "__return", "__unwind" };
	std::string name = plain(wcm_assembler_name(cfun->decl)) + ends[point];
	values values = { NULL, "", 0 };
	gimple_seq seq = NULL;

	if (point == WCM_ENTRY)
		add_parameters(&values);
	else if (point == WCM_EXIT && result && is_gimple_val(result))
		add_value(&values, TREE_TYPE(result), result);
	gasm *statement = gimple_build_asm_vec(ggc_strdup(note(name, values.text).c_str()),
					       values.inputs, NULL, NULL, NULL);
	gimple_asm_set_volatile(statement, true);
	gimple_asm_set_inline(statement, true);
	gimple_set_location(statement, location);
	gimple_seq_add_stmt(&seq, statement);
	return seq;
}

const wcm_mode wcm_probes = { "probes", tell_probe, NULL, NULL };
