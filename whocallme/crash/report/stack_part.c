/* SPDX-License-Identifier: MIT */
/* stack_part.c (SAFE) - writes a stack as a part of a report: folded, and of a long one both ends.
 *
 * A stack that overflowed has a hundred thousand frames.  A form for people gets a recursion
 * folded.  JSON has the same frames as ever, and the runs as data beside them.
 */
#include "crash/report/stack_part.h"

#include "core/os/clock.h"
#include "core/unwind/debug_frame.h"
#include "core/unwind/walk.h"
#include "crash/report/fold.h"
#include "crash/report/source_lines.h"
#include "crash/signals/handler_code.h"

/* The innermost frames tell what recursed, the outermost how it came to that. */
enum { INNERMOST = 64, OUTERMOST = 32, FRAMES_A_LOOK = 1024, MOST_RUNS = 64 };

/* A frame, or a run of them. */
struct item {
	bool is_run;
	size_t number;
	struct wcm_frame frame;
	struct wcm_fold_run run;
};

/* A stack that is being written: the first items go out as they come, the last ones wait for
 * the end.  One thread reports, one stack at a time. */
static struct {
	struct wcm_writing *writing;
	int tid;
	size_t items;    /* that have come */
	size_t next;     /* frame, behind what is written */
	size_t left_out;
	struct item last[OUTERMOST];
	struct wcm_fold_run run[MOST_RUNS]; /* for a form that has them as data */
	size_t runs;
} part;

static size_t end_of(const struct item *item)
{
	return item->is_run ? item->run.first + item->run.count : item->number + 1;
}

static void write_item(const struct item *item)
{
	struct wcm_writing *writing = part.writing;

	part.next = end_of(item);
	if (item->is_run) {
		writing->form->run(writing, &item->run);
		return;
	}
	writing->form->frame(writing, &item->frame, item->number);
	if (writing->lined)
		wcm__source_lines_frame(writing->fd, writing->colours, &item->frame,
					item->number, part.tid);
}

static void add_item(const struct item *item)
{
	if (part.items < INNERMOST)
		write_item(item);
	else
		part.last[part.items % OUTERMOST] = *item;
	part.items++;
}

static void add_frame(void *data, const struct wcm_frame *frame, size_t number)
{
	const struct item item = { .number = number, .frame = *frame };

	(void)data;
	add_item(&item);
}

static void add_run(void *data, const struct wcm_fold_run *run)
{
	const struct item item = { .is_run = true, .number = run->first, .run = *run };

	(void)data;
	add_item(&item);
}

static void pass_over(void *data, const struct wcm_frame *frame, size_t number)
{
	(void)data, (void)frame, (void)number;
}

static void keep_run(void *data, const struct wcm_fold_run *run)
{
	(void)data;
	if (part.runs < MOST_RUNS)
		part.run[part.runs++] = *run;
}

static void begin(struct wcm_fold *fold, struct wcm_writing *writing, int tid)
{
	const bool is_data = !writing->form->is_for_people;

	part.writing = writing;
	part.tid = tid;
	part.items = part.next = part.left_out = part.runs = 0;
	*fold = (struct wcm_fold){ .frame = is_data ? pass_over : add_frame,
				   .run = is_data ? keep_run : add_run };
	writing->form->stack_begin(writing);
}

static void add(struct wcm_fold *fold, const struct wcm_frame *frame)
{
	if (!part.writing->form->is_for_people)
		add_frame(NULL, frame, fold->count);
	wcm__fold_add(fold, frame);
}

/* LAST is the outermost frame that is known, or NULL. */
static void end(struct wcm_fold *fold, enum wcm_stop stop, const struct wcm_frame *last)
{
	const struct wcm_form *form = part.writing->form;
	size_t from = INNERMOST;

	wcm__fold_end(fold);
	if (part.items > INNERMOST + OUTERMOST)
		from = part.items - OUTERMOST;
	for (; from < part.items; from++) {
		const struct item *item = &part.last[from % OUTERMOST];

		if (item->number > part.next) {
			part.left_out = item->number - part.next;
			form->gap(part.writing, part.left_out);
		}
		write_item(item);
	}
	if (form->runs)
		form->runs(part.writing, part.run, part.runs);
	form->stack_end(part.writing, part.left_out, stop,
			stop == WCM_STOP_NO_RULE && last ? wcm__debug_frame_unread(last->pc)
							 : NULL);
}

/* The clock is looked at now and then. */
bool wcm__stack_part_walk(struct wcm_writing *writing, const void *ucontext, int tid,
			  uint64_t deadline)
{
	struct wcm_fold fold;
	struct wcm_walk walk;
	bool in_time = true;

	begin(&fold, writing, tid);
	for (wcm__walk_start_context(&walk, ucontext); in_time && walk.stop == WCM_STOP_NONE;
	     wcm__walk_next(&walk)) {
		wcm__walk_describe(&walk, true);
		if (wcm__is_of_handler(&walk.frame))
			continue;
		add(&fold, &walk.frame);
		if (fold.count % FRAMES_A_LOOK == 0)
			in_time = wcm__clock_ns() < deadline;
	}
	end(&fold, walk.stop, &walk.frame);
	return in_time;
}

void wcm__stack_part_thread(struct wcm_writing *writing, const struct wcm_thread *thread)
{
	struct wcm_fold fold;

	begin(&fold, writing, thread->tid);
	for (size_t i = 0; i < thread->count; i++)
		add(&fold, &thread->frames[i]);
	end(&fold, thread->stop,
	    thread->count > 0 ? &thread->frames[thread->count - 1] : NULL);
}
