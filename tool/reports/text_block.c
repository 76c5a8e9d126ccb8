/* SPDX-License-Identifier: MIT */
/* text_block.c - adds source lines to a report or stack as text.
 *
 * The build-ids of modules come after the frames, and so may the lines that are known
 * already.  So the text is read twice: to learn them, and to write it.
 */
#include "reports/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/grow.h"
#include "reports/filter_json.h"
#include "reports/log_line.h"
#include "reports/text_line.h"

struct block_frame {
	struct report_frame frame;
	size_t line;   /* its number in the text */
	size_t stream; /* of a log */
	char *json;    /* it is no frame: a line of JSON, or a part of one */
	size_t json_length;
	bool is_dropped; /* such a part, whose whole is written */
	struct log_line log; /* what is around it in the log; its text is gone */
	uint64_t thread; /* 0: the first stack */
	bool resolved; /* by somebody before us: lines are below it */
	bool complained; /* the same of what is wrong with its module */
};

struct block {
	char *memory; /* of all strings: the text without colours */
	char **kept;  /* and of those that are not there as they are */
	size_t kept_count, kept_room;
	struct block_frame *frame;
	size_t frames, frame_room;
	struct loaded_modules modules[LOG_STREAMS];
	struct log_streams streams;
	bool out_of_memory;
};

/* What the lines of a stream so far tell of the next frame. */
struct reading {
	size_t line;
	size_t stream;
	size_t last;         /* frame of the stream, from 1; 0: none */
	size_t first;        /* frame of the report, or one that is not there yet */
	bool is_below_frame; /* the stream's line before this one was the frame's */
	bool exact_first; /* the innermost frame of a stack is where a signal came */
	bool exact_next;
	uint64_t thread;
	bool in_lines; /* behind the report */
	size_t next;   /* of the frames that the next of the lines may be of */
	bool in_threads; /* of wcm_threads_write(): the first asks, the others answer */
};

/* A copy of the LENGTH bytes at TEXT, zero bytes among them, with a zero byte behind. */
static char *copy_of(const char *text, size_t length)
{
	char *copy = malloc(length + 1);

	if (copy) {
		memcpy(copy, text, length);
		copy[length] = '\0';
	}
	return copy;
}

static struct block_frame *add_frame(struct block *block, const struct block_frame *frame)
{
	struct block_frame *grown = grow(block->frame, block->frames, &block->frame_room,
					 sizeof(*grown));

	if (!grown) {
		block->out_of_memory = true;
		return NULL;
	}
	block->frame = grown;
	block->frame[block->frames] = *frame;
	return &block->frame[block->frames++];
}

static void read_frame(struct block *block, struct reading *reading, char *line,
		       const struct log_line *log)
{
	struct report_frame frame;
	struct block_frame made = { .line = reading->line, .stream = reading->stream,
				    .thread = reading->thread, .log = *log };

	if (!text_read_frame(&frame, line))
		return;
	if (frame.is_signal) {
		reading->exact_next = true;
		return;
	}
	frame.exact = frame.number == 0 ? reading->exact_first : reading->exact_next;
	made.frame = frame;
	if (add_frame(block, &made))
		reading->last = block->frames;
	reading->is_below_frame = true;
	reading->exact_next = false;
}

static void read_module(struct block *block, size_t stream, char *line)
{
	struct loaded module;

	if (text_read_module(&module, line) && !loaded_add(&block->modules[stream], &module))
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

		if (frame->stream != reading->stream || frame->json ||
		    frame->thread != reading->thread || frame->frame.number != number)
			continue;
		frame->resolved = true;
		reading->next = i + 1;
		return;
	}
	reading->next = block->frames;
}

/* Below the frame FRAME, or NULL, stand its lines. */
static void read_location(struct block_frame *frame, const char *line)
{
	if (!frame)
		return;
	frame->resolved = true;
	if (strncmp(line, "   (", 4) == 0)
		frame->complained = true;
}

static void read_line(struct block *block, struct reading *reading, char *line,
		      const struct log_line *log)
{
	const enum text_kind kind = text_kind(line);
	struct block_frame *last = reading->last > 0 ? &block->frame[reading->last - 1] : NULL;

	if (kind != TEXT_LOCATION)
		reading->is_below_frame = false;
	switch (kind) {
	case TEXT_FRAME:
		read_frame(block, reading, line, log);
		break;
	case TEXT_LOCATION:
		read_location(reading->is_below_frame ? last : NULL, line);
		break;
	case TEXT_MODULE:
		read_module(block, reading->stream, line);
		break;
	case TEXT_ONE_OF_ALL:
		reading->exact_first = reading->in_threads;
		reading->in_threads = true;
		break;
	case TEXT_LINES:
		reading->next = reading->in_lines ? block->frames : reading->first;
		reading->in_lines = true;
		reading->thread = 0;
		break;
	case TEXT_LINE:
		read_lines(block, reading, line);
		break;
	case TEXT_THREAD:
		reading->thread = text_thread(line);
		reading->exact_first = true;
		break;
	case TEXT_HEAD:
		*reading = (struct reading){ .line = reading->line, .stream = reading->stream,
					     .first = block->frames, .exact_first = true };
		break;
	default:
		break;
	}
}

