/* SPDX-License-Identifier: MIT */
/* source_lines.c (SAFE) - adds the source lines of a report's frames, below each frame or behind
 * the report.
 *
 * Reading debug data takes memory and time, and code that may fail.  So another process does
 * it, the resolver.  A frame is written first, then the resolver is asked for its lines.  The
 * report waits for a part of its time; if that is over it goes on without lines, and they
 * follow behind it.  A stack of which no frame has a line is not shown again.
 */
#include "crash/report/source_lines.h"

#include "core/os/attempt.h"
#include "core/os/output.h"
#include "format/line.h"
#include "core/symbols/lookup.h"
#include "format/own_line.h"
#include "lines/failure.h"
#include "lines/print.h"
#include "lines/resolver_protocol.h"

/* Of how many frames, from the innermost on, the source text is shown. */
enum { MOST_NOTES = 2048, MOST_TEXTS = 3 };

struct note {
	struct wcm_placed placed;
	uint64_t number;
	int tid;
	bool is_named;
	bool is_done; /* its lines are below it, or it has none */
};

/* Where the lines of a frame go. */
enum place {
	BELOW,  /* it: a resolver is started with the first frame */
	BEHIND, /* the report: the resolver took too long */
	NOWHERE, /* there is no resolver */
};

static struct {
	struct note note[MOST_NOTES];
	size_t count, left_out;
	int crashed;
	enum wcm_names names;
	enum place place;
	const struct wcm_resolver_plan *plan;
	uint64_t patience; /* until when the report waits for lines */
	bool is_running;   /* the resolver */
	bool found;        /* a line is out */
	bool answered;     /* the resolver has, once */
	int texts;         /* of how many frames more */
	struct wcm_failure failure;
} wanted;

/* Of the one thread that reports. */
static struct wcm_resolver resolver;
static struct wcm_spawn_stacks stacks;

struct writing {
	struct {
		struct wcm_lines_output to;
		bool failed;
	} output[WCM_LINES_OUTPUTS];
	int outputs;
	uint64_t deadline;
	bool begun;              /* the heading is out */
	const struct note *note; /* what is being written */
};

void wcm__source_lines_prepare(const struct wcm_resolver_plan *plan)
{
	wanted.plan = plan;
	wanted.place = BELOW;
	wanted.found = wanted.answered = wanted.is_running = false;
	wanted.count = 0;
	wanted.failure = (struct wcm_failure){ .path = plan->path };
}

static void stop_asking(void)
{
	if (wanted.is_running)
		wcm__spawned_end(&resolver.process, false);
	wanted.is_running = false;
}

/* A complaint comes once from each resolver, and belongs into each report. */
void wcm__source_lines_begin(int tid, enum wcm_names names, uint64_t patience)
{
	stop_asking();
	wanted.count = wanted.left_out = 0;
	wanted.crashed = tid;
	wanted.names = names;
	wanted.patience = patience;
	wanted.texts = MOST_TEXTS;
}

static bool is_of_crash(const struct note *note)
{
	return note->tid == wanted.crashed;
}

/* What is known of the frame that was asked for last. */
static void look(bool *has_line, bool *has_text)
{
	struct wcm_answered answered;

	*has_line = *has_text = false;
	wcm__resolver_again(&resolver);
	while (wcm__resolver_next(&resolver, &answered)) {
		*has_line |= answered.file != NULL;
		*has_text |= answered.text != NULL;
	}
	wcm__resolver_again(&resolver);
}

static const char *reason_of(enum wcm_silence silence)
{
	static const char *const reasons[] = {
		[WCM_SILENCE_LATE] =
			"no answer in time; \"whocallme resolve\" of this report "
			"finds them later",
		[WCM_SILENCE_ENDED] = "it has ended",
		[WCM_SILENCE_NOISE] = "what it says is no answer",
	};

	return reasons[silence];
}

static bool is_started(void)
{
	int error;

	if (wanted.is_running)
		return true;
	error = wcm__resolver_start(wanted.plan, true, &resolver.process, &stacks);
	if (error < 0) {
		wanted.failure = wcm__failure_to_start(wanted.plan->path, error);
		wanted.place = NOWHERE;
	}
	wanted.is_running = error >= 0;
	return wanted.is_running;
}

/* Whether the resolver has answered in time about the frame of NOTE. */
static bool has_answer(const struct note *note)
{
	enum wcm_silence silence = wcm__resolver_ask(&resolver,
						     wcm_frame_site(&note->placed.frame),
						     wanted.patience);

	if (silence == WCM_SILENCE_NONE) {
		wanted.answered = true;
		return true;
	}
	wanted.is_running = false;
	wanted.place = silence == WCM_SILENCE_LATE ? BEHIND : NOWHERE;
	wanted.failure.reason = reason_of(silence);
	return false;
}

