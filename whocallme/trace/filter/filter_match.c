/* SPDX-License-Identifier: MIT */
/* filter_match.c (SAFE) - remembers what a filter's lists say of a function.
 *
 * What is remembered of a function holds for one trace, whose generation is in the value.
 */
#include "trace/filter/filter_match.h"

#include <string.h>

#include "core/os/unwatched.h"
#include "core/os/work_stack.h"
#include "core/report/short_name.h"
#include "core/symbols/address_cache.h"
#include "core/symbols/dlopen_names.h"
#include "core/symbols/slot_names.h"
#include "core/symbols/symbol_name.h"
#include "format/glob.h"
#include "lines/resolver_session.h"
#include "trace/names/name_cache.h"
#include "trace/probe/trace_stderr.h"
#include "whocallme/symbol.h"

uint64_t wcm__filter_seen[WCM_LISTS];
struct wcm_filter_had wcm__filter_had[WCM_KINDS];

/* The match, KNOWN, and the trace's generation. */
#define KNOWN 0x4u
#define VALUE(generation, match) ((uint32_t)(generation) << 8 | KNOWN | (match))

enum { SLOT_BITS = 16 };
static struct wcm_address_entry entries[1 << SLOT_BITS];
static const struct wcm_address_cache known_matches = { entries, SLOT_BITS };

/* A function's names: the linker's, the demangled one, and that without arguments of
 * templates. */
struct names {
	const char *linker, *plain, *brief;
	size_t size, brief_size;
};

static bool names_match(const char *list, const struct names *names,
			enum wcm_filter_list which)
{
	uint64_t *seen = &wcm__filter_seen[which];
	size_t own_size = names->size;
	const char *own = wcm__name_own(names->plain, &own_size);
	size_t to_own_end = (size_t)(own - names->plain) + own_size;
	bool matches = wcm__globs_note(list, names->linker, strlen(names->linker), seen);

	matches |= wcm__globs_note(list, names->plain, names->size, seen);
	matches |= wcm__globs_note(list, names->plain, to_own_end, seen);
	matches |= wcm__globs_note(list, own, own_size, seen);
	if (names->brief)
		matches |= wcm__globs_note(list, names->brief, names->brief_size, seen);
	return matches;
}

/* A function that is being judged, and what a pair of lists says of it. */
struct judged {
	const struct wcm_filter *filter;
	uintptr_t func;
	bool kept, dropped, chosen;
	bool is_certain;
};

/* What the lists of functions say of NAME, or have said of another name of the function. */
static void match_name(const struct wcm_filter *filter, const char *name, bool *kept,
		       bool *dropped)
{
	struct names names = { .linker = name, .plain = name, .size = strlen(name) };
	struct wcm_line line;
	char brief[WCM_LINE_SCRATCH + 1];

	wcm__line_init(&line, -1);
	wcm__name_cache_demangle(&line, name);
	if (line.count == 1) {
		names.plain = line.part[0].iov_base;
		names.size = line.part[0].iov_len;
	}
	if (names.size < sizeof(brief)) {
		memcpy(brief, names.plain, names.size);
		brief[names.size] = '\0';
		names.brief = brief;
		names.brief_size = wcm_name_shorten(brief);
	}
	if (filter->functions)
		*kept |= names_match(filter->functions, &names, WCM_LIST_FUNCTIONS);
	if (filter->not_functions)
		*dropped |= names_match(filter->not_functions, &names, WCM_LIST_NOT_FUNCTIONS);
}

/* A clone has the name of its function, too. */
static void judge_by_name(struct judged *judged, const char *name)
{
	const struct wcm_filter *filter = judged->filter;
	const size_t size = strlen(name), source_size = wcm__source_size(name, size);
	char source[WCM_LINE_SCRATCH];
	bool kept = !filter->functions;

	if (!filter->functions && !filter->not_functions)
		return;
	match_name(filter, name, &kept, &judged->dropped);
	if (source_size < size && source_size < sizeof(source)) {
		memcpy(source, name, source_size);
		source[source_size] = '\0';
		match_name(filter, source, &kept, &judged->dropped);
	}
	judged->kept &= kept;
}

