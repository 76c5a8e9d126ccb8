/* SPDX-License-Identifier: MIT */
/* trace_environment.c - reads what the environment, or a client of the agent, asks of a
 * trace.
 *
 * A program that has more privileges than whoever started it does not obey that one's
 * environment: see wcm__setting().
 */
#include "trace/process/trace_environment.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/modules/dynsym.h"
#include "core/modules/module.h"
#include "core/modules/module_origin.h"
#include "core/report/refuse_setting.h"
#include "core/symbols/symtab_file.h"
#include "format/settings.h"
#include "trace/engine/trace_stderr.h"
#include "trace/engine/tracer.h"
#include "trace/values/words_memory.h"

static bool refuse(char *const from[], enum wcm_setting_id which)
{
	return wcm__setting_refuse(wcm__trace_stderr(), "nothing is traced: ", from, which,
				" makes no sense");
}

static bool read_number(char *const from[], enum wcm_setting_id which, uint64_t most,
			uint64_t *number)
{
	const char *value = wcm__setting(from, which);
	char *end;

	if (!value)
		return true;
	*number = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || *number > most)
		return refuse(from, which);
	return true;
}

/* A decimal number at *TEXT, which goes on behind it and behind a comma that follows. */
static bool read_part(const char **text, uint64_t *number)
{
	char *end;

	*number = strtoull(*text, &end, 10);
	if (**text < '0' || **text > '9' || (*end && (*end != ',' || !end[1])))
		return false;
	*text = end + (*end == ',');
	return true;
}

/* FROM says when the trace began, or nothing: then START->ns is 0. */
static bool read_start(char *const from[], struct wcm_trace_start *start)
{
	const char *value = wcm__setting(from, WCM_SET_TRACE_START), *at = value;

	*start = (struct wcm_trace_start){ 0 };
	if (value && (!read_part(&at, &start->ns) || !read_part(&at, &start->wall) ||
		      (*at && !read_part(&at, &start->namespace)) ||
		      (*at && !read_part(&at, &start->headed)) || *at))
		return refuse(from, WCM_SET_TRACE_START);
	return true;
}

/* Those that take a word, into *FLAGS.  Some have none: they are read where it matters, and refused
 * here. */
static bool read_words(char *const from[], uint32_t *flags)
{
	for (enum wcm_setting_id each = 0; each < WCM_SETTINGS; each++)
		if (wcm__settings[each].reader == WCM_SETTING_TRACE &&
		    wcm__settings[each].kind == WCM_SETTING_WORD &&
		    !wcm__setting_flags(from, each, flags))
			return refuse(from, each);
	return true;
}

/* The crash report's setting is the log's, too. */
static bool read_names(char *const from[], uint32_t *flags)
{
	static const uint32_t names[] = { 0, WCM_TRACE_FULL_NAMES, WCM_TRACE_MANGLED_NAMES };
	int word;

	if (!wcm__setting_word(from, WCM_SET_DEMANGLE, &word))
		return refuse(from, WCM_SET_DEMANGLE);
	*flags |= word > 0 ? names[word] : 0;
	return true;
}

static bool read_filter(char *const from[], struct wcm_trace_options *options,
			struct wcm_trace_filter *filter)
{
	uint64_t depth = 0;

	*filter = (struct wcm_trace_filter){
		.functions = wcm__setting(from, WCM_SET_TRACE_FUNCTIONS),
		.not_functions = wcm__setting(from, WCM_SET_TRACE_NOT_FUNCTIONS),
		.modules = wcm__setting(from, WCM_SET_TRACE_MODULES),
		.not_modules = wcm__setting(from, WCM_SET_TRACE_NOT_MODULES),
		.sources = wcm__setting(from, WCM_SET_TRACE_SOURCES),
		.not_sources = wcm__setting(from, WCM_SET_TRACE_NOT_SOURCES),
		.threads = wcm__setting(from, WCM_SET_TRACE_THREADS),
	};
	options->filter = filter;
	if (!read_number(from, WCM_SET_TRACE_DEPTH, UINT32_MAX, &depth) ||
	    !read_number(from, WCM_SET_TRACE_MIN_NS, UINT64_MAX, &filter->min_ns))
		return false;
	if (wcm__setting(from, WCM_SET_TRACE_DEPTH) && depth == 0)
		return refuse(from, WCM_SET_TRACE_DEPTH);
	filter->depth = (uint32_t)depth;
	return true;
}

bool wcm__trace_environment(char *const from[], struct wcm_trace_options *options,
			    struct wcm_trace_filter *filter)
{
	uint64_t since = 0, shown = 0;
	struct wcm_trace_start start; /* it and since are read where it matters, refused here */

