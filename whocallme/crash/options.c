/* SPDX-License-Identifier: MIT */
/* options.c (SAFE) - turns the options of an install into the plan of a report.
 *
 * All that can be decided is decided at install: the process that crashes later has no
 * environment to rely on and no time to look at it.
 */
#include "crash/options.h"

#include <string.h>
#include <unistd.h>

#include "core/os/environment.h"
#include "crash/files/report_file.h"

enum { DEADLINE_MS = 5000 };

static const uint32_t all_flags = WCM_CRASH_JSON | WCM_CRASH_CHAIN_FIRST |
				  WCM_CRASH_FILE_ONLY |
				  WCM_CRASH_THREADS_ON_QUIT |
				  WCM_CRASH_NO_LINES | WCM_CRASH_APPEND |
				  WCM_CRASH_FULL_NAMES | WCM_CRASH_MANGLED_NAMES |
				  WCM_CRASH_NO_ARGUMENTS | WCM_CRASH_ANY_DESCRIPTOR;
static const uint32_t all_sections =
	WCM_SECTION_STACK | WCM_SECTION_REGISTERS | WCM_SECTION_CODE |
	WCM_SECTION_THREADS | WCM_SECTION_MODULES | WCM_SECTION_PROGRAM | WCM_SECTION_CALLS;

static bool is_known(const struct wcm_crash_options *options)
{
	static const struct wcm_crash_options zero;

	const uint32_t both = WCM_CRASH_FULL_NAMES | WCM_CRASH_MANGLED_NAMES;

	return !(options->flags & ~all_flags) && (options->flags & both) != both &&
	       !(options->sections & ~(all_sections | WCM_SECTION_THREAD_CALLS)) &&
	       memcmp(options->reserved, zero.reserved,
		      sizeof(zero.reserved)) == 0;
}

/* https://no-color.org: set, and not to nothing. */
static bool wants_colours(void)
{
	const char *refused = wcm__environment("NO_COLOR"), *term = wcm__environment("TERM");

	return !(refused && *refused) && term && *term &&
	       !(strlen(term) == 4 && memcmp(term, "dumb", 4) == 0);
}

static bool copy_file(struct wcm_crash_plan *plan, const char *pattern)
{
	size_t length = pattern ? strlen(pattern) : 0;

	if (!pattern)
		return true;
	if (length == 0 || length >= sizeof(plan->file) ||
	    !wcm__crash_file_is_pattern(pattern))
		return false;
	memcpy(plan->file, pattern, length + 1);
	return true;
}

/* JSON is for programs, which have "whocallme resolve" add the lines. */
static bool plan_lines(struct wcm_crash_plan *plan, const char *path)
{
	bool good = wcm__resolver_plan_init(&plan->resolver, path,
					    WCM_DEBUG_DATA_HERE);

	if (plan->flags & (WCM_CRASH_NO_LINES | WCM_CRASH_JSON))
		plan->resolver.wanted = false;
	return good;
}

enum wcm_status wcm__crash_plan_init(struct wcm_crash_plan *plan,
				     const struct wcm_crash_options *options)
{
	static const struct wcm_crash_options zero;

	if (!options)
		options = &zero;
	wcm__descriptor_note(&plan->descriptor,
			     options->fd > 0 ? options->fd : STDERR_FILENO);
	plan->flags = options->flags;
	plan->sections = options->sections ? options->sections : all_sections;
	plan->deadline_ms =
		options->deadline_ms ? options->deadline_ms : DEADLINE_MS;
	plan->names = plan->flags & WCM_CRASH_FULL_NAMES      ? WCM_NAMES_FULL
		      : plan->flags & WCM_CRASH_MANGLED_NAMES ? WCM_NAMES_MANGLED
							      : WCM_NAMES_SHORT;
	plan->callback = options->callback;
	plan->callback_data = options->callback_data;
	plan->colours = !(plan->flags & WCM_CRASH_JSON) && wants_colours();
	plan->file[0] = '\0';
	if (!is_known(options) || !copy_file(plan, options->file) ||
	    !plan_lines(plan, options->helper))
		return WCM_EINVAL;
	if ((plan->flags & (WCM_CRASH_FILE_ONLY | WCM_CRASH_APPEND)) &&
	    !plan->file[0])
		return WCM_EINVAL;
	return WCM_OK;
}