struct below {
	int fd;
	bool colours;
	struct note *note;
};

static void write_below(void *argument)
{
	const struct below *below = argument;
	const bool counts = is_of_crash(below->note);
	bool line, text;

	if (!is_started() || !has_answer(below->note))
		return;
	look(&line, &text);
	wanted.found |= line;
	if (wcm__print_says_more(&resolver, below->note->is_named))
		wcm__print_answer(below->fd, &resolver, below->colours,
				  counts && wanted.texts > 0);
	if (text && counts && wanted.texts > 0)
		wanted.texts--;
	below->note->is_done = true;
}

static struct note *note_frame(const struct wcm_placed *placed,
			       const struct wcm_frame_fact *fact, int tid)
{
	static struct note none; /* what does not fit */
	struct note *note = wanted.count < MOST_NOTES ? &wanted.note[wanted.count++] : &none;

	wanted.left_out += note == &none;
	*note = (struct note){ *placed, fact->number, tid, fact->symbol.name != NULL,
			       fact->flags & WCM_FRAME_SIGNAL };
	return note;
}

/* What the resolver is asked with may be damaged: then the lines are tried behind the report. */
void wcm__source_lines_frame(int fd, bool colours, const struct wcm_placed *placed,
			     const struct wcm_frame_fact *fact, int tid)
{
	struct below below = { fd, colours, note_frame(placed, fact, tid) };

	if (wanted.place != BELOW || below.note->is_done)
		return;
	if (!wcm__attempt(write_below, &below)) {
		stop_asking();
		wanted.place = BEHIND;
	}
}

/* Write the line that ADD makes to all who still take it: each is waited for once. */
static void write_all(struct writing *writing,
		      void (*add)(struct wcm_line *line,
				  const struct writing *writing))
{
	struct wcm_line line;

	for (int i = 0; i < writing->outputs; i++) {
		if (writing->output[i].failed)
			continue;
		wcm__line_init(&line, writing->output[i].to.fd);
		line.colours = writing->output[i].to.colours;
		add(&line, writing);
		if (!wcm__line_write(&line)) {
			writing->output[i].failed = true;
			wcm__output_bound(true);
		}
	}
}

static bool is_read(const struct writing *writing)
{
	for (int i = 0; i < writing->outputs; i++)
		if (!writing->output[i].failed)
			return true;
	return false;
}

static void add_heading(struct wcm_line *line, const struct writing *writing)
{
	(void)writing;
	wcm__line_text(line, WCM_OWN_LINE "source lines:\n");
}

static void begin(struct writing *writing)
{
	if (!writing->begun)
		write_all(writing, add_heading);
	writing->begun = true;
}

static void add_thread(struct wcm_line *line, const struct writing *writing)
{
	wcm__line_text(line, "thread ");
	wcm__line_decimal(line, writing->note->tid);
	wcm__line_text(line, ":\n");
}

static void add_complaint(struct wcm_line *line, const struct writing *writing)
{
	(void)writing;
	wcm__line_text(line, "(");
	wcm__line_text(line, resolver.complaint);
	wcm__line_text(line, ")\n");
}

static void add_functions(struct wcm_line *line, bool with_text)
{
	struct wcm_answered answered;
	bool first = true;

	wcm__resolver_again(&resolver);
	for (; wcm__resolver_next(&resolver, &answered); first = false) {
		wcm__line_text(line, first ? "" : "   ");
		wcm__text_location(line, &answered);
		wcm__line_text(line, "\n");
		if (answered.text && with_text)
			wcm__print_text(line, answered.text);
	}
}

/* The function of NOTE's call, as the tables have it. */
static void add_site(struct wcm_line *line, const struct note *note)
{
	const uintptr_t site = wcm_frame_site(&note->placed.frame);
	struct wcm_symbol symbol;

	wcm__symbol_peek_in(note->placed.module, site, &symbol);
	wcm__text_symbol(line, site, &symbol, wcm__names_writer(wanted.names));
}

static void add_frame(struct wcm_line *line, const struct writing *writing)
{
	const struct note *note = writing->note;
	struct wcm_answered answered;

	wcm__line_text(line, "#");
	wcm__line_decimal(line, (int64_t)note->number);
	wcm__line_text(line, " ");
	wcm__resolver_again(&resolver);
	if (note->placed.frame.flags & WCM_FRAME_SIGNAL) {
		wcm__line_text(line, "<signal handler called>\n");
	} else if (wcm__resolver_next(&resolver, &answered)) {
		add_functions(line, is_of_crash(note) && wanted.texts > 0);
	} else {
		add_site(line, note);
		wcm__line_text(line, "\n");
	}
}

