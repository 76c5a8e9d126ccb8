/* SPDX-License-Identifier: MIT */
/* source_lines.c - adds the source lines of a report's frames, once the report is written.
 *
 * Reading debug data takes memory and time, and code that may fail.  So another
 * process does it, the resolver, and the report stands whatever becomes of it.  A
 * stack of which no frame has a line is not shown again.
 */
#include "crash/report/source_lines.h"

#include "core/os/output.h"
#include "core/report/line.h"
#include "core/report/text.h"
#include "lines/failure.h"
#include "lines/print.h"
#include "lines/resolver_protocol.h"

/* Of how many frames, from the innermost on, the source text is shown. */
enum { MOST_NOTES = 2048, MOST_TEXTS = 3 };

struct note {
	struct wcm_frame frame;
	size_t number;
	int tid;
};

static struct {
	struct note note[MOST_NOTES];
	size_t count, left_out;
	int crashed;
	enum wcm_names names;
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
	bool found;              /* a line is out */
	int texts;               /* of how many frames more */
	const struct note *note; /* what is being written */
	bool answered;           /* the resolver has, once */
	const struct wcm_resolver_plan *plan;
	struct wcm_failure failure;
};

void wcm__source_lines_begin(int tid, enum wcm_names names)
{
	wanted.count = wanted.left_out = 0;
	wanted.crashed = tid;
	wanted.names = names;
}

void wcm__source_lines_add(const struct wcm_frame *frame, size_t number, int tid)
{
	if (wanted.count == MOST_NOTES) {
		wanted.left_out++;
		return;
	}
	wanted.note[wanted.count++] = (struct note){ *frame, number, tid };
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
	wcm__line_text(line, "<whocallme>: source lines:\n");
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

static bool is_of_crash(const struct note *note)
{
	return note->tid == wanted.crashed;
}

static void add_functions(struct wcm_line *line, bool with_text)
{
	struct wcm_answered answered;
	bool first = true;

	wcm__resolver_again(&resolver);
	for (; wcm__resolver_next(&resolver, &answered); first = false) {
		wcm__line_text(line, first ? "" : "   ");
		wcm__print_location(line, &answered);
		wcm__line_text(line, "\n");
		if (answered.text && with_text)
			wcm__print_text(line, answered.text);
	}
}

static void add_frame(struct wcm_line *line, const struct writing *writing)
{
	const struct note *note = writing->note;
	struct wcm_answered answered;

	wcm__line_text(line, "#");
	wcm__line_decimal(line, (int64_t)note->number);
	wcm__line_text(line, " ");
	wcm__resolver_again(&resolver);
	if (note->frame.flags & WCM_FRAME_SIGNAL) {
		wcm__line_text(line, "<signal handler called>\n");
	} else if (wcm__resolver_next(&resolver, &answered)) {
		add_functions(line, is_of_crash(note) && writing->texts > 0);
	} else {
		wcm__text_function(line, wcm_frame_site(&note->frame),
				   wcm__names_writer(wanted.names));
		wcm__line_text(line, "\n");
	}
}

static void add_nothing(struct wcm_line *line, const struct writing *writing)
{
	(void)writing;
	wcm__line_text(line, "<whocallme>: no source lines: no debug data "
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
	wcm__failure_add(line,
			 writing->found ? "no more source lines" : "no source lines",
			 &writing->failure);
}

/* Why a resolver ends that has never answered: its libraries may be missing. */
static const char *hear(const struct writing *writing)
{
	if (wcm__resolver_start_loudly(writing->plan, &resolver.process,
				       &stacks) < 0)
		return NULL;
	return wcm__resolver_last_words(&resolver, writing->deadline);
}

static void fail_to_answer(struct writing *writing, enum wcm_silence silence)
{
	static const char *const reasons[] = {
		[WCM_SILENCE_LATE] =
			"no answer in time; \"whocallme resolve\" of this report "
			"finds them later",
		[WCM_SILENCE_ENDED] = "it has ended",
		[WCM_SILENCE_NOISE] = "what it says is no answer",
	};

	writing->failure.reason = reasons[silence];
	if (silence == WCM_SILENCE_ENDED && !writing->answered)
		writing->failure.words = hear(writing);
	write_all(writing, add_failure);
}

/* Ask for the frame of NOTE, and say what is wrong with its file.  False where there
 * is no point in going on. */
static bool ask(struct writing *writing, const struct note *note)
{
	enum wcm_silence silence =
		wcm__resolver_ask(&resolver, wcm_frame_site(&note->frame),
				  writing->deadline);

	writing->note = note;
	if (silence != WCM_SILENCE_NONE) {
		fail_to_answer(writing, silence);
		return false;
	}
	writing->answered = true;
	if (resolver.complaint) {
		begin(writing);
		write_all(writing, add_complaint);
	}
	return is_read(writing);
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
		writing->found = true;
		look(&line, &text);
		if (text && is_of_crash(first) && writing->texts > 0)
			writing->texts--;
	}
	return first == end;
}

static void write_stacks(struct writing *writing)
{
	const struct note *first = wanted.note, *end = first + wanted.count;

	while (first < end) {
		const struct note *next = first;

		while (next < end && next->tid == first->tid)
			next++;
		if (!write_stack(writing, first, next))
			return;
		first = next;
	}
	if (!writing->found)
		write_all(writing, add_nothing);
	else if (wanted.left_out > 0)
		write_all(writing, add_left_out);
}

void wcm__source_lines_write(const struct wcm_resolver_plan *plan,
			     const struct wcm_lines_output *outputs, int count,
			     uint64_t deadline)
{
	struct writing writing = { .outputs = count, .deadline = deadline,
				   .texts = MOST_TEXTS, .plan = plan,
				   .failure.path = plan->path };
	int error;

	if (wanted.count == 0)
		return;
	for (int i = 0; i < count; i++)
		writing.output[i].to = outputs[i];
	wcm__output_bound(true);
	error = wcm__resolver_start(plan, true, &resolver.process, &stacks);
	if (error < 0) {
		writing.failure = wcm__failure_to_start(plan->path, error);
		write_all(&writing, add_failure);
		return;
	}
	write_stacks(&writing);
	wcm__spawned_end(&resolver.process, false);
}
