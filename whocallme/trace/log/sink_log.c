/* SPDX-License-Identifier: MIT */
/* sink_log.c (SAFE) - writes a call as a line for people, who read it while it happens.
 *
 *	#     tid   nanoseconds   stack symbol
 *	FUN 18900        94'418      48 &main
 *	LIB 18900        95'034      96   &puts
 *	PRB 18900        95'120           shop:sold(0x557af0, 2)
 *
 * A call is written when it begins, so that the last line tells where a program
 * hangs or died.  Calls that follow it and are alike - the same function from the
 * same address in the same call, with none in between - are one more line.
 */
#include "trace/log/text_sinks.h"

#include <string.h>

#include "core/os/slab.h"
#include "core/report/short_name.h"
#include "core/symbols/slot_names.h"
#include "trace/filter/known_values.h"
#include "trace/names/name_cache.h"
#include "trace/system/system_slots.h"
#include "trace/engine/gate.h"
#include "trace/engine/tracer_life.h"
#include "trace/log/line_output.h"
#include "trace/log/log_columns.h"
#include "trace/log/log_system.h"
#include "trace/log/open_words.h"
#include "trace/probes/probe_hit.h"
#include "trace/values/value_words.h"
#include "whocallme/trace.h"

#define LONGEST_FOLD ((uint64_t)1000 * 1000 * 1000) /* nanoseconds */

/* A call's index is its name, as the cache of names knows it, or this: the call is folded. */
#define FOLDED UINT32_MAX

/* What a thread's log ends with. */
struct wcm_log {
	uintptr_t func, site;
	uint64_t caller;      /* when it began */
	uint32_t depth;
	bool is_closed;       /* the call is over, nothing has come since */
	uint64_t count;       /* of calls that are folded and not yet written */
	uint64_t total, from; /* nanoseconds in them; when the first began */
	uint64_t begin;       /* of the last */
	uint64_t stack;
	uint32_t name;        /* as the cache of names knows it */
	uint32_t words;       /* bytes of what the call is given, at TEXT */
	char text[WCM_LOG_WORDS];
	char made[WCM_LOG_WORDS]; /* words that are not kept yet */
	struct wcm_open_words open;
};

/* What a call is given, or gives back, as words; nothing where it is not known. */
struct text {
	const char *at;
	size_t size;
};

bool wcm__log_begin(struct wcm_tracer *tracer)
{
	if (!tracer->log && !(tracer->log = wcm__slab_take(sizeof(*tracer->log))))
		return wcm__tracers_starve();
	tracer->log->func = 0;
	tracer->log->count = tracer->log->total = 0;
	tracer->log->open.used = 0;
	return true;
}

static bool is_probe(const char *kind)
{
	return kind[0] == 'P';
}

/* Returns FUNC's NAME. */
static uint32_t add_symbol(struct wcm_line *line, const char *kind, uint32_t depth,
			   uintptr_t func, uint32_t name)
{
	wcm__log_indent(line, depth, !is_probe(kind));
	return wcm__name_cache_add_again(line, func, name);
}

/* The name that LINE ends with is the function's own before what it is given. */
__attribute__((noinline)) static void add_words(struct wcm_line *line, const struct text *words)
{
	struct iovec *name = &line->part[line->count - 1];

	if (memchr(name->iov_base, '(', name->iov_len))
		name->iov_base = (void *)wcm__name_own(name->iov_base, &name->iov_len);
	wcm__log_add(line, words->at, words->size);
}

/* GIVEN is what the call was given, and BACK what it gives back. */
static void write_line(struct wcm_tracer *tracer, const char *kind, struct wcm_call *call,
		       uint32_t depth, uint64_t at, const struct text *given,
		       const struct text *back)
{
	struct wcm_line line;

	wcm__line_init(&line, -1);
	wcm__log_columns(&line, kind, tracer->number, at,
		    is_probe(kind) ? WCM_LOG_NO_STACK : tracer->shadow->hi - call->sp);
	call->index = add_symbol(&line, kind, depth, call->func, call->index);
	if (given->size > 0)
		add_words(&line, given);
	if (back->size > 0)
		wcm__log_add(&line, back->at, back->size);
	if (kind[0] == 'R')
		wcm__log_time(&line, ", ", at - call->begin);
	wcm__log_add(&line, "\n", 1);
	wcm__line_output_write(&line);
}

