/* SPDX-License-Identifier: MIT */
/* cmd_flame.c - `whocallme flame`: a recording as folded stacks.
 *
 * Each different stack is a node of a tree, under its caller's; the memory is bounded
 * by how many there are.  A stack has a bounded depth: lines that have each stack whole are the
 * square of a recording of calls that are all within each other.  A page or a drawing
 * (graph/flame_page.h) is made of the same tree.
 */
#include "commands/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/grow.h"
#include "base/hash.h"
#include "commands/reading.h"
#include "graph/flame_page.h"

enum { SVG = OPTION_LONG, HTML };
enum form { FORM_FOLDED, FORM_SVG, FORM_HTML };

enum { DEEPEST = 1024 /* calls of a stack, without --depth */ };

enum unit { UNIT_US, UNIT_NS, UNIT_CALLS, UNIT_NOT_GIVEN };
static const char units[] = "us ns calls";

struct node {
	size_t parent;         /* 0: none */
	const struct function *function; /* NULL: a task, */
	const struct task *task;         /* or, without one, all calls that are too deep */
	uint64_t self, calls;
};

struct flame {
	struct reading reading;
	enum unit unit;
	enum form form;
	const char *drawn;     /* the FILE of its form */
	bool has_forms;        /* more than one */
	bool by_task;
	struct node *nodes;    /* the first is none */
	size_t count, room;
	struct numbers numbers; /* of nodes, by parent and function or task */
	size_t *path;          /* of the stack that is printed, room for all nodes */
	bool failed;
};

static const void *key_of(const struct node *node)
{
	return node->function ? (const void *)node->function :
				(const void *)node->task;
}

static bool is_node(const void *flame, size_t number, const void *like)
{
	const struct node *one = &((const struct flame *)flame)->nodes[number];
	const struct node *other = like;

	return one->parent == other->parent && key_of(one) == key_of(other);
}

/* The number of a node like LIKE, or 0: it is the first, or there is no memory. */
static size_t add(struct flame *flame, const struct node *like)
{
	struct node *nodes = grow(flame->nodes, flame->count, &flame->room, sizeof(*nodes));

	if (!nodes)
		return 0;
	flame->nodes = nodes;
	nodes[flame->count] = *like;
	return flame->count++;
}

/* The node of LIKE's function or task under its parent. */
static size_t node_get(struct flame *flame, const struct node *like)
{
	const uintptr_t pair[] = { like->parent, (uintptr_t)key_of(like) };
	size_t *number = numbers_at(&flame->numbers, hash_slot(pair, sizeof(pair)), is_node, flame,
				    like);

	if (number && *number == 0)
		*number = add(flame, like);
	if (number && *number != 0)
		return *number;
	flame->failed = true;
	return 0;
}

static size_t parent_of(struct flame *flame, const struct call *call)
{
	const struct node task = { .task = call->task };

	if (call->caller)
		return call->caller->mark;
	return flame->by_task ? node_get(flame, &task) : 0;
}

static bool is_too_deep(const struct flame *flame, const struct call *call)
{
	return !flame->reading.depth && call->depth >= DEEPEST;
}

/* The node of a call that begins.  One that is too deep has that of its caller, if that is too. */
static size_t node_of(struct flame *flame, const struct call *call)
{
	struct node like = { .parent = parent_of(flame, call) };

	if (!is_too_deep(flame, call))
		like.function = call->frame->function;
	else if (like.parent && !key_of(&flame->nodes[like.parent]))
		return like.parent;
	return node_get(flame, &like);
}

static void count(struct flame *flame, struct call *call)
{
	struct node *node;

	if (call->kind == CALL_LOST)
		return;
	if (call->kind == CALL_ENTER) {
		call->frame->mark = node_of(flame, call);
		flame->nodes[call->frame->mark].calls += !call->frame->assumed;
		return;
	}
	node = &flame->nodes[call->frame->mark];
	node->self += call->self;
}

