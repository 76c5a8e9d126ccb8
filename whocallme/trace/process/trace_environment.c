/* SPDX-License-Identifier: MIT */
/* trace_environment.c - reads what the environment, or a client of the agent, asks of a
 * trace.
 *
 * A program that has more privileges than whoever started it does not obey that one's
 * environment: every variable is read by secure_getenv(3).
 */
#include "trace/process/trace_environment.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/modules/dynsym.h"
#include "core/modules/module.h"
#include "core/modules/module_origin.h"
#include "core/report/line.h"
#include "core/symbols/symtab_file.h"
#include "trace/engine/trace_stderr.h"
#include "trace/engine/tracer.h"

#define PREFIX "WHOCALLME_TRACE_"

/* The value that the list FROM, of entries NAME=VALUE, has for NAME. */
static const char *listed(char *const from[], const char *name)
{
	const size_t length = strlen(name);

	for (; *from; from++)
		if (strncmp(*from, name, length) == 0 && (*from)[length] == '=')
			return *from + length + 1;
	return NULL;
}

/* FROM is NULL for the environment.  What is set to nothing is not set. */
static const char *setting(char *const from[], const char *name)
{
	const char *value = from ? listed(from, name) : secure_getenv(name);

	return value && *value ? value : NULL;
}

static bool refuse(const char *name, const char *value, const char *takes)
{
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, "nothing is traced: ");
	wcm__line_text(&line, name);
	wcm__line_text(&line, "=");
	wcm__line_name(&line, value);
	wcm__line_text(&line, " makes no sense; it takes ");
	wcm__line_text(&line, takes);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
	return false;
}

/* Set FLAG in *FLAGS if the variable NAME is WORD.  False where it is neither that
 * nor OTHER. */
static bool read_flag(char *const from[], const char *name, const char *word,
		      const char *other, uint32_t flag, uint32_t *flags)
{
	const char *value = setting(from, name);

	if (value && strcmp(value, word) == 0)
		*flags |= flag;
	else if (value && strcmp(value, other) != 0)
		return refuse(name, value, "yes or no");
	return true;
}

static bool read_number(char *const from[], const char *name, uint64_t most,
			uint64_t *number)
{
	const char *value = setting(from, name);
	char *end;

	if (!value)
		return true;
	*number = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || *number > most)
		return refuse(name, value, "a number");
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
	static const char name[] = PREFIX "START";
	const char *value = setting(from, name), *at = value;

	*start = (struct wcm_trace_start){ 0 };
	if (value && (!read_part(&at, &start->ns) || !read_part(&at, &start->wall) ||
		      (*at && !read_part(&at, &start->namespace)) || *at))
		return refuse(name, value, "numbers with commas between");
	return true;
}

static bool read_time(char *const from[], uint32_t *flags)
{
	static const char name[] = PREFIX "TIME";
	const char *value = setting(from, name);

	if (!value || strcmp(value, "relative") == 0)
		return true;
	if (strcmp(value, "absolute") == 0)
		*flags |= WCM_TRACE_ABSOLUTE_TIMES;
	else if (strcmp(value, "delta") == 0)
		*flags |= WCM_TRACE_DELTA_TIMES;
	else
		return refuse(name, value, "relative, absolute or delta");
	return true;
}

static bool read_callees(char *const from[], uint32_t *flags)
{
	static const char name[] = PREFIX "CALLEES";
	const char *value = setting(from, name);

	if (!value)
		return true;
	if (strcmp(value, "keep") == 0)
		*flags |= WCM_TRACE_KEEP_CALLEES;
	else if (strcmp(value, "hide") == 0)
		*flags |= WCM_TRACE_HIDE_CALLEES;
	else if (strcmp(value, "keep,hide") == 0)
		*flags |= WCM_TRACE_KEEP_CALLEES | WCM_TRACE_HIDE_CALLEES;
	else
		return refuse(name, value, "keep, hide or keep,hide");
	return true;
}

static bool read_filter(char *const from[], struct wcm_trace_options *options,
			struct wcm_trace_filter *filter)
{
	uint64_t depth = 0;

