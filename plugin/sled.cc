// SPDX-License-Identifier: GPL-3.0-or-later
// sled.cc - mode=sled: NOPs that the library patches, and the list of them.
//
// It is what -fpatchable-function-entry makes, but for two things.  On x86 the NOPs are one
// instruction, which costs less than five.  And the entry in the list belongs to the function's own
// section and group: gcc 12 has the whole list of a file belong to the first function in it, so
// that no linker can drop a copy of a C++ function and keep the rest.
//
// The NOPs are put in front of all that the function does, but behind what says that it may be
// called indirectly, after the last pass that could move them.
#include "plugin.h"

#include "memmodel.h"
#include "rtl.h"
#include "emit-rtl.h"
#include "context.h"
#include "insn-config.h"
#include "recog.h"

#include "address.h"
#include "modes.h"

// Marks a function that is to have them, through LTO.  No program can name an attribute so.
static const char marked[] = "whocallme sled";

#if defined HAVE_GAS_SECTION_LINK_ORDER && HAVE_GAS_SECTION_LINK_ORDER
#define LINKED "o"
#define LINKED_TO ",.Lwcm_sled%="
#else
#define LINKED ""
#define LINKED_TO ""
#endif

// "?" stands for the group of the function's section, if it is in one.
#define LIST(WORD)                                                                          \
	".Lwcm_sled%=:\t" WCM_SLED "\n"                                                     \
	"\t.pushsection\t__patchable_function_entries,\"aw" LINKED "?\",%%progbits" LINKED_TO "\n" \
	"\t.balign\t" WORD "\n\t." WORD "byte\t.Lwcm_sled%=\n\t.popsection"

static void add_attribute(const char *name, tree values)
{
	DECL_ATTRIBUTES(cfun->decl) = tree_cons(get_identifier(name), values,
						DECL_ATTRIBUTES(cfun->decl));
}

static void mark_sled()
{
	// One that the program has asked for stays as it is.
	if (lookup_attribute("patchable_function_entry", DECL_ATTRIBUTES(cfun->decl)))
		return;
	// The call of the profiler may be written as part of the function's label: what gcc itself
	// puts there is in order with it.
	if (profile_flag)
		add_attribute("patchable_function_entry",
			      build_tree_list(NULL_TREE,
					      build_int_cst(integer_type_node, WCM_SLED_NOPS)));
	else
		add_attribute(marked, NULL_TREE);
}

// Whether INSN says that the function may be called indirectly.
static bool is_landing(rtx_insn *insn)
{
	static const char *const landings[] = { "nop_endbr", "bti_c", "bti_jc", "bti_j" };
	const int code = NONJUMP_INSN_P(insn) ? recog_memoized(insn) : -1;

	if (code < 0)
		return false;
	for (const char *name : landings)
		if (!strcmp(get_insn_name(code), name))
			return true;
	return false;
}

static void emit_sled()
{
	const char *text = POINTER_SIZE == 64 ? LIST("8") : LIST("4");
	rtx sled = gen_rtx_ASM_OPERANDS(VOIDmode, ggc_strdup(text), "", 0, rtvec_alloc(0),
					rtvec_alloc(0), rtvec_alloc(0), UNKNOWN_LOCATION);
	rtx_insn *at = get_insns();

	MEM_VOLATILE_P(sled) = 1;
	while (NOTE_P(at) && NOTE_KIND(at) != NOTE_INSN_CFI && NEXT_INSN(at))
		at = NEXT_INSN(at);
	if (is_landing(at) || (NOTE_P(at) && NOTE_KIND(at) != NOTE_INSN_CFI))
		emit_insn_after_noloc(sled, at, NULL);
	else
		emit_insn_before_noloc(sled, at, NULL);
}

static const pass_data data = {
	RTL_PASS, "whocallme_sled", OPTGROUP_NONE, TV_PLUGIN_RUN, 0, 0, 0, 0, 0,
};

namespace
{
class sled_pass : public rtl_opt_pass
{
public:
	sled_pass(gcc::context *context) : rtl_opt_pass(data, context) {}
	bool gate(function *function) final override
	{
		return lookup_attribute(marked, DECL_ATTRIBUTES(function->decl)) != NULL_TREE;
	}
	unsigned execute(function *) final override
	{
		emit_sled();
		return 0;
	}
};
}

void wcm_register_sled_pass(const char *name)
{
	register_pass_info last = { new sled_pass(g), "shorten", 1, PASS_POS_INSERT_BEFORE };

	register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &last);
}

const wcm_mode wcm_sled = { "sled", NULL, mark_sled, NULL };
