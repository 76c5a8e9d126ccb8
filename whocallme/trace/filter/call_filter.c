/* SPDX-License-Identifier: MIT */
/* call_filter.c (SAFE) - passes calls on to the sink that it wraps, or does not.
 *
 * Names, depth and duration choose calls of functions.  Library calls, system calls and probes
 * have been chosen by lists of their own: threads alone, and what hides its callees, hide them.
 *
 * A hidden call stays in the shadow stack, because frames are compared there, but it has no
 * depth.  A call that may turn out too short is held back: the sink inside is told of it
 * once it has lasted, before anything that comes later, or never.
 */
#include "trace/filter/call_filter.h"

#include <string.h>

#include "core/arch/arch.h"
#include "core/os/process.h"
#include "core/os/unwatched.h"
#include "core/os/work_stack.h"
#include "core/report/demangle.h"
#include "core/report/short_name.h"
#include "core/symbols/address_cache.h"
#include "core/symbols/dlopen_names.h"
#include "core/symbols/slot_names.h"
#include "core/symbols/symbol_name.h"
#include "format/glob.h"
#include "format/words.h"
#include "lines/resolver_session.h"
#include "trace/filter/filter_lists.h"
#include "trace/engine/gate.h"
#include "trace/engine/sharing.h"
#include "trace/engine/sink.h"
#include "trace/engine/ticks.h"
#include "trace/engine/trace_stderr.h"
#include "whocallme/symbol.h"

#define WCM_MATCH_KEEP 0x1u /* every list that keeps names it */
#define WCM_MATCH_DROP 0x2u /* a list that drops names it */
#define WCM_MATCH_CHOSEN 0x8u /* no function: a library call, a system call, a static probe */

/* Remembers what a filter's lists say of a function.
 *
 * What is remembered of a function holds for one trace, whose generation is in the value. */

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

/* False: the list is none, too. */
static bool names_match(const struct wcm_filter *filter, const struct names *names,
			enum wcm_filter_list which)
{
	const char *list = filter->list[which];
	uint64_t *seen = &wcm__filter_seen[which];
	size_t own_size = names->size;
	const char *own = wcm__name_own(names->plain, &own_size);
	size_t to_own_end = (size_t)(own - names->plain) + own_size;
	bool matches;

	if (!list)
		return false;
	matches = wcm__globs_note(list, names->linker, strlen(names->linker), seen);
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
	wcm__line_demangled(&line, name);
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
	*kept |= names_match(filter, &names, WCM_LIST_FUNCTIONS);
	*dropped |= names_match(filter, &names, WCM_LIST_NOT_FUNCTIONS);
}

/* A clone has the name of its function, too. */
static void judge_by_name(struct judged *judged, const char *name)
{
	const struct wcm_filter *filter = judged->filter;
	const size_t size = strlen(name), source_size = wcm__source_size(name, size);
	char source[WCM_LINE_SCRATCH];
	bool kept = !filter->list[WCM_LIST_FUNCTIONS];

	if (!filter->list[WCM_LIST_FUNCTIONS] && !filter->list[WCM_LIST_NOT_FUNCTIONS])
		return;
	match_name(filter, name, &kept, &judged->dropped);
	if (source_size < size && source_size < sizeof(source)) {
		memcpy(source, name, source_size);
		source[source_size] = '\0';
		match_name(filter, source, &kept, &judged->dropped);
	}
	judged->kept &= kept;
}

static bool path_matches(const char *list, const char *path, int which)
{
	return list && wcm__globs_note_path(list, path, &wcm__filter_seen[which]);
}

/* What the list KEEPS, and the one that follows it, which leaves out, say of PATH. */
static void judge_by_path(struct judged *judged, const char *path, int keeps)
{
	const char *const *list = &judged->filter->list[keeps];

	judged->kept &= !list[0] || path_matches(list[0], path, keeps);
	judged->dropped |= path_matches(list[1], path, keeps + 1);
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
		judged->kept &= !filter->list[WCM_LIST_SOURCES];
		return;
	}
	while (wcm__resolver_next(resolver, &answered))
		file = answered.file ? answered.file : "";
	if (*file)
		judge_by_path(judged, file, WCM_LIST_SOURCES);
	else
		judged->kept &= !filter->list[WCM_LIST_SOURCES];
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
	judge_by_path(judged, symbol.module ? symbol.module : "", WCM_LIST_MODULES);
	if (judged->kept && !judged->dropped &&
	    (judged->filter->list[WCM_LIST_SOURCES] || judged->filter->list[WCM_LIST_NOT_SOURCES]))
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

/* Of the function that begins at FUNC.  Remembered: the first one takes long, the
 * others a few nanoseconds. */
static uint32_t filter_match(const struct wcm_filter *filter, uintptr_t func)
{
	struct wcm_address_slot slot;
	const uint32_t value = wcm__address_cache_find(&known_matches, func, &slot);
	const uint32_t match =
		value & (WCM_MATCH_KEEP | WCM_MATCH_DROP | WCM_MATCH_CHOSEN);

	return value == VALUE(filter->generation, match) ? match
							 : decide(filter, func, &slot);
}

