/* SPDX-License-Identifier: MIT */
/* report.c (SAFE) - goes through the sections of a report, in order, while there is time.
 *
 * What happened, and to whom, comes first and takes no time.  Then each section that
 * is chosen follows.  What has been written stands, whatever goes wrong later in a
 * broken process.
 */
#include "crash/report/report.h"

#include <string.h>

#include "core/os/attempt.h"
#include "core/os/auxv.h"
#include "core/os/clock.h"
#include "core/os/proc_file.h"
#include "core/os/read.h"
#include "core/report/frame.h"
#include "core/symbols/dlopen_names.h"
#include "core/unwind/debug_frame.h"
#include "crash/report/fold.h"
#include "crash/report/form.h"
#include "crash/report/source_lines.h"
#include "crash/signals/handler_code.h"
#include "whocallme/crash.h"

/* Writes a stack as a part of a report: folded, and of a long one both ends.
 *
 * A stack that overflowed has a hundred thousand frames.  A form for people gets a recursion
 * folded.  JSON has the same frames as ever, and the runs as data beside them. */

/* The innermost frames tell what recursed, the outermost how it came to that. */
enum { INNERMOST = 64, OUTERMOST = 32, FRAMES_A_LOOK = 1024, MOST_RUNS = 64 };

/* A frame, or a run of them. */
struct item {
	bool is_run;
	size_t number;
	struct wcm_placed placed;
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
} shown;

/* A beginning or an end that the form may have no words for. */
static void write_mark(struct wcm_writing *writing, void (*mark)(struct wcm_writing *writing))
{
	if (mark)
		mark(writing);
}

static size_t end_of(const struct item *item)
{
	return item->is_run ? item->run.first + item->run.count : item->number + 1;
}

static void write_item(const struct item *item)
{
	struct wcm_writing *writing = shown.writing;
	struct wcm_frame_fact fact = { .symbol = { 0 } };

	shown.next = end_of(item);
	if (item->is_run) {
		writing->form->run(writing, &item->run);
		return;
	}
	wcm__frame_find(&fact, &item->placed, item->number);
	writing->form->frame(writing, &fact);
	if (writing->lined)
		wcm__source_lines_frame(writing->fd, writing->colours, &item->placed, &fact,
					shown.tid);
}

static void add_item(const struct item *item)
{
	if (shown.items < INNERMOST)
		write_item(item);
	else
		shown.last[shown.items % OUTERMOST] = *item;
	shown.items++;
}

static void add_frame(void *data, const struct wcm_placed *placed, size_t number)
{
	const struct item item = { .number = number, .placed = *placed };

	(void)data;
	add_item(&item);
}

static void add_run(void *data, const struct wcm_fold_run *run)
{
	const struct item item = { .is_run = true, .number = run->first, .run = *run };

	(void)data;
	add_item(&item);
}

static void pass_over(void *data, const struct wcm_placed *frame, size_t number)
{
	(void)data, (void)frame, (void)number;
}

static void keep_run(void *data, const struct wcm_fold_run *run)
{
	(void)data;
	if (shown.runs < MOST_RUNS)
		shown.run[shown.runs++] = *run;
}

static void begin(struct wcm_fold *fold, struct wcm_writing *writing, int tid)
{
	const bool is_data = !writing->form->is_for_people;

	shown.writing = writing;
	shown.tid = tid;
	shown.items = shown.next = shown.left_out = shown.runs = 0;
	*fold = (struct wcm_fold){ .frame = is_data ? pass_over : add_frame,
				   .run = is_data ? keep_run : add_run };
	write_mark(writing, writing->form->stack_begin);
}

static void add(struct wcm_fold *fold, struct wcm_placed placed)
{
	if (!shown.writing->form->is_for_people)
		add_frame(NULL, &placed, fold->count);
	wcm__fold_add(fold, &placed);
}

