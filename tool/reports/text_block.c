/* SPDX-License-Identifier: MIT */
/* text_block.c - lines for a whole report, or a whole stack, in text.
 *
 * What says where modules are comes after the frames, or must be found from all of
 * them.  So the text is read twice: to learn that, and to write it.
 */
#include "reports/text_block.h"

#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "grow.h"
#include "reports/bias.h"
#include "reports/text_line.h"

struct block_frame {
	struct text_frame frame;
	size_t line;   /* its number in the text */
	uint64_t thread; /* 0: the first stack */
	bool exact;    /* else pc is behind a call */
	bool resolved; /* by somebody before us: lines are below it */
	bool complained; /* the same of what is wrong with its module */
	bool first;    /* of those of its module that the report does not have */
	bool known;    /* ADDRESS is: that of pc, in its module's own numbering */
	uint64_t address;
	const struct text_module *module; /* else its path alone is known */
};

struct block {
	char *memory; /* of all strings: the text without colours */
	struct block_frame *frame;
	size_t frames, frame_room;
	struct text_module *module;
	size_t modules, module_room;
	bool out_of_memory;
};

/* What the lines so far tell of the next frame. */
struct reading {
	size_t line;
	bool exact_first; /* the innermost frame of a stack is where a signal came */
	bool exact_next;
	uint64_t thread;
	bool in_lines; /* behind the report */
	size_t next;   /* of the frames that the next of the lines may be of */
	bool in_threads; /* of wcm_threads_write(): the first asks, the others answer */
};

static void read_frame(struct block *block, struct reading *reading, char *line)
{
	struct text_frame frame;
	struct block_frame *grown;

	if (!text_read_frame(&frame, line))
		return;
	if (frame.is_signal) {
		reading->exact_next = true;
		return;
	}
	grown = grow(block->frame, block->frames, &block->frame_room, sizeof(*grown));
	if (!grown) {
		block->out_of_memory = true;
		return;
	}
	block->frame = grown;
	block->frame[block->frames++] = (struct block_frame){
		.frame = frame,
		.line = reading->line,
		.thread = reading->thread,
		.exact = frame.number == 0 ? reading->exact_first
					   : reading->exact_next,
	};
	reading->exact_next = false;
}

static void read_module(struct block *block, char *line)
{
	struct text_module module, *grown;

	if (!text_read_module(&module, line))
		return;
	grown = grow(block->module, block->modules, &block->module_room,
		     sizeof(*grown));
	if (!grown) {
		block->out_of_memory = true;
		return;
	}
	block->module = grown;
	block->module[block->modules++] = module;
}

/* LINE is the first of those of a frame: they come in the order of the frames. */
static void read_lines(struct block *block, struct reading *reading, char *line)
{
	uint64_t number;

	if (!reading->in_lines || !text_behind_number(line, &number))
		return;
	for (size_t i = reading->next; i < block->frames; i++) {
		struct block_frame *frame = &block->frame[i];

		if (frame->thread != reading->thread || frame->frame.number != number)
			continue;
		frame->resolved = true;
		reading->next = i + 1;
		return;
	}
	reading->next = block->frames;
}

static void read_line(struct block *block, struct reading *reading, char *line)
{
	struct block_frame *last = block->frames > 0 ? &block->frame[block->frames - 1]
						     : NULL;

	switch (text_kind(line)) {
	case TEXT_FRAME:
		read_frame(block, reading, line);
		break;
	case TEXT_PLACE:
		if (last && last->line + 1 == reading->line)
			last->resolved = true;
		if (last && strncmp(line, "   (", 4) == 0)
			last->complained = true;
		break;
	case TEXT_MODULE:
		read_module(block, line);
		break;
	case TEXT_ONE_OF_ALL:
		reading->exact_first = reading->in_threads;
		reading->in_threads = true;
		break;
	case TEXT_LINES:
		reading->in_lines = true;
		reading->thread = 0;
		reading->next = 0;
		break;
	case TEXT_LINE:
		read_lines(block, reading, line);
		break;
	case TEXT_THREAD:
		reading->thread = text_thread(line);
		reading->exact_first = true;
		break;
	case TEXT_HEAD:
		reading->exact_first = true;
		break;
	default:
		break;
	}
}

static void read_block(struct block *block, const char *text, size_t size)
{
	struct reading reading = { 0 };
	char *to;

	block->memory = to = malloc(size + 1);
	if (!to) {
		block->out_of_memory = true;
		return;
	}
	for (const char *end = text + size, *newline; text < end;
	     text = newline + 1, reading.line++) {
		char *line = to;

		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			newline = end;
		memcpy(line, text, (size_t)(newline - text));
		/* No longer than before, with its zero byte for the newline. */
		to += text_strip_colours(line, (size_t)(newline - text)) + 1;
		read_line(block, &reading, line);
	}
}

static uint64_t site_of(const struct block_frame *frame)
{
	return frame->frame.pc - (frame->exact ? 0 : 1);
}

static int by_lo(const void *a, const void *b)
{
	const struct text_module *left = a, *right = b;

	return (left->lo > right->lo) - (left->lo < right->lo);
}