	options->output = wcm__setting(from, WCM_SET_OUTPUT);
	options->library_calls = wcm__setting(from, WCM_SET_TRACE_LIBRARY_CALLS);
	options->library_callers = wcm__setting(from, WCM_SET_TRACE_LIBRARY_CALLERS);
	options->arguments = wcm__setting(from, WCM_SET_TRACE_ARGUMENTS);
	options->system_calls = wcm__setting(from, WCM_SET_TRACE_SYSTEM_CALLS);
	options->probes = wcm__setting(from, WCM_SET_TRACE_PROBES);
	if (!read_number(from, WCM_SET_TRACE_STRING_SIZE, WCM_WORDS_SHOWN_MOST, &shown))
		return false;
	options->string_size = (uint32_t)shown;
	return read_words(from, &options->flags) && read_names(from, &options->flags) &&
	       read_number(from, WCM_SET_TRACE_SINCE, UINT64_MAX, &since) &&
	       read_start(from, &start) && read_filter(from, options, filter);
}

/* What a call of the program's own asks for is not the environment's to empty. */
uint64_t wcm__trace_since(const char *output)
{
	uint64_t since = 0;

	if (output && output == wcm__setting(NULL, WCM_SET_OUTPUT))
		read_number(NULL, WCM_SET_TRACE_SINCE, UINT64_MAX, &since);
	return since;
}

bool wcm__trace_times(uint32_t *flags)
{
	return wcm__setting_flags(NULL, WCM_SET_TRACE_TIME, flags) ||
	       refuse(NULL, WCM_SET_TRACE_TIME);
}

bool wcm__trace_start_time(struct wcm_trace_start *start)
{
	return read_start(NULL, start) && start->ns > 0;
}

/* Whether a setting of "yes" and "no" is not the latter. */
static bool is_wanted(enum wcm_setting_id which)
{
	enum { YES, NO };
	int word;

	return (wcm__setting_word(NULL, which, &word) || refuse(NULL, which)) && word != NO;
}

bool wcm__trace_watches_signals(void)
{
	return is_wanted(WCM_SET_TRACE_SIGNALS);
}

bool wcm__trace_is_carried(void)
{
	return is_wanted(WCM_SET_TRACE_CARRY);
}

/* Whether a setting that is the number of a process is another one's. */
static bool is_of_another(enum wcm_setting_id which)
{
	const char *first = wcm__setting(NULL, which);

	return first && strtol(first, NULL, 10) != getpid();
}

bool wcm__trace_is_inherited(void)
{
	return is_of_another(WCM_SET_TRACE_FIRST);
}

bool wcm__trace_is_of_command(void)
{
	return wcm__setting(NULL, WCM_SET_TRACE_FIRST) && !is_of_another(WCM_SET_TRACE_FIRST);
}

bool wcm__trace_tells_unseen(void)
{
	return wcm__setting(NULL, WCM_SET_TRACE_PID) ? !is_of_another(WCM_SET_TRACE_PID) :
						       wcm__tracer_first() != NULL;
}

/* The vdso's name is no file's. */
static bool lists_sleds(const struct wcm_module *module)
{
	static struct wcm_symtab_search search;
	ElfW(Shdr) section;

	return module->path && strchr(module->path, '/') &&
	       wcm__symtab_find_section(&search, module, SHT_PROGBITS,
					"__patchable_function_entries", &section);
}

static bool calls_hooks(const struct wcm_module *module)
{
	return wcm__dynsym_wants(&module->dynsym, "__cyg_profile_func_enter");
}

bool wcm__trace_is_of(struct wcm_known_module *module)
{
	const uintptr_t here = (uintptr_t)wcm__trace_is_of;

	if (here >= module->map.lo && here < module->map.hi)
		return false; /* a library that is not instrumented: this one */
	module->lists_no_sleds = module->lists_no_sleds || !lists_sleds(&module->map);
	return !module->lists_no_sleds || calls_hooks(&module->map);
}

static int can_be_traced(struct dl_phdr_info *info, size_t size, void *data)
{
	struct wcm_module module;

	(void)size, (void)data;
	if (!wcm__module_identify_held(&module, info->dlpi_addr, info->dlpi_phdr,
				       info->dlpi_phnum,
				       info->dlpi_name ? info->dlpi_name : ""))
		return 0;
	module.path = wcm__module_whole_path(&module);
	return calls_hooks(&module) || lists_sleds(&module);
}

bool wcm__trace_is_pointless(void)
{
	return wcm__setting(NULL, WCM_SET_TRACE_HOOKED_ONLY) &&
	       !wcm__setting(NULL, WCM_SET_TRACE_LIBRARY_CALLS) &&
	       !wcm__setting(NULL, WCM_SET_TRACE_SYSTEM_CALLS) &&
	       !wcm__setting(NULL, WCM_SET_TRACE_PROBES) &&
	       dl_iterate_phdr(can_be_traced, NULL) == 0;
}