enum {
	NAME_ROOM = 32,
	FIRST_LOOKS = 256, /* events: a new thread is given its name soon */
	EVERY_LOOK = 1024,
};

#define BETWEEN_LOOKS ((uint64_t)1000 * 1000) /* nanoseconds */

/* One trace is open at a time. */
static const struct wcm_filter *latest;

static bool is_time_to_look(struct wcm_tracer *tracer, uint64_t now)
{
	const uint32_t looks = tracer->looks++;

	if (looks < FIRST_LOOKS)
		return true;
	return now ? now >= tracer->look_at : looks % EVERY_LOOK == 0;
}

/* Whether the thread, by the name that it has now, is one of those wanted. */
static bool is_wanted(const struct wcm_filter *filter, struct wcm_tracer *tracer,
		      uint64_t now)
{
	uint64_t *seen = &wcm__filter_seen[WCM_LIST_THREADS];
	char name[NAME_ROOM] = "", number[NAME_ROOM];
	size_t digits;

	if (!filter->list[WCM_LIST_THREADS])
		return true;
	if (!is_time_to_look(tracer, now))
		return tracer->is_wanted;
	tracer->look_at = now + BETWEEN_LOOKS;
	digits = wcm__format_decimal(number, tracer->tid);
	wcm__thread_name_get(name);
	tracer->is_wanted = wcm__globs_note(filter->list[WCM_LIST_THREADS], number, digits, seen);
	tracer->is_wanted |=
		wcm__globs_note(filter->list[WCM_LIST_THREADS], name, strlen(name), seen);
	return tracer->is_wanted;
}

/* The call that CALL, of the stack in use, is made by, or that it has interrupted. */
static const struct wcm_call *caller_of(const struct wcm_tracer *tracer,
					const struct wcm_call *call)
{
	const struct wcm_shadow *shadow = tracer->shadow;

	if (call > shadow->call)
		return call - 1;
	shadow = shadow->alternate ? shadow->next : NULL;
	return shadow && shadow->depth > 0 ? &shadow->call[shadow->depth - 1] :
					     NULL;
}

/* The flags of a call that MATCH is said of, in a call with the flags INHERITED. */
static uint32_t flags_by_name(const struct wcm_filter *filter, uint32_t match,
			      uint32_t inherited)
{
	uint32_t flags = inherited & (WCM_CALL_KEEPS | WCM_CALL_HIDES);

	if (flags & WCM_CALL_HIDES)
		return flags | WCM_CALL_HIDDEN;
	if (match & WCM_MATCH_CHOSEN)
		return flags;
	if (match & WCM_MATCH_DROP)
		return flags | WCM_CALL_HIDDEN |
		       (filter->hides_callees ? WCM_CALL_HIDES : 0);
	if (match & WCM_MATCH_KEEP)
		return flags | (filter->keeps && filter->keeps_callees ?
					WCM_CALL_KEEPS : 0);
	return flags & WCM_CALL_KEEPS ? flags : flags | WCM_CALL_HIDDEN;
}

static void note_had(enum wcm_filter_kind kind, bool is_hidden)
{
	bool *had = is_hidden ? &wcm__filter_had[kind].hidden : &wcm__filter_had[kind].shown;

	if (!__atomic_load_n(had, __ATOMIC_RELAXED))
		__atomic_store_n(had, true, __ATOMIC_RELAXED);
}

static void show(struct wcm_tracer *tracer, struct wcm_call *call)
{
	call->flags &= (uint8_t)~WCM_CALL_HELD;
	tracer->calls++;
	note_had(WCM_KIND_FUNCTION, false);
	latest->inner->enter(tracer, call,
					wcm__shadow_depth(tracer->shadow, call));
}

/* Show those of the first COUNT calls of the stack in use that are held back, up to
 * one that has begun after BEGUN. */
static void show_begun(struct wcm_tracer *tracer, uint32_t count, uint64_t begun)
{
	struct wcm_shadow *shadow = tracer->shadow;
	uint32_t i = shadow->held < count ? shadow->held : count;

	for (; i < count && shadow->call[i].begin <= begun; i++)
		if (shadow->call[i].flags & WCM_CALL_HELD)
			show(tracer, &shadow->call[i]);
	shadow->held = i;
}

static uint64_t before(uint64_t now, uint64_t ns)
{
	return now > ns ? now - ns : 0;
}

/* Whether FILTER's depth of calls of functions is reached in the first COUNT calls of SHADOW and
 * those that they have interrupted.  The outermost come first, for they are the ones shown. */
static bool is_deep(const struct wcm_filter *filter, const struct wcm_shadow *shadow,
		    uint32_t count)
{
	const struct wcm_shadow *outer = shadow->alternate ? shadow->next : NULL;
	const uint32_t before = outer ? outer->depth : 0;
	uint32_t functions = 0;

	for (uint32_t i = 0; i < before + count && functions < filter->depth; i++) {
		const struct wcm_call *call = i < before ? &outer->call[i] :
							   &shadow->call[i - before];

		functions += !(call->flags & WCM_CALL_HIDDEN) &&
			     !(filter_match(filter, call->func) & WCM_MATCH_CHOSEN);
	}
	return functions >= filter->depth;
}