/* A copy of TEXT that lives as long as BLOCK; "" where memory is out. */
static char *keep(struct block *block, const char *text)
{
	static char nothing[1];
	char *copy = strdup(text);
	char **grown = copy ? grow(block->kept, block->kept_count, &block->kept_room,
				   sizeof(*grown))
			    : NULL;

	if (!grown) {
		free(copy);
		block->out_of_memory = true;
		return nothing;
	}
	block->kept = grown;
	return block->kept[block->kept_count++] = copy;
}

/* A line of JSON in a log, or a part of a line that may become one. */
static void read_json(struct block *block, size_t line, const struct log_line *log)
{
	struct block_frame made = { .line = line, .stream = log->stream, .log = *log };

	made.json = log->is_part ? strdup("") : copy_of(log->text, log->length);
	made.json_length = log->length;
	if (!made.json || !add_frame(block, &made)) {
		free(made.json);
		block->out_of_memory = true;
		return;
	}
	if (!log->was_parted || !filter_json_is_report(log->text, log->length))
		return;
	for (size_t i = block->frames - 1; i-- > 0;) {
		struct block_frame *part = &block->frame[i];

		if (part->stream != log->stream)
			continue;
		if (!part->json || !part->log.is_part)
			break;
		part->is_dropped = true;
	}
}

static void read_block(struct block *block, const char *text, size_t size)
{
	struct reading reading[LOG_STREAMS] = { { 0 } };
	size_t number = 0;
	char *to;

	block->memory = to = malloc(size + 1);
	if (!to) {
		block->out_of_memory = true;
		return;
	}
	for (const char *end = text + size, *newline; text < end;
	     text = newline + 1, number++) {
		char *line = to;
		struct log_line log;
		size_t length;

		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			newline = end;
		memcpy(line, text, (size_t)(newline - text));
		/* No longer than before, with its zero byte for the newline. */
		length = text_strip_colours(line, (size_t)(newline - text));
		to += length + 1;
		log_read(&block->streams, line, length, &log);
		if (log.is_part || (log.stream > 0 && *log.text == '{')) {
			read_json(block, number, &log);
			continue;
		}
		/* What was taken out of JSON, or put together, must live as long. */
		if (log.stream > 0 && (log.is_wrapped || log.was_parted))
			line = keep(block, log.text);
		else
			line = log.text;
		reading[log.stream].line = number;
		reading[log.stream].stream = log.stream;
		read_line(block, &reading[log.stream], line, &log);
	}
	for (size_t i = 0; i < LOG_STREAMS; i++)
		loaded_sort(&block->modules[i]);
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

	if (!frame_address(&frame->frame, &block->modules[frame->stream], &address))
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

/* The lines of FRAME, below its LINE of a log. */
static void write_in_log(struct resolver *resolver, const struct block *block, FILE *file,
			 const struct block_frame *frame, const char *line, size_t length)
{
	char *text = NULL, *clean = copy_of(line, length);
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	if (lines && clean) {
		write_lines(resolver, block, lines, frame);
		fflush(lines);
		length = text_strip_colours(clean, length);
		log_write(file, &frame->log, clean, length, text, size);
	}
	if (lines)
		fclose(lines);
	free(text);
	free(clean);
}

/* A report in JSON in a log.  False where it is none: its line stays as it is. */
static bool write_json(struct resolver *resolver, FILE *file, const struct block_frame *frame,
		       const char *line, size_t length)
{
	char *text = filter_json_in_log(resolver, frame->json, frame->json_length);
	char *clean = text ? copy_of(line, length) : NULL;

	if (clean)
		log_write(file, &frame->log, clean, text_strip_colours(clean, length), text,
			  strlen(text));
	free(text);
	free(clean);
	return clean;
}

/* Write what belongs to FRAME, whose LINE has come.  False where the line is still to be
 * written. */
static bool write_frame(struct resolver *resolver, const struct block *block, FILE *file,
			const struct block_frame *frame, const char *line, size_t length)
{
	if (frame->is_dropped)
		return true;
	if (frame->json)
		return !frame->log.is_part &&
		       write_json(resolver, file, frame, line, length);
	fwrite(line, 1, length, file);
	fputc('\n', file);
	if (frame->stream == 0)
		write_lines(resolver, block, file, frame);
	else
		write_in_log(resolver, block, file, frame, line, length);
	return true;
}

static void write_block(struct resolver *resolver, const struct block *block,
			FILE *file, const char *text, size_t size)
{
	size_t line = 0, frame = 0;

	for (const char *end = text + size, *next; text < end; text = next, line++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		bool written = false;

		next = newline ? newline + 1 : end;
		if (frame < block->frames && block->frame[frame].line == line)
			written = write_frame(resolver, block, file, &block->frame[frame++],
					      text, (size_t)((newline ? newline : end) - text));
		if (!written)
			fwrite(text, 1, (size_t)(next - text), file);
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
	for (size_t i = 0; i < block.frames; i++)
		free(block.frame[i].json);
	for (size_t i = 0; i < block.kept_count; i++)
		free(block.kept[i]);
	for (size_t i = 0; i < LOG_STREAMS; i++)
		loaded_free(&block.modules[i]);
	log_free(&block.streams);
	free(block.kept);
	free(block.memory);
	free(block.frame);
}
