/* SPDX-License-Identifier: MIT */
/* text_block.c - lines for a whole report, or a whole stack, in text.
 *
 * The build-ids of modules come after the frames, and so may the lines that are known
 * already.  So the text is read twice: to learn them, and to write it.
 */
#include "reports/text_block.h"

#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/grow.h"
#include "reports/text_line.h"

struct block_frame {
	struct report_frame frame;
	size_t line;   /* its number in the text */
	uint64_t thread; /* 0: the first stack */
	bool resolved; /* by somebody before us: lines are below it */
	bool complained; /* the same of what is wrong with its module */
};

struct block {
	char *memory; /* of all strings: the text without colours */
	struct block_frame *frame;
	size_t frames, frame_room;
	struct loaded_modules modules;
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
	struct report_frame frame;
	struct block_frame *grown;

	if (!text_read_frame(&frame, line))
		return;
	if (frame.is_signal) {
		reading->exact_next = true;
		return;
	}
	frame.exact = frame.number == 0 ? reading->exact_first : reading->exact_next;
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
	};
	reading->exact_next = false;
}

static void read_module(struct block *block, char *line)
{
	struct loaded module;

	if (text_read_module(&module, line) && !loaded_add(&block->modules, &module))
		block->out_of_memory = true;
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
	case TEXT_LOCATION:
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
	loaded_sort(&block->modules);
}

/* Whether it says more than the frame's line does. */
static bool says_more(const struct resolver *resolver, const struct block_frame *frame)
{
	const struct locations *locations = &resolver->locations;
	const struct location *location = locations->location;
	const char *name = frame->frame.name;
	char *memory;
	bool same;

	if (locations->count != 1 || location->file)
		return locations->count > 0;
	if (!location->function || !name)
		return location->function != NULL;
	same = strcmp(resolver_name(resolver, location->function, &memory), name) == 0;
	free(memory);
	return !same;
}

static void write_lines(struct resolver *resolver, const struct block *block,
			FILE *file, const struct block_frame *frame)
{
	struct address address;
	const char *complaint;

	if (!frame_address(&frame->frame, &block->modules, &address))
		return;
	if (frame->resolved) {
		/* It counts as said. */
		if (frame->complained)
			resolver_complaint(resolver, &address);
		return;
	}
	complaint = resolver_find(resolver, &address);
	if (says_more(resolver, frame))
		resolver_print(resolver, file);
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
		write_lines(resolver, block, file, &block->frame[frame++]);
	}
}

void text_block_write(struct resolver *resolver, FILE *file, const char *text,
		      size_t size)
{
	struct block block = { 0 };

	read_block(&block, text, size);
	if (block.out_of_memory) {
		block.frames = 0;
		complain("out of memory: a report stays as it is");
	}
	write_block(resolver, &block, file, text, size);
	free(block.memory);
	free(block.frame);
	loaded_free(&block.modules);
}