/* LAST is the outermost frame that is known, or NULL. */
static void end(struct wcm_fold *fold, enum wcm_stop stop, const struct wcm_frame *last)
{
	const struct wcm_form *form = shown.writing->form;
	size_t from = INNERMOST;

	wcm__fold_end(fold);
	if (shown.items > INNERMOST + OUTERMOST)
		from = shown.items - OUTERMOST;
	for (; from < shown.items; from++) {
		const struct item *item = &shown.last[from % OUTERMOST];

		if (item->number > shown.next) {
			shown.left_out = item->number - shown.next;
			if (form->gap)
				form->gap(shown.writing, shown.left_out);
		}
		write_item(item);
	}
	if (form->runs)
		form->runs(shown.writing, shown.run, shown.runs);
	form->stack_end(shown.writing, shown.left_out, stop,
			stop == WCM_STOP_NO_RULE && last ? wcm__debug_frame_unread(last->pc)
							 : NULL);
}

/* The clock is looked at now and then. */
static bool stack_part_walk(struct wcm_writing *writing, const void *ucontext, int tid,
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
		add(&fold, wcm__walk_placed(&walk));
		if (fold.count % FRAMES_A_LOOK == 0)
			in_time = wcm__clock_ns() < deadline;
	}
	end(&fold, walk.stop, &walk.frame);
	return in_time;
}

/* Write the stack that THREAD has captured. */
static void stack_part_thread(struct wcm_writing *writing, const struct wcm_thread *thread)
{
	struct wcm_fold fold;

	begin(&fold, writing, thread->tid);
	for (size_t i = 0; i < thread->count; i++)
		add(&fold, (struct wcm_placed){ thread->frames[i], NULL });
	end(&fold, thread->stop,
	    thread->count > 0 ? &thread->frames[thread->count - 1] : NULL);
}

/* The COUNT threads of ALIKE have the stack of THREAD, the first of them. */
typedef void wcm_alike_writer(const struct wcm_thread *thread, const struct wcm_alike *alike,
			      size_t count, void *data);

/* Gathers threads that have one stack, so that it is written once.
 *
 * Stacks are equal if all their addresses are.  The room is bounded: where it is used up, the
 * groups so far are written, and a stack may be written once more later. */

enum { MOST_STACKS = 32, MOST_THREADS = 1024 };

static struct {
	struct wcm_thread stack[MOST_STACKS];
	size_t stacks;
	struct wcm_alike thread[MOST_THREADS];
	uint8_t stack_of[MOST_THREADS];
	size_t threads;
	struct wcm_alike alike[MOST_THREADS]; /* those of one stack */
} held;

/* There are no threads yet.  For one thread at a time. */
static void thread_groups_begin(void)
{
	held.stacks = held.threads = 0;
}

static bool is_same_stack(const struct wcm_thread *a, const struct wcm_thread *b)
{
	if (a->answered != b->answered || a->blocked != b->blocked || a->count != b->count ||
	    a->stop != b->stop)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->frames[i].pc != b->frames[i].pc ||
		    a->frames[i].flags != b->frames[i].flags)
			return false;
	return true;
}

static size_t find_stack(const struct wcm_thread *thread)
{
	size_t i = 0;

	while (i < held.stacks && !is_same_stack(&held.stack[i], thread))
		i++;
	return i;
}

/* Pass the groups to WRITE, in the order of their first threads, and forget them. */
static void thread_groups_write(wcm_alike_writer *write, void *data)
{
	for (size_t stack = 0; stack < held.stacks; stack++) {
		size_t count = 0;

		for (size_t i = 0; i < held.threads; i++)
			if (held.stack_of[i] == stack)
				held.alike[count++] = held.thread[i];
		write(&held.stack[stack], held.alike, count, data);
	}
	thread_groups_begin();
}

/* Take THREAD; WRITE those that were taken first, if there is no room. */
static void thread_groups_add(const struct wcm_thread *thread, wcm_alike_writer *write,
			      void *data)
{
	size_t stack = find_stack(thread);

	if (stack == MOST_STACKS || held.threads == MOST_THREADS) {
		thread_groups_write(write, data);
		stack = 0;
	}
	if (stack == held.stacks)
		held.stack[held.stacks++] = *thread;
	held.stack_of[held.threads] = (uint8_t)stack;
	held.thread[held.threads].tid = thread->tid;
	memcpy(held.thread[held.threads].name, thread->name, WCM_THREAD_NAME);
	held.threads++;
}

static bool is_late(const struct wcm_writing *writing)
{
	return wcm__clock_ns() >= writing->deadline;
}

/* Whether there is a point in going on. */
static bool may_go_on(const struct wcm_writing *writing)
{
	return !writing->failed && !writing->json.out.is_cut && !is_late(writing);
}

