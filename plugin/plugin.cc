// SPDX-License-Identifier: GPL-3.0-or-later
// plugin.cc - what gcc calls when it loads the plugin.
#include "plugin.h"

#include "plugin-version.h"

#include "arguments.h"
#include "callee.h"
#include "chosen.h"
#include "linkage.h"
#include "modes.h"
#include "rules.h"
#include "shown.h"

// gcc loads nothing whose licence has not been said.
extern "C" __attribute__((visibility("default"))) int plugin_is_GPL_compatible;
int plugin_is_GPL_compatible;

static wcm_arguments arguments;
static wcm_rules *rules;
static bool has_matched;
static plugin_info about = { WCM_VERSION, NULL };

// A release of gcc changes its structures; a distribution's rebuild of it, with other
// options for its configure, does not.
static bool is_built_for(const plugin_gcc_version *running)
{
	return !strcmp(running->basever, gcc_version.basever) &&
	       !strcmp(running->devphase, gcc_version.devphase);
}

static void note_linkage(void *, void *)
{
	if (!in_lto_p)
		wcm_note_linkage();
}

static void match_all(void *, void *)
{
	// The second half of LTO has another unit's functions each time.
	if (!in_lto_p) {
		wcm_match_all();
		has_matched = true;
	}
}

// A rule that is misspelt matches nothing.  With warn=yes a line says which rules do.  By default
// there is no line, since one file of rules serves many sources, and most rules match nothing in
// each.
static void warn_of_unmatched(void *, void *)
{
	if (!has_matched || seen_error())
		return;
	for (const wcm_rule &rule : rules->all)
		if (!rule.matched)
			warning_at(UNKNOWN_LOCATION, 0,
				   "%s:%u: %qs matches no function of this compilation",
				   wcm_shown(rules->path).c_str(), rule.line,
				   wcm_shown(rule.word).c_str());
}

static bool has_linkage_rules()
{
	for (const wcm_rule &rule : rules->all)
		if (rule.kind == WCM_LINKAGE)
			return true;
	return false;
}

static void register_rules(const char *name)
{
	rules = wcm_read_rules(arguments.rules);
	if (rules && has_linkage_rules())
		register_callback(name, PLUGIN_ALL_IPA_PASSES_START, note_linkage, NULL);
	if (rules && arguments.warns) {
		register_callback(name, PLUGIN_ALL_IPA_PASSES_START, match_all, NULL);
		register_callback(name, PLUGIN_FINISH_UNIT, warn_of_unmatched, NULL);
	}
}

// Returns 0 after errors, too: they fail the compilation, without a further one of gcc.
extern "C" __attribute__((visibility("default"))) int
plugin_init(plugin_name_args *given, plugin_gcc_version *running)
{
	if (!is_built_for(running)) {
		error("%s is built for gcc %s, and this is gcc %s",
		      wcm_shown(given->full_name).c_str(), gcc_version.basever,
		      running->basever);
		return 0;
	}
	register_callback(given->base_name, PLUGIN_INFO, NULL, &about);
	if (!wcm_read_arguments(given, &arguments))
		return 0;
	if (arguments.provider)
		wcm_probes_by(arguments.provider);
	if (arguments.rules)
		register_rules(given->base_name);
	wcm_choose_by(arguments.mode, rules);
	wcm_keep_callees(given->base_name);
	wcm_register_passes(given->base_name, &arguments);
	if (arguments.mode == &wcm_sled)
		wcm_register_sled_pass(given->base_name);
	return 0;
}
