// SPDX-License-Identifier: GPL-3.0-or-later
// arguments.cc - reads -fplugin-arg-inject-NAME=VALUE.
#include "plugin.h"

#include "arguments.h"
#include "modes.h"
#include "shown.h"

// The modes by name, as an error lists them.
static std::string names_of_modes()
{
	std::string names;
	for (const wcm_mode *const *mode = wcm_modes; *mode; mode++)
		names += (mode == wcm_modes ? "" : ", ") + std::string((*mode)->name);
	return names;
}

static const wcm_mode *find_mode(const char *name)
{
	for (const wcm_mode *const *mode = wcm_modes; *mode; mode++)
		if (!strcmp((*mode)->name, name))
			return *mode;
	error("%<mode=%s%> is unknown to the plugin; there are: %s",
	      wcm_shown(name).c_str(), names_of_modes().c_str());
	return NULL;
}

static bool read_yes_or_no(const plugin_argument &argument, bool *answer)
{
	*answer = !strcmp(argument.value, "yes");
	if (*answer || !strcmp(argument.value, "no"))
		return true;
	error("%<%s=%s%> is neither %<yes%> nor %<no%>", argument.key,
	      wcm_shown(argument.value).c_str());
	return false;
}

// As readers of notes and assemblers take it: a name in C.
static bool is_provider_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!ISALPHA(*at) && *at != '_' && (at == name || !ISDIGIT(*at)))
			return false;
	return *name;
}

static bool read_argument(const plugin_argument &argument, wcm_arguments *arguments)
{
	bool is_mode = !strcmp(argument.key, "mode"), is_rules = !strcmp(argument.key, "rules");
	bool is_provider = !strcmp(argument.key, "provider");
	bool is_inline = !strcmp(argument.key, "inline"), is_warn = !strcmp(argument.key, "warn");

	if (!is_mode && !is_rules && !is_provider && !is_inline && !is_warn) {
		error("the plugin has no argument %qs; there are: mode, rules, provider, inline, "
		      "warn", wcm_shown(argument.key).c_str());
		return false;
	}
	if (!argument.value) {
		error("the argument %qs of the plugin needs a value", argument.key);
		return false;
	}
	if (!*argument.value) {
		error("the argument %qs of the plugin has an empty value", argument.key);
		return false;
	}
	if (is_provider && !is_provider_name(argument.value)) {
		error("%<provider=%s%> must be a name as C has them",
		      wcm_shown(argument.value).c_str());
		return false;
	}
	if (is_mode)
		return (arguments->mode = find_mode(argument.value)) != NULL;
	if (is_rules || is_provider) {
		(is_rules ? arguments->rules : arguments->provider) = argument.value;
		return true;
	}
	return read_yes_or_no(argument, is_inline ? &arguments->inlined : &arguments->warns);
}

bool wcm_read_arguments(const plugin_name_args *given, wcm_arguments *arguments)
{
	bool good = true;

	*arguments = wcm_arguments();
	for (int i = 0; i < given->argc; i++)
		good &= read_argument(given->argv[i], arguments);
	if (good && !arguments->mode) {
		error("the plugin needs %<-fplugin-arg-%s-mode=MODE%>, one of: %s",
		      given->base_name, names_of_modes().c_str());
		good = false;
	}
	return good;
}