static const char *program_path(void)
{
	const struct wcm_known_module *module =
		wcm__modules_find_loaded(wcm__auxv(AT_PHDR));
	const char *path = wcm__auxv_path();

	return module ? module->map.path : path ? path : "";
}

/* When one of so many PARTS of the time that is left has passed. */
static uint64_t part_of_time(const struct wcm_writing *writing, unsigned parts)
{
	const uint64_t now = wcm__clock_ns();

	return now < writing->deadline ? now + (writing->deadline - now) / parts : now;
}

/* When the last quarter of the time that is left begins.  Lines may take half of it: names and
 * the walk of a stack have a quarter more. */
static uint64_t last_quarter(const struct wcm_writing *writing)
{
	return writing->deadline - (part_of_time(writing, 4) - wcm__clock_ns());
}

/* The number of bytes of the SIZE at ARGUMENTS without the empty arguments at the
 * end: a program that has put its title there filled the rest with zeros.  A single
 * one may be meant. */
static size_t without_padding(const char *arguments, size_t size)
{
	size_t used = size;

	while (used > 0 && arguments[used - 1] == '\0')
		used--;
	return used > 0 && size - used > 2 ? used + 1 : size;
}

/* Fill ARGUMENTS, MOST bytes, from FILE. */
static void read_arguments(struct wcm_program *program, char *arguments,
			   size_t most, struct wcm_proc_file *file)
{
	int c;

	while (program->size < most - 1 && (c = wcm__proc_next(file)) >= 0)
		arguments[program->size++] = (char)c;
	while (!program->cut && (c = wcm__proc_next(file)) >= 0)
		program->cut = c != '\0';
	/* The program may have written over it. */
	if (program->size > 0 && arguments[program->size - 1] != '\0')
		arguments[program->size++] = '\0';
	if (!program->cut)
		program->size = without_padding(arguments, program->size);
	program->size = wcm__secrets_star(arguments, program->size);
	program->arguments = program->size > 0 ? arguments : NULL;
}

static bool write_program(struct wcm_writing *writing,
			  const struct wcm_crash_info *crash)
{
	enum { MOST_BYTES = 4096 };
	static char arguments[MOST_BYTES];
	static struct wcm_proc_file file;
	struct wcm_program program = { .path = program_path() };

	(void)crash;
	if (!writing->no_arguments &&
	    wcm__proc_open(&file, part_of_time(writing, 8), WCM_PROC("cmdline"))) {
		read_arguments(&program, arguments, MOST_BYTES, &file);
		wcm__proc_close(&file);
	}
	writing->form->program(writing, &program);
	return true;
}

static bool write_stack(struct wcm_writing *writing,
			const struct wcm_crash_info *crash)
{
	return stack_part_walk(writing, crash->ucontext, crash->tid,
			       last_quarter(writing));
}

static bool write_why(struct wcm_writing *writing, const struct wcm_crash_info *crash)
{
	if (crash->has_address)
		wcm__crash_info_locate(crash);
	writing->form->why(writing, crash);
	return true;
}

static bool write_call(const struct wcm_last_call *call, void *data)
{
	struct wcm_writing *writing = data;

	if (!writing->has_calls)
		writing->form->calls_begin(writing);
	writing->has_calls = true;
	writing->form->call(writing, call);
	return may_go_on(writing);
}

/* Nothing is said of a thread whose calls are not kept. */
static void write_calls_of(struct wcm_writing *writing, int tid)
{
	writing->has_calls = false;
	wcm__last_calls_visit(tid, writing->time, write_call, writing);
	if (writing->has_calls)
		write_mark(writing, writing->form->calls_end);
}

static bool write_calls(struct wcm_writing *writing, const struct wcm_crash_info *crash)
{
	write_calls_of(writing, crash->tid);
	return !is_late(writing);
}

static bool write_registers(struct wcm_writing *writing,
			    const struct wcm_crash_info *crash)
{
	struct wcm_named_register registers[WCM_MOST_NAMED_REGISTERS];
	size_t count = wcm__arch_general_registers(crash->ucontext, wcm__read_memory,
						   registers);

	if (count > 0)
		writing->form->registers(writing, registers, count);
	return true;
}