/* Whether FILTER has something against CALL, which is at DEPTH and begins now, besides
 * what it has against its function. */
static bool is_refused(const struct wcm_filter *filter, struct wcm_tracer *tracer,
		       const struct wcm_call *call, uint32_t depth, bool is_function)
{
	const uint32_t around = (uint32_t)(call - tracer->shadow->call);

	return (is_function && filter->depth > 0 && depth >= filter->depth &&
		/* Where nothing but functions is traced, as mostly, all that is open counts. */
		(!wcm__slot_names_first() || is_deep(filter, tracer->shadow, around))) ||
	       !is_wanted(filter, tracer, call->begin);
}

/* A call that is not told now is not counted now: show() does it.  One that is told now comes
 * after those that it is in, however short they turn out to be. */
static void enter(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth)
{
	const struct wcm_filter *filter = latest;
	const struct wcm_call *caller = caller_of(tracer, call);
	const uint32_t inherited = caller ? caller->flags : 0;
	const uint32_t match =
		inherited & WCM_CALL_HIDES ? 0 : filter_match(filter, call->func);
	const bool is_function = !(match & WCM_MATCH_CHOSEN);
	uint32_t flags = flags_by_name(filter, match, inherited);

	if (is_refused(filter, tracer, call, depth, is_function))
		flags |= WCM_CALL_HIDDEN;
	if (filter->min_ns > 0)
		show_begun(tracer, (uint32_t)(call - tracer->shadow->call),
			   is_function || (flags & WCM_CALL_HIDDEN) ?
				   before(call->begin, filter->min_ns) : UINT64_MAX);
	if (!(flags & WCM_CALL_HIDDEN) && filter->min_ns > 0 && is_function)
		flags |= WCM_CALL_HELD;
	call->flags |= (uint8_t)flags;
	if (!(flags & WCM_CALL_HELD))
		note_had(is_function ? WCM_KIND_FUNCTION : WCM_KIND_CHOSEN,
			 flags & WCM_CALL_HIDDEN);
	if (flags & (WCM_CALL_HIDDEN | WCM_CALL_HELD))
		tracer->calls--;
	else
		filter->inner->enter(tracer, call, depth);
}

/* A call that has been held back and has not lasted is hidden for good; one that has is
 * told now, with what has called it. */
static void leave(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
		  uint64_t now, enum wcm_end end)
{
	const struct wcm_filter *filter = latest;

	if (call->flags & WCM_CALL_HELD) {
		if (now - call->begin < filter->min_ns) {
			call->flags |= WCM_CALL_HIDDEN;
			note_had(WCM_KIND_FUNCTION, true);
			return;
		}
		show_begun(tracer, (uint32_t)(call - tracer->shadow->call) + 1,
			   call->begin);
	}
	filter->inner->leave(tracer, call, depth, now, end);
}

/* What is open on the stack in use is told, however short it is, for what comes now comes
 * later. */
static void leave_stack(struct wcm_tracer *tracer)
{
	if (tracer->shadow && tracer->shadow->depth > 0)
		show_begun(tracer, tracer->shadow->depth, UINT64_MAX);
}

static bool begin(struct wcm_tracer *tracer)
{
	const struct wcm_sink *inner = latest->inner;

	return !inner->begin || inner->begin(tracer);
}

static bool end(struct wcm_tracer *tracer)
{
	const struct wcm_sink *inner = latest->inner;

	return !inner->end || inner->end(tracer);
}

/* Calls that the parent has not told of yet are the parent's to tell. */
static void forget_held(struct wcm_tracer *tracer)
{
	for (struct wcm_shadow *shadow = tracer->shadows; shadow;
	     shadow = shadow->next)
		for (uint32_t i = 0; i < shadow->depth; i++)
			shadow->call[i].flags &= (uint8_t)~WCM_CALL_HELD;
}

static void in_child(void)
{
	const struct wcm_sink *inner = latest->inner;

	if (wcm__tracer_own)
		forget_held(wcm__tracer_own);
	if (inner->fork)
		inner->fork();
}

const struct wcm_sink *wcm__filter_wrap(struct wcm_filter *filter,
					const struct wcm_sink *inner)
{
	latest = filter;
	filter->inner = inner;
	filter->sink = (struct wcm_sink){
		.begin = begin, .enter = enter, .leave = leave,
		.leave_stack = leave_stack, .end = end, .fork = in_child,
	};
	return &filter->sink;
}

__attribute__((noinline)) void wcm__filter_show_open(void)
{
	const struct wcm_regs at = WCM_ARCH_CALLER();
	struct wcm_tracer *tracer = wcm__sharing_tracer(at.sp);
	uint64_t min_ns;

	if (!tracer || tracer->inside || !latest || tracer->generation != latest->generation)
		return;
	min_ns = latest->min_ns;
	if (min_ns == 0 || !wcm__tracer_enter(tracer, &at))
		return;
	show_begun(tracer, tracer->shadow->depth, before(wcm__ticks_ns(), min_ns));
	wcm__tracer_leave(tracer);
}
