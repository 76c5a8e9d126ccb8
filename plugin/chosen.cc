// SPDX-License-Identifier: GPL-3.0-or-later
// chosen.cc - which functions are traced: those with a body in the object file that the rules
// choose, but for some that nothing may be put into.
//
// What a function is declared as plays no part in it: an inline one that is inlined everywhere
// has no body, and does not come by.
#include "plugin.h"

#include <fnmatch.h>

#include "chosen.h"
#include "linkage.h"
#include "modes.h"
#include "name.h"
#include "rules.h"

// libiberty's, which is in gcc; the header is in a package of its own.
extern "C" char *cplus_demangle_v3(const char *name, int options);

static const wcm_mode *mode;
static wcm_rules *rules; // NULL: all are chosen

void wcm_choose_by(const wcm_mode *given_mode, wcm_rules *given_rules)
{
	mode = given_mode;
	rules = given_rules;
}

static bool matches_name(const char *glob, tree decl)
{
	std::string name = wcm_assembler_name(decl);

	if (!fnmatch(glob, name.c_str(), 0))
		return true;
	// A copy that gcc has made for some callers.
	std::string original = name.substr(0, name.find('.', 1));
	if (original != name && !fnmatch(glob, original.c_str(), 0))
		return true;
	char *demangled = cplus_demangle_v3(original.c_str(), 0);
	bool matches = demangled && !fnmatch(glob, demangled, 0);
	free(demangled);
	return matches;
}

// The whole path, as gcc has it, or its end after any slash.
static bool matches_file(const char *glob, tree decl)
{
	const char *path = DECL_SOURCE_FILE(decl);

	while (path && fnmatch(glob, path, 0)) {
		path = strchr(path, '/');
		path += path != NULL;
	}
	return path;
}

static bool matches_attribute(const std::string &name, tree decl)
{
	return (name == "inline" && DECL_DECLARED_INLINE_P(decl)) ||
	       lookup_attribute(name.c_str(), DECL_ATTRIBUTES(decl)) ||
	       lookup_attribute(name.c_str(), TYPE_ATTRIBUTES(TREE_TYPE(decl)));
}

static unsigned long count_statements(function *body)
{
	unsigned long count = 0;
	basic_block block;

	FOR_EACH_BB_FN(block, body)
		for (gimple_stmt_iterator gsi = gsi_start_bb(block); !gsi_end_p(gsi);
		     gsi_next(&gsi))
			count += !is_gimple_debug(gsi_stmt(gsi)) &&
				 gimple_code(gsi_stmt(gsi)) != GIMPLE_LABEL;
	return count;
}

// BODY may be NULL: then nothing is of its size.
static bool matches(const wcm_rule &rule, tree decl, function *body)
{
	switch (rule.kind) {
	case WCM_FUNCTIONS:
		return matches_name(rule.word.c_str(), decl);
	case WCM_FILES:
		return matches_file(rule.word.c_str(), decl);
	case WCM_ATTRIBUTES:
		return matches_attribute(rule.word, decl);
	case WCM_LINKAGE:
		return wcm_has_linkage(rule.word, decl);
	case WCM_SIZES:
		break;
	}
	if (!body)
		return false;
	unsigned long size = count_statements(body);
	return rule.least <= size && size <= rule.most;
}

// A function is left out by any rule to exclude it; where there are rules to include some, it
// needs one of them.
static bool rules_choose(function *body)
{
	bool is_included = false, is_excluded = false, includes = false;

	for (const wcm_rule &rule : rules->all) {
		bool is_match = matches(rule, body->decl, body);

		includes |= !rule.excludes;
		(rule.excludes ? is_excluded : is_included) |= is_match;
	}
	return !is_excluded && (!includes || is_included);
}

void wcm_match_all()
{
	cgraph_node *node;

	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
		for (wcm_rule &rule : rules->all)
			if (rule.kind == WCM_SIZES || matches(rule, node->decl, NULL))
				rule.matched = true;
}

// The dynamic linker calls it to find out what an IFUNC is, before it has relocated the module.
static bool is_resolver(tree decl)
{
	cgraph_node *node = cgraph_node::get(decl);
	ipa_ref *reference;

	if (!node)
		return false;
	for (unsigned i = 0; node->iterate_direct_aliases(i, reference); i++) {
		cgraph_node *alias = dyn_cast<cgraph_node *>(reference->referring);

		if (alias && (alias->ifunc_resolver ||
			      lookup_attribute("ifunc", DECL_ATTRIBUTES(alias->decl))))
			return true;
	}
	return false;
}

bool wcm_is_reserved(tree function)
{
	const char *reserved = mode->reserved;

	return reserved && !strncmp(wcm_assembler_name(function), reserved, strlen(reserved));
}

static bool is_left_alone(tree decl)
{
	return lookup_attribute("no_instrument_function", DECL_ATTRIBUTES(decl)) ||
	       lookup_attribute("naked", DECL_ATTRIBUTES(decl)) || is_resolver(decl) ||
	       // glibc's wrappers of this kind have the name of what they call.
	       (DECL_EXTERNAL(decl) && DECL_DISREGARD_INLINE_LIMITS(decl)) ||
	       wcm_is_reserved(decl);
}

bool wcm_is_chosen()
{
	return !is_left_alone(cfun->decl) && (!rules || rules_choose(cfun));
}