static void add_nothing(struct wcm_line *line, const struct writing *writing)
{
	(void)writing;
	wcm__line_text(line, WCM_OWN_LINE "no source lines: no debug data "
			     "describes these frames\n");
}

static void add_left_out(struct wcm_line *line, const struct writing *writing)
{
	(void)writing;
	wcm__line_text(line, "(");
	wcm__line_decimal(line, (int64_t)wanted.left_out);
	wcm__line_text(line, wanted.left_out == 1 ? " frame has"
						 : " frames have");
	wcm__line_text(line, " not been looked up)\n");
}

static void add_failure(struct wcm_line *line, const struct writing *writing)
{
	(void)writing;
	wcm__failure_add(line,
			 wanted.found ? "no more source lines" : "no source lines",
			 &wanted.failure);
}

/* Why a resolver ends that has never answered: its libraries may be missing. */
static const char *hear(const struct writing *writing)
{
	if (wcm__resolver_start_loudly(wanted.plan, &resolver.process,
				       &stacks) < 0)
		return NULL;
	return wcm__resolver_last_words(&resolver, writing->deadline);
}

static void write_failure(struct writing *writing)
{
	if (wanted.failure.reason == reason_of(WCM_SILENCE_ENDED) && !wanted.answered)
		wanted.failure.words = hear(writing);
	write_all(writing, add_failure);
}

/* Ask for the frame of NOTE, and say what is wrong with its file.  False where there
 * is no point in going on. */
static bool ask(struct writing *writing, const struct note *note)
{
	writing->note = note;
	if (!has_answer(note)) {
		write_failure(writing);
		return false;
	}
	if (resolver.complaint) {
		begin(writing);
		write_all(writing, add_complaint);
	}
	return is_read(writing);
}

/* Whether a frame of those from FIRST to END has a line.  False in *GO_ON where
 * nobody answers any more, or reads it. */
static bool have_line(struct writing *writing, const struct note *first,
		      const struct note *end, bool *go_on)
{
	bool line = false, text;

	for (; *go_on && !line && first < end; first++) {
		*go_on = ask(writing, first);
		look(&line, &text);
	}
	return *go_on && line;
}

/* Write the stack from FIRST to END, one thread's. */
static bool write_stack(struct writing *writing, const struct note *first,
			const struct note *end)
{
	bool go_on = true, line, text;

	if (!have_line(writing, first, end, &go_on))
		return go_on;
	begin(writing);
	writing->note = first;
	if (!is_of_crash(first))
		write_all(writing, add_thread);
	for (; first < end && ask(writing, first); first++) {
		write_all(writing, add_frame);
		wanted.found = true;
		look(&line, &text);
		if (text && is_of_crash(first) && wanted.texts > 0)
			wanted.texts--;
	}
	return first == end;
}

/* Where a stack has its lines, they are not written again. */
static bool is_done(const struct note *first, const struct note *end)
{
	for (; first < end; first++)
		if (!first->is_done)
			return false;
	return true;
}

/* False where there was no answer. */
static bool write_stacks(struct writing *writing)
{
	const struct note *first = wanted.note, *end = first + wanted.count;

	while (first < end) {
		const struct note *next = first;

		while (next < end && next->tid == first->tid)
			next++;
		if (!is_done(first, next) && !write_stack(writing, first, next))
			return false;
		first = next;
	}
	return true;
}

static void write_behind(struct writing *writing)
{
	wanted.patience = writing->deadline;
	wanted.texts = MOST_TEXTS;
	wanted.failure.reason = NULL;
	if (!is_started())
		write_failure(writing);
	else if (!write_stacks(writing))
		return;
	else if (wanted.left_out > 0 && wanted.found)
		write_all(writing, add_left_out);
}

void wcm__source_lines_write(const struct wcm_lines_output *outputs, int count,
			     uint64_t deadline)
{
	struct writing writing = { .outputs = count, .deadline = deadline };

	if (wanted.count == 0)
		return;
	for (int i = 0; i < count; i++)
		writing.output[i].to = outputs[i];
	wcm__output_bound(true);
	if (wanted.place == NOWHERE)
		write_failure(&writing);
	else if (wanted.place == BEHIND)
		write_behind(&writing);
	if (wanted.place != NOWHERE && !wanted.found && !wanted.failure.reason)
		write_all(&writing, add_nothing);
	stop_asking();
}