/* How many of the SIZE bytes from AT on can be read into BYTES. */
static size_t read_forwards(uintptr_t at, uint8_t *bytes, size_t size)
{
	const size_t left = WCM_PAGE - at % WCM_PAGE;

	if (wcm__read_memory(at, bytes, size))
		return size;
	return left < size && wcm__read_memory(at, bytes, left) ? left : 0;
}

/* How many of the SIZE bytes before END can be read into BYTES. */
static size_t read_backwards(uintptr_t end, uint8_t *bytes, size_t size)
{
	const size_t left = end % WCM_PAGE;

	if (end >= size && wcm__read_memory(end - size, bytes, size))
		return size;
	return left < size && left > 0 &&
			       wcm__read_memory(end - left, bytes, left)
		       ? left
		       : 0;
}

static bool write_code(struct wcm_writing *writing,
		       const struct wcm_crash_info *crash)
{
	enum { BEFORE = 32, BEHIND = 32 };
	uint8_t bytes[BEFORE + BEHIND];
	struct wcm_code code = { .pc = crash->pc, .bytes = bytes };
	size_t before;

	if (!crash->has_registers)
		return true;
	before = read_backwards(crash->pc, bytes, BEFORE);
	code.count = read_forwards(crash->pc, bytes + before, BEHIND);
	code.start = crash->pc;
	if (code.count > 0) { /* else the bytes in front are another's */
		code.start -= before;
		code.count += before;
	}
	writing->form->code(writing, &code);
	return true;
}

static void write_stack_of(const struct wcm_thread *thread, const struct wcm_alike *alike,
			   size_t count, void *data)
{
	struct wcm_writing *writing = data;

	writing->form->thread_begin(writing, thread, alike, count);
	if (thread->answered)
		stack_part_thread(writing, thread);
	if (writing->calls_of_all)
		write_calls_of(writing, thread->tid);
	write_mark(writing, writing->form->thread_end);
}

static bool write_one_thread(const struct wcm_thread *thread, void *data)
{
	struct wcm_alike alike = { .tid = thread->tid };

	memcpy(alike.name, thread->name, sizeof(alike.name));
	write_stack_of(thread, &alike, 1, data);
	return may_go_on(data);
}

static bool group_thread(const struct wcm_thread *thread, void *data)
{
	thread_groups_add(thread, write_stack_of, data);
	return may_go_on(data);
}

struct visit {
	struct wcm_writing *writing;
	bool are_grouped, listed;
};

/* The last quarter of the time is for writing what threads that are grouped have said. */
static void visit_threads(void *argument)
{
	struct visit *visit = argument;
	struct wcm_writing *writing = visit->writing;

	if (visit->are_grouped)
		visit->listed = wcm__threads_visit(last_quarter(writing), group_thread,
						   writing);
	else
		visit->listed = wcm__threads_visit(writing->deadline, write_one_thread,
						   writing);
}

/* The last calls of threads are never alike.  What threads have said is written even if the
 * visit of others fails. */
static bool write_threads(struct wcm_writing *writing,
			  const struct wcm_crash_info *crash)
{
	struct visit visit = {
		.writing = writing,
		.are_grouped = writing->form->is_for_people && !writing->calls_of_all,
	};
	bool whole;

	(void)crash;
	write_mark(writing, writing->form->threads_begin);
	thread_groups_begin();
	whole = wcm__attempt(visit_threads, &visit);
	thread_groups_write(write_stack_of, writing);
	writing->form->threads_end(writing, visit.listed);
	writing->damaged |= !whole;
	return whole && !is_late(writing);
}

static bool write_module(const struct wcm_module *module, void *data)
{
	struct wcm_writing *writing = data;

	writing->form->module(writing, module);
	return may_go_on(writing);
}

static bool write_modules(struct wcm_writing *writing,
			  const struct wcm_crash_info *crash)
{
	bool whole;

	(void)crash;
	writing->form->modules_begin(writing);
	whole = wcm__modules_visit(write_module, writing);
	write_mark(writing, writing->form->modules_end);
	return whole;
}

enum section { PROGRAM, STACK, WHY, CALLS, REGISTERS, CODE, THREADS, MODULES, SECTIONS };