/* What is called: a function of the program's, or one of a library; or a probe. */
static const char *kind_of(uintptr_t func)
{
	const struct wcm_slot_name *slot = NULL;

	if (__builtin_expect(wcm__slot_names_first() != NULL, 0))
		slot = wcm__slot_find(func);
	return !slot ? "FUN" : slot->is_probe ? "PRB" : "LIB";
}

/* Who flushes the log may come first. */
__attribute__((noinline)) static void write_folded(const struct wcm_tracer *tracer,
						   struct wcm_log *log)
{
	const uint64_t count = __atomic_exchange_n(&log->count, 0,
						   __ATOMIC_ACQ_REL);
	struct wcm_line line;
	const char *kind;

	if (count == 0)
		return;
	wcm__line_init(&line, -1);
	kind = kind_of(log->func);
	wcm__log_columns(&line, kind, tracer->number, log->from,
		    is_probe(kind) ? WCM_LOG_NO_STACK : log->stack);
	add_symbol(&line, kind, log->depth, log->func, log->name);
	if (log->words > 0)
		add_words(&line, &(struct text){ log->text, log->words });
	if (count > 1) {
		wcm__line_text(&line, " x");
		wcm__line_decimal(&line, (int64_t)count);
	}
	/* None of them has ended, or nobody knows when. */
	if (log->total > 0)
		wcm__log_time(&line, ", ", log->total);
	wcm__log_add(&line, "\n", 1);
	wcm__line_output_write(&line);
	log->total = 0;
}

static inline void write_fold(const struct wcm_tracer *tracer, struct wcm_log *log)
{
	if (__atomic_load_n(&log->count, __ATOMIC_RELAXED) > 0)
		write_folded(tracer, log);
}

static uint64_t caller_of(const struct wcm_tracer *tracer,
			  const struct wcm_call *call)
{
	return call > tracer->shadow->call ? call[-1].begin : 0;
}

/* GIVEN is what CALL is given.  What is given back is in a line of each call's own. */
static bool is_alike(const struct wcm_tracer *tracer, const struct wcm_log *log,
		     const struct wcm_call *call, uint32_t depth, const struct text *given)
{
	return log->is_closed && log->func == call->func &&
	       log->site == call->site && log->depth == depth &&
	       log->caller == caller_of(tracer, call) && log->words == given->size &&
	       (given->size == 0 || (!(wcm__gate.flags & WCM_TRACE_EXITS) &&
				     memcmp(log->text, given->at, given->size) == 0));
}

/* What is rare is not inlined, for it would cost every call registers. */
__attribute__((noinline)) static struct text given_to(const struct wcm_tracer *tracer,
						      const struct wcm_call *call)
{
	char *room = tracer->log->made;
	const struct wcm_passed *passed = wcm__tracer_given(tracer, call);
	const char *codes = passed ? wcm__known_values_of(call->func) : NULL;
	struct wcm_words words;

	wcm__words_init(&words, room, WCM_LOG_WORDS);
	wcm__gate_words(&words);
	if (wcm__tracer_probe(tracer) && call->begin == tracer->last)
		wcm__probe_words(&words, wcm__tracer_probe(tracer));
	else if (codes)
		wcm__value_words_arguments(&words, codes, *passed);
	return (struct text){ room, wcm__words_length(&words) };
}

/* What CALL gives back, which has ended by END. */
__attribute__((noinline)) static struct text given_back(const struct wcm_tracer *tracer,
							const struct wcm_call *call,
							enum wcm_end end)
{
	char *room = tracer->log->made;
	const struct wcm_passed *passed = wcm__tracer_given_back(tracer, end);
	const char *codes = passed ? wcm__known_values_of(call->func) : NULL;
	struct wcm_words words;

	if (!codes)
		return (struct text){ room, 0 };
	wcm__words_init(&words, room, WCM_LOG_WORDS);
	wcm__gate_words(&words);
	wcm__value_words_result(&words, codes, *passed);
	return (struct text){ room, wcm__words_length(&words) };
}

static void fold(const struct wcm_tracer *tracer, struct wcm_log *log,
		 struct wcm_call *call)
{
	if (log->count > 0 && call->begin - log->from > LONGEST_FOLD)
		write_fold(tracer, log);
	if (log->count == 0)
		log->from = call->begin;
	log->count++;
	log->begin = call->begin;
	log->is_closed = false;
	call->index = FOLDED;
}

/* What is in the log is closed: nothing that follows is alike. */
static void break_off(const struct wcm_tracer *tracer, struct wcm_log *log)
{
	write_fold(tracer, log);
	log->is_closed = false;
	log->func = 0;
}