/* Semicolons part functions, the last space the number. */
static void print_folded(const char *escaped)
{
	for (; *escaped; escaped++)
		putchar(*escaped == ';' ? '_' : *escaped);
}

static void print_name(const struct node *node)
{
	char *program;

	if (node->function) {
		print_folded(node->function->name);
		return;
	}
	if (!node->task) {
		fputs("[deeper]", stdout);
		return;
	}
	program = escaped_name(task_program(node->task), SIZE_MAX);
	print_folded(program ? program : "?");
	printf("-%d", node->task->tid);
	free(program);
}

static void print_stack(const struct flame *flame, size_t at, uint64_t value)
{
	size_t length = 0;

	for (; at; at = flame->nodes[at].parent)
		flame->path[length++] = at;
	while (length-- > 0) {
		print_name(&flame->nodes[flame->path[length]]);
		if (length)
			putchar(';');
	}
	printf(" %" PRIu64 "\n", value);
}

/* A file of addresses, or a log, has no times. */
static enum unit unit_of(const struct flame *flame)
{
	if (flame->unit != UNIT_NOT_GIVEN)
		return flame->unit;
	return flame->reading.made ? UNIT_CALLS : UNIT_US;
}

static void print_all(const struct flame *flame)
{
	const enum unit unit = unit_of(flame);

	for (size_t i = 1; i < flame->count; i++) {
		const struct node *node = &flame->nodes[i];
		uint64_t value = unit == UNIT_US ? (node->self + 500) / 1000 :
				 unit == UNIT_NS ? node->self : node->calls;

		if (value)
			print_stack(flame, i, value);
	}
}

/* The node's, for its owner to free; NULL: no memory. */
static char *name_of(const struct node *node)
{
	char *program, *name = NULL;

	if (node->function)
		return strdup(node->function->name);
	if (!node->task)
		return strdup("[deeper]");
	program = escaped_name(task_program(node->task), SIZE_MAX);
	if (!program || asprintf(&name, "%s-%d", program, node->task->tid) < 0)
		name = NULL;
	free(program);
	return name;
}

/* The whole tree as a page or a drawing. */
static void print_page(struct flame *flame)
{
	struct flame_frame *frames = calloc(flame->count, sizeof(*frames));
	char *title = escaped_name(task_program(flame->reading.recording->tasks[0]), SIZE_MAX);
	struct flame_page page = {
		.title = title, .is_html = flame->form == FORM_HTML,
		.has_times = unit_of(flame) != UNIT_CALLS,
	};
	bool is_whole = frames && title;

	for (size_t i = 1; i < flame->count && is_whole; i++) {
		const struct node *node = &flame->nodes[i];

		frames[i] = (struct flame_frame){
			.parent = node->parent, .name = name_of(node),
			.value = page.has_times ? node->self : node->calls,
		};
		is_whole = frames[i].name;
	}
	flame->failed |= !is_whole;
	if (is_whole)
		flame_page_write(&page, frames, flame->count);
	if (page.left_out > 0)
		complain("%zu frames, too narrow or too deep, are left out", page.left_out);
	for (size_t i = 1; frames && i < flame->count; i++)
		free(frames[i].name);
	free(frames);
	free(title);
}

static void print_in_form(struct flame *flame)
{
	if (flame->form == FORM_FOLDED)
		print_all(flame);
	else
		print_page(flame);
	if (flame->failed)
		recording_complain(flame->reading.dir, "out of memory");
}

static int run(struct flame *flame)
{
	struct call call;
	int status;

	if (!reading_open(&flame->reading)) {
		reading_close(&flame->reading);
		return EXIT_PARTLY;
	}
	add(flame, &(struct node){ 0 });
	flame->failed = flame->count == 0;
	while (!flame->failed && reading_next(&flame->reading, &call))
		count(flame, &call);
	flame->path = flame->failed ? NULL : calloc(flame->count, sizeof(*flame->path));
	flame->failed |= !flame->path;
	if (flame->failed)
		recording_complain(flame->reading.dir, "out of memory");
	else
		print_in_form(flame);
	status = reading_close(&flame->reading);
	free(flame->nodes);
	numbers_free(&flame->numbers);
	free(flame->path);
	return flame->failed ? EXIT_PARTLY : status;
}