/* Each says whether it is whole. */
static const struct {
	uint32_t bit; /* 0: it is always there */
	const char *name;
	bool (*write)(struct wcm_writing *writing,
		      const struct wcm_crash_info *crash);
} sections[SECTIONS] = {
	[PROGRAM] = { WCM_SECTION_PROGRAM, "program", write_program },
	[STACK] = { WCM_SECTION_STACK, "stack", write_stack },
	[WHY] = { 0, "why", write_why },
	[CALLS] = { WCM_SECTION_CALLS, "calls", write_calls },
	[REGISTERS] = { WCM_SECTION_REGISTERS, "registers", write_registers },
	[CODE] = { WCM_SECTION_CODE, "code", write_code },
	[THREADS] = { WCM_SECTION_THREADS | WCM_SECTION_THREAD_CALLS, "threads",
		      write_threads },
	[MODULES] = { WCM_SECTION_MODULES, "modules", write_modules },
};

/* People look for the stack first, and hardly ever for a register. */
static const enum section for_people[SECTIONS] = {
	STACK, WHY, CALLS, PROGRAM, THREADS, REGISTERS, CODE, MODULES,
};
static const enum section for_programs[SECTIONS] = {
	WHY, PROGRAM, STACK, CALLS, REGISTERS, CODE, THREADS, MODULES,
};

struct part {
	struct wcm_writing *writing;
	const struct wcm_crash_info *crash;
	enum section section;
	bool is_whole;
};

static void write_part(void *argument)
{
	struct part *part = argument;

	part->is_whole = sections[part->section].write(part->writing, part->crash);
}

/* Write SECTION as far as what it is read from is whole; false where it is not. */
static bool write_section(struct wcm_writing *writing, const struct wcm_crash_info *crash,
			  enum section section)
{
	struct part part = { writing, crash, section, false };
	const unsigned depth = writing->json.depth;

	if (!wcm__attempt(write_part, &part)) {
		wcm__json_close_to(&writing->json, depth);
		writing->damaged = true;
	}
	return part.is_whole;
}

/* Of last calls that nobody keeps nothing can be missing. */
static bool is_chosen(const struct wcm_crash_info *crash, uint32_t chosen, uint32_t bit)
{
	return bit == 0 || ((chosen == 0 || (chosen & bit) != 0) &&
	       (!crash->withheld || (WCM_SECTIONS_NOT_WITHHELD & bit) != 0) &&
	       (bit != WCM_SECTION_CALLS || wcm__last_calls_are_kept()));
}

/* Write those that are CHOSEN; the names of those that are not there, or not whole,
 * are put in LATE.  Returns how many. */
static size_t write_sections(struct wcm_writing *writing,
			     const struct wcm_crash_info *crash, uint32_t chosen,
			     const char *late[SECTIONS])
{
	const enum section *order = writing->form->is_for_people ? for_people : for_programs;
	size_t count = 0;

	for (size_t i = 0; i < SECTIONS; i++) {
		const enum section section = order[i];

		if (!is_chosen(crash, chosen, sections[section].bit))
			continue;
		if ((section != WHY && is_late(writing)) ||
		    !write_section(writing, crash, section))
			late[count++] = sections[section].name;
		if (writing->failed || writing->json.out.is_cut)
			break;
	}
	return count;
}

bool wcm__crash_report(const struct wcm_crash_report *report)
{
	struct wcm_writing writing = {
		.form = report->json ? &wcm__form_json : &wcm__form_text,
		.fd = report->fd,
		.colours = report->colours,
		.names = report->names,
		.lined = report->lined,
		.no_arguments = report->no_arguments || report->withheld,
		.withheld = report->withheld,
		.calls_of_all = report->sections & WCM_SECTION_THREAD_CALLS,
		.time = report->time,
		.deadline = report->deadline,
	};
	const char *late[SECTIONS];
	struct wcm_crash_info crash;
	size_t count;

	wcm__dlopen_names_for_report(last_quarter(&writing));
	wcm__crash_info_find(&crash, report->info, report->ucontext, report->withheld,
			     report->deadline);
	crash.not_to = report->not_to;
	if (report->lined)
		wcm__source_lines_begin(crash.tid, report->names, part_of_time(&writing, 2));
	writing.form->head(&writing, &crash);
	count = write_sections(&writing, &crash, report->sections, late);
	writing.form->end(&writing, late, count);
	wcm__dlopen_names_for_report(0);
	return !writing.failed;
}