static void judge_by_module(struct judged *judged, const char *path)
{
	const struct wcm_filter *filter = judged->filter;

	if (filter->modules)
		judged->kept &= wcm__globs_note_path(filter->modules, path,
					     &wcm__filter_seen[WCM_LIST_MODULES]);
	if (filter->not_modules)
		judged->dropped |= wcm__globs_note_path(filter->not_modules, path,
					     &wcm__filter_seen[WCM_LIST_NOT_MODULES]);
}

/* Once. */
static void say_unanswered(void)
{
	static bool said;

	if (__atomic_test_and_set(&said, __ATOMIC_RELAXED))
		return;
	wcm__line_say(wcm__trace_stderr(), "functions without a known source file are "
		      "filtered as having none: the whocallme that would find "
		      "it does not answer; WHOCALLME_HELPER names another", NULL, "");
}

/* The outermost of the functions at an address is the one that begins there. */
static void judge_by_source(struct judged *judged)
{
	const struct wcm_filter *filter = judged->filter;
	struct wcm_resolver *resolver = wcm__lines_ask(judged->func);
	struct wcm_answered answered;
	const char *file = "";

	if (!resolver) {
		say_unanswered();
		/* Nothing is known of these lists. */
		wcm__filter_seen[WCM_LIST_SOURCES] = UINT64_MAX;
		wcm__filter_seen[WCM_LIST_NOT_SOURCES] = UINT64_MAX;
		judged->is_certain = false;
		judged->kept &= !filter->sources;
		return;
	}
	while (wcm__resolver_next(resolver, &answered))
		file = answered.file ? answered.file : "";
	if (filter->sources)
		judged->kept &= *file && wcm__globs_note_path(filter->sources, file,
					&wcm__filter_seen[WCM_LIST_SOURCES]);
	if (filter->not_sources)
		judged->dropped |= *file &&
				   wcm__globs_note_path(filter->not_sources, file,
					&wcm__filter_seen[WCM_LIST_NOT_SOURCES]);
	wcm__lines_give_back(resolver);
}

static void judge(void *argument)
{
	struct judged *judged = argument;
	struct wcm_symbol symbol;

	judged->chosen = wcm__slot_name(judged->func) != NULL;
	judged->dropped = !judged->chosen && judged->filter->no_functions;
	if (judged->chosen || judged->dropped)
		return;
	wcm__dlopen_names_peek(judged->func, &symbol);
	judge_by_name(judged, symbol.name ? symbol.name : "");
	judge_by_module(judged, symbol.module ? symbol.module : "");
	if (judged->kept && !judged->dropped &&
	    (judged->filter->sources || judged->filter->not_sources))
		judge_by_source(judged);
}

/* Find out, and remember in SLOT. */
static uint32_t decide(const struct wcm_filter *filter, uintptr_t func,
		       const struct wcm_address_slot *slot)
{
	struct judged judged = { .filter = filter, .func = func, .kept = true,
				 .is_certain = true };
	uint32_t match;

	wcm__unwatched_begin();
	wcm__work_stack_call(judge, &judged);
	wcm__unwatched_end();
	match = (judged.kept ? WCM_MATCH_KEEP : 0) |
		(judged.dropped ? WCM_MATCH_DROP : 0) |
		(judged.chosen ? WCM_MATCH_CHOSEN : 0);
	if (slot->entry && judged.is_certain)
		wcm__address_cache_put(slot, VALUE(filter->generation, match));
	return match;
}

uint32_t wcm__filter_match(const struct wcm_filter *filter, uintptr_t func)
{
	struct wcm_address_slot slot;
	const uint32_t value = wcm__address_cache_find(&known_matches, func, &slot);
	const uint32_t match =
		value & (WCM_MATCH_KEEP | WCM_MATCH_DROP | WCM_MATCH_CHOSEN);

	return value == VALUE(filter->generation, match) ? match
							 : decide(filter, func, &slot);
}