static bool set_unit(struct flame *flame, const char *value)
{
	const int unit = wcm__word_of(units, value, strlen(value));

	if (unit >= 0)
		flame->unit = (enum unit)unit;
	return unit >= 0;
}

static bool set_form(struct flame *flame, enum form form, const char *value)
{
	flame->has_forms |= flame->form != FORM_FOLDED && flame->form != form;
	flame->form = form;
	if (value)
		flame->drawn = value;
	return true;
}

static bool apply(void *to, int key, const char *value)
{
	struct flame *flame = to;

	switch (key) {
	case 'u':
		return set_unit(flame, value);
	case SVG:
		return set_form(flame, FORM_SVG, value);
	case HTML:
		return set_form(flame, FORM_HTML, value);
	case 't':
		return flame->by_task = true;
	default:
		return reading_option(&flame->reading, key, value);
	}
}

/* Why the options do not go together; NULL: they do. */
static const char *conflict(const struct flame *flame)
{
	if (flame->has_forms)
		return "--svg and --html are one at a time";
	if (flame->drawn && flame->reading.output)
		return "--output and the form both name a FILE";
	if (flame->drawn && strcmp(flame->drawn, "-") == 0)
		return "- is no FILE: without =FILE it goes to standard output, and ./- is a file "
		       "of that name";
	return NULL;
}

static int cmd_flame(int argc, char *argv[])
{
	struct flame flame = { .unit = UNIT_NOT_GIVEN };
	const char *wrong;
	int status;

	if (!reading_arguments(&flame.reading, &command_flame, argc, argv, apply,
			       &flame, &status))
		return status;
	wrong = conflict(&flame);
	if (wrong) {
		free(flame.reading.tids);
		return options_refuse("%s", wrong);
	}
	if (flame.drawn)
		flame.reading.output = flame.drawn;
	return run(&flame);
}

static const struct command_option options[] = {
	{ 'u', "unit", .value = "UNIT", .takes = TAKES_WORD, .words = units,
	  .brief = "unit of what is counted",
	  .means = "microseconds, rounded\nnanoseconds\nhow often it was called",
	  .text = "count in us (default; microseconds, rounded; stacks of 0 are left "
		  "out), ns, or calls, which is also taken if no time is known" },
	{ SVG, "svg", .value = "FILE", .is_optional = true, .takes = TAKES_FILE,
	  .text = "draw the flame graph as SVG, which zooms and searches in a browser, to "
		  "FILE or the output" },
	{ HTML, "html", .value = "FILE", .is_optional = true, .takes = TAKES_FILE,
	  .text = "draw it as a page, which loads nothing else" },
	{ 't', "by-task", .text = "begin each stack with its program and thread number" },
	READING_OPTIONS,
};

const struct command command_flame = {
	.name = "flame",
	.operands = "[OPTION...] [DIR]",
	.operand = "[DIR]",
	.summary = "print a recording as a flame graph or its stacks",
	.purpose = FOR_RECORDINGS,
	.about =
		"Print each stack of a recording and the time spent in its last function, for "
		"a flame graph.",
	.options = options,
	.notes =
		"A line is a stack, outermost function first, separated by semicolons. A "
		"stack has 1,024 calls at most, and deeper ones are [deeper]; --depth=N makes "
		"it N. DIR is uftrace.data by default.",
	.statuses = READING_STATUS,
	.examples = "whocallme flame calls >calls.folded",
	.takes = TAKES_DIRECTORY,
	.run = cmd_flame,
};