	*filter = (struct wcm_trace_filter){
		.functions = setting(from, PREFIX "FUNCTIONS"),
		.not_functions = setting(from, PREFIX "NOT_FUNCTIONS"),
		.modules = setting(from, PREFIX "MODULES"),
		.not_modules = setting(from, PREFIX "NOT_MODULES"),
		.sources = setting(from, PREFIX "SOURCES"),
		.not_sources = setting(from, PREFIX "NOT_SOURCES"),
		.threads = setting(from, PREFIX "THREADS"),
	};
	options->filter = filter;
	if (!read_number(from, PREFIX "DEPTH", UINT32_MAX, &depth) ||
	    !read_number(from, PREFIX "MIN_NS", UINT64_MAX, &filter->min_ns))
		return false;
	filter->depth = (uint32_t)depth;
	return true;
}

bool wcm__trace_environment(char *const from[], struct wcm_trace_options *options,
			    struct wcm_trace_filter *filter)
{
	uint32_t later = 0; /* read where it matters, and refused here */
	uint64_t since = 0;
	struct wcm_trace_start start; /* both as well */

	options->output = setting(from, "WHOCALLME_OUTPUT");
	options->library_calls = setting(from, PREFIX "LIBRARY_CALLS");
	options->library_callers = setting(from, PREFIX "LIBRARY_CALLERS");
	options->arguments = setting(from, PREFIX "ARGUMENTS");
	options->system_calls = setting(from, PREFIX "SYSTEM_CALLS");
	options->probes = setting(from, PREFIX "PROBES");
	return read_flag(from, PREFIX "EXITS", "yes", "no", WCM_TRACE_EXITS,
			 &options->flags) &&
	       read_flag(from, PREFIX "TIMES", "no", "yes", WCM_TRACE_NO_TIMES,
			 &options->flags) &&
	       read_flag(from, PREFIX "REPLACE", "yes", "no", WCM_TRACE_REPLACE,
			 &options->flags) &&
	       read_flag(from, PREFIX "DATA", "no", "yes", WCM_TRACE_NO_DATA, &options->flags) &&
	       read_flag(from, PREFIX "SIGNALS", "no", "yes", 1, &later) &&
	       read_flag(from, PREFIX "CARRY", "no", "yes", 1, &later) &&
	       read_number(from, PREFIX "SINCE", UINT64_MAX, &since) &&
	       read_start(from, &start) && read_time(from, &options->flags) &&
	       read_callees(from, &options->flags) && read_filter(from, options, filter);
}

/* What a call of the program's own asks for is not the environment's to empty. */
uint64_t wcm__trace_since(const char *output)
{
	uint64_t since = 0;

	if (output && output == setting(NULL, "WHOCALLME_OUTPUT"))
		read_number(NULL, PREFIX "SINCE", UINT64_MAX, &since);
	return since;
}

bool wcm__trace_times(uint32_t *flags)
{
	return read_time(NULL, flags);
}

bool wcm__trace_start_time(struct wcm_trace_start *start)
{
	return read_start(NULL, start) && start->ns > 0;
}

bool wcm__trace_watches_signals(void)
{
	uint32_t no = 0;

	return read_flag(NULL, PREFIX "SIGNALS", "no", "yes", 1, &no) && !no;
}

bool wcm__trace_is_carried(void)
{
	uint32_t no = 0;

	return read_flag(NULL, PREFIX "CARRY", "no", "yes", 1, &no) && !no;
}

/* Whether the variable NAME, which has the number of a process, has another one's. */
static bool is_of_another(const char *name)
{
	const char *first = setting(NULL, name);

	return first && strtol(first, NULL, 10) != getpid();
}

bool wcm__trace_is_inherited(void)
{
	return is_of_another(PREFIX "FIRST");
}

bool wcm__trace_tells_unseen(void)
{
	return setting(NULL, PREFIX "PID") ? !is_of_another(PREFIX "PID") :
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
	return setting(NULL, PREFIX "HOOKED_ONLY") &&
	       !setting(NULL, PREFIX "LIBRARY_CALLS") &&
	       !setting(NULL, PREFIX "SYSTEM_CALLS") && !setting(NULL, PREFIX "PROBES") &&
	       dl_iterate_phdr(can_be_traced, NULL) == 0;
}