/* A line of CALL's own, behind which others that are like it may be folded; a system call has one
 * when it ends. */
__attribute__((noinline)) static void begin_line(struct wcm_tracer *tracer, struct wcm_call *call,
						 uint32_t depth, const struct text *given)
{
	struct wcm_log *log = tracer->log;

	if (wcm__is_system_address(call->func)) {
		break_off(tracer, log);
		wcm__log_system_enter(tracer, call, &log->open, log->made);
		return;
	}
	write_fold(tracer, log);
	log->func = call->func;
	log->site = call->site;
	log->caller = caller_of(tracer, call);
	log->depth = depth;
	log->is_closed = false;
	log->count = log->total = 0;
	log->begin = call->begin;
	log->stack = tracer->shadow->hi - call->sp;
	log->words = (uint32_t)given->size;
	if (given->size > 0)
		memcpy(log->text, given->at, given->size);
	write_line(tracer, kind_of(call->func), call, depth, call->begin, given,
		   &(struct text){ log->made, 0 });
	log->name = call->index;
	if (given->size > 0 && (wcm__gate.flags & WCM_TRACE_EXITS) &&
	    !wcm__tracer_probe(tracer))
		wcm__open_words_keep(&log->open, call, given->at, given->size);
}

__attribute__((always_inline)) static inline void enter(struct wcm_tracer *tracer,
							struct wcm_call *call, uint32_t depth,
							struct text given)
{
	if (is_alike(tracer, tracer->log, call, depth, &given))
		fold(tracer, tracer->log, call);
	else
		begin_line(tracer, call, depth, &given);
}

__attribute__((noinline)) static void enter_with_words(struct wcm_tracer *tracer,
						       struct wcm_call *call, uint32_t depth)
{
	enter(tracer, call, depth, given_to(tracer, call));
}

void wcm__log_enter(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth)
{
	if (__builtin_expect(tracer->told != NULL, 0))
		enter_with_words(tracer, call, depth);
	else
		enter(tracer, call, depth, (struct text){ tracer->log->made, 0 });
}

/* CALL is what the log ends with. */
static bool is_last(const struct wcm_log *log, const struct wcm_call *call,
		    uint32_t depth)
{
	return !log->is_closed && log->func == call->func &&
	       log->begin == call->begin && log->depth == depth;
}

__attribute__((noinline)) static void leave_system(struct wcm_tracer *tracer,
						   struct wcm_call *call, uint32_t depth,
						   uint64_t now, enum wcm_end end)
{
	struct wcm_log *log = tracer->log;

	break_off(tracer, log);
	wcm__log_system_leave(tracer, call, depth, &(struct wcm_log_end){ now, end, log->made },
			      &log->open);
}

__attribute__((noinline)) static void write_end(struct wcm_tracer *tracer, struct wcm_call *call,
						uint32_t depth, uint64_t now, enum wcm_end end)
{
	struct wcm_log *log = tracer->log;
	struct text given = { log->made, 0 }, back = given;

	if (wcm__tracer_probe(tracer))
		return;
	given.size = wcm__open_words_take(&log->open, call, &given.at);
	if (end == WCM_END_SILENT)
		return;
	if (tracer->told)
		back = given_back(tracer, call, end);
	write_line(tracer, end == WCM_END_EXIT ? "RET" : "REX", call, depth, now, &given,
		   &back);
}

void wcm__log_leave(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth, uint64_t now, enum wcm_end end)
{
	struct wcm_log *log = tracer->log;

	if (is_last(log, call, depth)) {
		log->is_closed = end != WCM_END_UNWOUND;
		if (call->index == FOLDED)
			log->total += now - call->begin;
	} else if (__builtin_expect(wcm__is_system_address(call->func), 0)) {
		leave_system(tracer, call, depth, now, end);
		return;
	} else {
		break_off(tracer, log);
	}
	if ((wcm__gate.flags & WCM_TRACE_EXITS) && call->index != FOLDED)
		write_end(tracer, call, depth, now, end);
}

bool wcm__log_end(struct wcm_tracer *tracer)
{
	write_fold(tracer, tracer->log);
	return true;
}

void wcm__log_flush(void)
{
	for (struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next)
		if (tracer->log && tracer->generation == wcm__gate.generation)
			write_fold(tracer, tracer->log);
}

void wcm__log_crash(void)
{
	wcm__log_flush();
	for (struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next)
		if (tracer->log && tracer->generation == wcm__gate.generation && !tracer->ended)
			wcm__log_system_unfinished(tracer, &tracer->log->open);
}
