/* SPDX-License-Identifier: MIT */
/* filter_match.c - what a filter's lists say of a function, remembered.
 *
 * The table is filled by any thread.  An entry belongs to one function; what it says holds
 * for one trace and, in a module that can be unloaded, for that module alone.  All of that is
 * in one word, stored at once, so that a reader needs no lock.
 */
#include "trace/filter/filter_match.h"

#include <string.h>

#include "core/os/read.h"
#include "core/os/unwatched.h"
#include "core/os/work_stack.h"
#include "core/report/short_name.h"
#include "core/symbols/dlopen_names.h"
#include "core/symbols/linked.h"
#include "core/symbols/modules.h"
#include "lines/resolver_session.h"
#include "trace/filter/glob.h"
#include "trace/names/name_cache.h"
#include "trace/names/unloadable.h"
#include "trace/probe/trace_stderr.h"
#include "whocallme/symbol.h"

uint64_t wcm__filter_seen[WCM_LISTS];

enum {
	SLOT_BITS = 16, SLOTS = 1 << SLOT_BITS, TRIES = 8,
	HEAD_WORDS = 128, /* of a module: its headers and mostly its build-id */
};

/* The match, KNOWN, the trace's generation, and which module it is of. */
#define KNOWN 0x4u
#define WORD(module_id, generation, match)                                     \
	((uint64_t)(module_id) << 32 |                                         \
	 (uint64_t)((generation)&0xffffff) << 8 | KNOWN | (match))

static struct entry {
	uintptr_t func;
	uint64_t word;
} entries[SLOTS];

#define PERMANENT UINT32_C(0)
#define NOT_LISTED UINT32_C(0x80000000)

static size_t slot_of(uintptr_t func)
{
	return (size_t)((uint64_t)func * UINT64_C(0x9e3779b97f4a7c15) >>
			(64 - SLOT_BITS));
}

/* Of a module that has come since the list was made: its first page is mapped. */
static uint32_t fingerprint(uintptr_t func)
{
	uint64_t sum = 0;
	uintptr_t lo, hi;

	if (!wcm__linked_find_bounds(func, &lo, &hi))
		return 0;
	for (int i = 0; i < HEAD_WORDS; i++)
		sum = (sum ^ ((const uint64_t *)lo)[i]) *
		      UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(sum >> 32) | NOT_LISTED;
}

/* What tells FUNC's module from another that may come to its place; false: nothing
 * does. */
static bool identify_unloadable(uintptr_t func, uint32_t *module_id)
{
	const struct wcm_known_module *module = wcm__unloadable_find(func);

	*module_id = module ? (uint32_t)module->number + 1 : fingerprint(func);
	return *module_id != 0;
}

static bool is_permanent(uintptr_t func)
{
	enum wcm_module_state state;
	const struct wcm_known_module *module = wcm__modules_find(func, &state);

	return module && module->permanent;
}

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
	bool kept, dropped;
	bool is_certain;
};

static void judge_by_name(struct judged *judged, const char *name)
{
	const struct wcm_filter *filter = judged->filter;
	struct names names = { .linker = name, .plain = name, .size = strlen(name) };
	struct wcm_line line;
	char brief[WCM_LINE_SCRATCH + 1];

	if (!filter->functions && !filter->not_functions)
		return;
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
		judged->kept &= names_match(filter->functions, &names,
					    WCM_LIST_FUNCTIONS);
	if (filter->not_functions)
		judged->dropped |= names_match(filter->not_functions, &names,
					       WCM_LIST_NOT_FUNCTIONS);
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
	struct wcm_line line;

	if (__atomic_test_and_set(&said, __ATOMIC_RELAXED))
		return;
	wcm__line_init(&line, wcm__trace_stderr());
	wcm__line_text(&line, "<whocallme>: functions without a known source file are "
			      "filtered as having none: the whocallme that would find "
			      "it does not answer; WHOCALLME_HELPER names another\n");
	wcm__line_write(&line);
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

	wcm__dlopen_names_peek(judged->func, &symbol);
	judge_by_name(judged, symbol.name ? symbol.name : "");
	judge_by_module(judged, symbol.module ? symbol.module : "");
	if (judged->kept && !judged->dropped &&
	    (judged->filter->sources || judged->filter->not_sources))
		judge_by_source(judged);
}

/* Find out, and remember in ENTRY, if it is FUNC's. */
static uint32_t decide(const struct wcm_filter *filter, uintptr_t func,
		       struct entry *entry)
{
	struct judged judged = { .filter = filter, .func = func, .kept = true,
				 .is_certain = true };
	uint32_t module_id = PERMANENT, match;
	bool lasts;

	wcm__unwatched_begin();
	wcm__work_stack_call(judge, &judged);
	wcm__unwatched_end();
	match = (judged.kept ? WCM_MATCH_KEEP : 0) |
		(judged.dropped ? WCM_MATCH_DROP : 0);
	lasts = judged.is_certain &&
		(is_permanent(func) || identify_unloadable(func, &module_id));
	if (entry && lasts)
		__atomic_store_n(&entry->word,
				 WORD(module_id, filter->generation, match),
				 __ATOMIC_RELEASE);
	return match;
}

/* Whether WORD is of this trace and, of a module that may go, of what is there. */
static bool is_good(uint64_t word, const struct wcm_filter *filter, uintptr_t func)
{
	uint32_t module_id;

	if ((word & WORD(0, -1, 0)) != WORD(0, filter->generation, 0))
		return false;
	return word >> 32 == PERMANENT ||
	       (identify_unloadable(func, &module_id) &&
		word >> 32 == module_id);
}

uint32_t wcm__filter_match(const struct wcm_filter *filter, uintptr_t func)
{
	size_t slot = slot_of(func);

	for (int i = 0; i < TRIES; i++, slot = (slot + 1) % SLOTS) {
		struct entry *entry = &entries[slot];
		uintptr_t key = __atomic_load_n(&entry->func, __ATOMIC_RELAXED);
		uint64_t word;

		if (key == 0 &&
		    __atomic_compare_exchange_n(&entry->func, &key, func, false,
						__ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return decide(filter, func, entry);
		if (key != func)
			continue;
		word = __atomic_load_n(&entry->word, __ATOMIC_ACQUIRE);
		return is_good(word, filter, func)
			       ? word & (WCM_MATCH_KEEP | WCM_MATCH_DROP)
			       : decide(filter, func, entry);
	}
	return decide(filter, func, NULL);
}