/* The module that has SITE, or NULL; they are sorted, and do not overlap. */
static const struct text_module *find_module(const struct block *block, uint64_t site)
{
	size_t lo = 0, hi = block->modules;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (block->module[middle].lo <= site)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo > 0 && site < block->module[lo - 1].hi ? &block->module[lo - 1] : NULL;
}

static void locate_by_modules(struct block *block)
{
	if (block->modules > 0)
		qsort(block->module, block->modules, sizeof(*block->module), by_lo);
	for (size_t i = 0; i < block->frames; i++) {
		struct block_frame *frame = &block->frame[i];
		const struct text_module *module = find_module(block, site_of(frame));

		if (!module)
			continue;
		frame->known = true;
		frame->module = module;
		frame->address = frame->frame.pc - module->bias;
	}
}

/* The COUNT frames at FIRST are all of one module. */
static void locate_in_module(struct resolver *resolver, struct block_frame *const *first,
			     size_t count)
{
	enum { MOST_VOTERS = 4096 };
	struct binary *binary =
		binaries_open(resolver->binaries, first[0]->frame.path, NULL, 0);
	struct ballot ballot = { .count = 0 };
	uint64_t bias = 0;
	bool clear;

	for (size_t i = 0; i < count && i < MOST_VOTERS; i++)
		ballot_add(&ballot, binary, &first[i]->frame);
	clear = ballot_winner(&ballot, &bias);
	first[0]->first = true;
	for (size_t i = 0; i < count; i++) {
		struct block_frame *frame = first[i];

		frame->address = frame->frame.pc - bias;
		frame->known = (clear && bias_fits(binary, &frame->frame, bias)) ||
			       bias_unique(binary, &frame->frame, &frame->address);
	}
}

static int by_path(const void *a, const void *b)
{
	const struct block_frame *left = *(struct block_frame *const *)a;
	const struct block_frame *right = *(struct block_frame *const *)b;
	const int order = strcmp(left->frame.path, right->frame.path);

	return order ? order : (left->line > right->line) - (left->line < right->line);
}

/* Those that no module has.  Modules whose names are no paths, such as [vdso], have no
 * file. */
static void locate_by_paths(struct resolver *resolver, struct block *block)
{
	struct block_frame **lost = calloc(block->frames + 1, sizeof(struct block_frame *));
	size_t count = 0, next;

	if (!lost) {
		block->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < block->frames; i++) {
		struct block_frame *frame = &block->frame[i];

		if (!frame->known && frame->frame.path && strchr(frame->frame.path, '/'))
			lost[count++] = frame;
	}
	qsort(lost, count, sizeof(struct block_frame *), by_path);
	for (size_t i = 0; i < count; i = next) {
		for (next = i + 1; next < count && strcmp(lost[i]->frame.path,
							  lost[next]->frame.path) == 0;)
			next++;
		locate_in_module(resolver, &lost[i], next - i);
	}
	free(lost);
}

/* Whether it says more than the frame's line does. */
static bool says_more(const struct resolver *resolver, const struct block_frame *frame)
{
	const struct places *places = &resolver->places;
	const struct place *place = places->place;
	const char *name = frame->frame.name;
	char *memory;
	bool same;

	if (places->count != 1 || place->file)
		return places->count > 0;
	if (!place->function || !name)
		return place->function != NULL;
	same = strcmp(resolver_name(resolver, place->function, &memory), name) == 0;
	free(memory);
	return !same;
}

static void write_lines(struct resolver *resolver, FILE *file,
			const struct block_frame *frame)
{
	struct address address = { .path = frame->frame.path };
	const char *complaint = NULL;

	if (frame->module)
		address = frame->module->address;
	if (frame->resolved) {
		/* It counts as said. */
		if (frame->complained)
			resolver_complaint(resolver, &address);
	} else if (frame->known) {
		address.address = frame->address - (frame->frame.pc - site_of(frame));
		complaint = resolver_find(resolver, &address);
		if (says_more(resolver, frame))
			resolver_print(resolver, file);
	} else if (frame->first) {
		complaint = resolver_complaint(resolver, &address);
	}
	if (complaint)
		print_complaint(file, &address, complaint);
}

static void write_block(struct resolver *resolver, const struct block *block,
			FILE *file, const char *text, size_t size)
{
	size_t line = 0, frame = 0;

	for (const char *end = text + size, *next; text < end; text = next, line++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		next = newline ? newline + 1 : end;
		fwrite(text, 1, (size_t)(next - text), file);
		if (frame == block->frames || block->frame[frame].line != line)
			continue;
		if (!newline)
			fputc('\n', file);
		write_lines(resolver, file, &block->frame[frame++]);
	}
}

void text_block_write(struct resolver *resolver, FILE *file, const char *text,
		      size_t size)
{
	struct block block = { 0 };

	read_block(&block, text, size);
	if (!block.out_of_memory) {
		locate_by_modules(&block);
		locate_by_paths(resolver, &block);
	}
	if (block.out_of_memory) {
		block.frames = 0;
		complain("out of memory: a report stays as it is");
	}
	write_block(resolver, &block, file, text, size);
	free(block.memory);
	free(block.frame);
	free(block.module);
}
