/* SPDX-License-Identifier: MIT */
/* log_system.c (SAFE) - the lines of system calls in the log.
 *
 *	SYS 18900       103'977         openat(AT_FDCWD, "in.txt", O_RDONLY) → 3, 4'210 ns
 *
 * A line is written when its call is over, with the time of that: calls make no others, and only
 * signal handlers come in between.  What a call is given is put into words before it is made, for
 * the kernel may write over it.
 */
#include "trace/log/log_system.h"

#include "trace/system/system_slots.h"
#include "trace/engine/gate.h"
#include "trace/engine/ticks.h"
#include "trace/log/line_output.h"
#include "trace/log/log_columns.h"
#include "whocallme/trace.h"

/* WORDS are in ROOM of WCM_LOG_WORDS bytes. */
static void begin_words(struct wcm_words *words, char *room)
{
	wcm__words_init(words, room, WCM_LOG_WORDS);
	wcm__gate_words(words);
}

/* One line; the words of CALL are GIVEN, and those in MADE. */
struct text {
	const char *given;
	size_t given_size;
	const struct wcm_words *made;
};

static void write_line(int tid, uint32_t depth, const char *name, const struct text *text,
		       uint64_t begin, uint64_t now)
{
	struct wcm_line line;

	wcm__line_init(&line, -1);
	wcm__log_columns(&line, "SYS", tid, now ? now : wcm__gate.start,
			 WCM_LOG_NO_STACK);
	wcm__log_indent(&line, depth, false);
	wcm__line_text(&line, name);
	wcm__log_add(&line, text->given, text->given_size);
	wcm__log_add(&line, text->made->begin, wcm__words_length(text->made));
	if (begin && now)
		wcm__log_time(&line, ", ", now - begin);
	wcm__log_add(&line, "\n", 1);
	wcm__line_output_write(&line);
}

void wcm__log_system_enter(struct wcm_tracer *tracer, const struct wcm_call *call,
			   struct wcm_open_words *open, char *room)
{
	struct wcm_system_call *system = wcm__tracer_system(tracer);
	struct wcm_words words;

	if (!system)
		return;
	begin_words(&words, room);
	wcm__system_words_given(&words, system);
	wcm__open_words_keep(open, call, room, wcm__words_length(&words));
}

/* One that a jump out of a signal handler has left says no more. */
void wcm__log_system_leave(struct wcm_tracer *tracer, const struct wcm_call *call,
			   uint32_t depth, const struct wcm_log_end *how,
			   struct wcm_open_words *open)
{
	const struct wcm_system_call *system =
		how->end == WCM_END_EXIT ? wcm__tracer_system(tracer) : NULL;
	struct text text = { .given = "" };
	struct wcm_words words;
	uint64_t begin = call->begin;

	text.given_size = wcm__open_words_take(open, call, &text.given);
	begin_words(&words, how->room);
	text.made = &words;
	if (system)
		wcm__system_words_back(&words, system);
	else
		wcm__words_text(&words, text.given_size > 0 ? " ...) → ?" : "(...) → ?");
	if (system && system->result == WCM_SYSTEM_NEVER)
		begin = 0;
	write_line(tracer->number, depth, wcm__system_name_at(call->func), &text, begin,
		   how->now);
}

/* The thread may go on meanwhile: what it says of a call that has ended then is not written. */
static void write_unfinished(const struct wcm_tracer *tracer, const struct wcm_open_words *open,
			     const struct wcm_shadow *shadow, const struct wcm_call *call)
{
	const uint64_t begin = call->begin;
	char room[WCM_LOG_WORDS + sizeof(" ...) → ?")];
	struct wcm_words words;
	struct text text = { .given = "", .made = &words };
	const char *given;
	const size_t size = wcm__open_words_find(open, call, &given);

	wcm__words_init(&words, room, sizeof(room));
	if (size > 0 && size <= WCM_LOG_WORDS)
		wcm__words_span(&words, given, size);
	wcm__words_text(&words, wcm__words_length(&words) > 0 ? " ...) → ?" : "(...) → ?");
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (tracer->inside == 0 && call->begin == begin)
		write_line(tracer->number, wcm__shadow_depth(shadow, call),
			   wcm__system_name_at(call->func), &text, 0,
			   wcm__gate.flags & WCM_TRACE_NO_TIMES ? 0 : wcm__ticks_ns());
}

void wcm__log_system_unfinished(const struct wcm_tracer *tracer,
				const struct wcm_open_words *open)
{
	for (const struct wcm_shadow *shadow = tracer->shadows; shadow; shadow = shadow->next)
		for (uint32_t i = 0; i < shadow->depth && tracer->inside == 0; i++)
			if (wcm__is_system_address(shadow->call[i].func))
				write_unfinished(tracer, open, shadow, &shadow->call[i]);
}

void wcm__log_system_apart(int child, bool *is_known, struct wcm_system_call *call,
			   uint64_t begin, uint64_t now)
{
	char room[WCM_LOG_WORDS];
	struct wcm_words words;
	const struct text text = { "", 0, &words };

	*is_known = true;
	begin_words(&words, room);
	wcm__system_words_given(&words, call);
	wcm__system_words_back(&words, call);
	write_line(child, 0, wcm__system_name(call->number), &text,
		   call->result == WCM_SYSTEM_NEVER ? 0 : begin, now);
}
