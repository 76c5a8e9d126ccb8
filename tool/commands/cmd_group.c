/* SPDX-License-Identifier: MIT */
/* cmd_group.c - `whocallme group`: crashes that are the same, and how often each came. */
#include "commands/command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/input.h"
#include "base/lines_in.h"
#include "base/report_start.h"
#include "base/terminal.h"
#include "reports/log_line.h"
#include "reports/report_json.h"
#include "reports/signature.h"
#include "reports/text_line.h"

enum { MOST_BINARIES = 64, MOST_FRAMES = 1000, MOST_OBJECT = REPORT_MOST_BYTES,
       MOST_LINE = 1 << 16 };

struct options {
	unsigned long frames, top;
	bool all_frames, json, no_resolve;
	enum signature_by by;
	const char *debug_dirs;
};

/* What a run has seen. */
struct run {
	const struct options *options;
	struct binaries *binaries;
	struct groups *groups;
	struct log_streams streams;
	struct report_text text[LOG_STREAMS]; /* of each */
	size_t reports;
	size_t broken, large, foreign; /* of the file: lines that are no reports */
	json_t *said; /* what was complained of, as the members of an object */
	time_t shown; /* when progress was; 0: nobody would see it */
	bool out_of_memory;
};

static void show_progress(struct run *run)
{
	const time_t now = run->shown ? time(NULL) : 0;

	if (now == run->shown)
		return;
	run->shown = now;
	fprintf(stderr, "\r%s: %zu reports", complain_name(), run->reports);
}

static void hide_progress(const struct run *run)
{
	if (run->shown)
		fputs("\r\033[K", stderr);
}

/* What is wrong with the files of REPORT's modules: why it may lack lines. */
static void tell_complaints(struct run *run, const json_t *report)
{
	enum { MOST_COMPLAINTS = 100, MOST_BYTES = 4096 };
	const json_t *complaint;
	size_t i;

	json_array_foreach(json_object_get(report, "complaints"), i, complaint) {
		const char *text = json_string_value(complaint);
		char *plain = text ? strdup(text) : NULL;

		if (plain && !json_object_get(run->said, text) &&
		    json_object_size(run->said) < MOST_COMPLAINTS) {
			json_object_set_new(run->said, text, json_true());
			hide_progress(run);
			unescape(plain);
			complain_begin();
			escape_name(stderr, plain, MOST_BYTES);
			fputc('\n', stderr);
		}
		free(plain);
	}
}

static void count_report(struct run *run, json_t *report,
			 const struct report_origin *origin)
{
	const struct options *options = run->options;
	json_t *frames;

	run->reports++;
	show_progress(run);
	/* Only the top of one stack counts: nothing else is looked up. */
	json_object_del(report, "threads");
	signature_cut(report, options->frames, options->all_frames);
	if (!options->no_resolve)
		report_resolve(report, run->binaries, 0);
	tell_complaints(run, report);
	frames = signature_frames(report, options->frames, options->all_frames);
	if (!frames || !groups_add(run->groups, report, frames,
				   signature_hash(frames, report, options->by),
				   origin))
		run->out_of_memory = true;
}

/* A line that begins as an object and is none was cut short, or is two. */
static void take_object(struct run *run, const char *text, size_t length,
			const struct report_origin *origin)
{
	json_t *object = json_loadb(text, length, 0, NULL);

	if (!object)
		run->broken++;
	else if (report_is(object))
		count_report(run, object, origin);
	else
		run->foreign++;
	json_decref(object);
}

/* Count the report for people that has come to its end in TEXT, if one has. */
static void take_finished(struct run *run, struct report_text *text, const char *file)
{
	struct report_origin origin = { file, text->finished_at };

	if (text->finished)
		count_report(run, text->finished, &origin);
	json_decref(text->finished);
	text->finished = NULL;
}

/* The stream that TEXT was of has no more lines. */
static void end_text(struct run *run, struct report_text *text, const char *file)
{
	report_text_end(text);
	take_finished(run, text, file);
	*text = (struct report_text){ .report = NULL };
}

static void take_line(struct run *run, char *text, size_t length,
		      const struct report_origin *origin)
{
	struct report_text *reading;
	struct log_line log;

	if (report_starts(text)) {
		take_object(run, text, length, origin);
		return;
	}
	length = text_strip_colours(text, length - (text[length - 1] == '\n'));
	log_read(&run->streams, text, length, &log);
	reading = &run->text[log.stream];
	if (log.taken_from)
		end_text(run, reading, origin->file);
	if (log.is_part)
		return;
	if (*log.text == '{') {
		take_object(run, log.text, log.length, origin);
		return;
	}
	if (!report_text_read(reading, log.text, origin->line) &&
	    log.text[strspn(log.text, " \t")])
		run->foreign++;
	take_finished(run, reading, origin->file);
}

static bool read_lines(struct run *run, int fd, const char *file)
{
	struct report_origin origin = { .file = file };
	struct lines_in lines;
	enum lines_in_status status;
	char *text;
	size_t length;
	bool in_part = false;

	lines_in_start(&lines, fd, MOST_LINE, MOST_OBJECT);
	while (!run->out_of_memory &&
	       (status = lines_in_next(&lines, -1, &text, &length)) !=
		       LINES_IN_END) {
		if (!in_part)
			origin.line++;
		if (status == LINES_IN_LINE)
			take_line(run, text, length, &origin);
		else if (!in_part && (text[0] == '{' || report_starts_in(text, length)))
			run->large++;
		else if (!in_part)
			run->foreign++;
		in_part = status == LINES_IN_PART && text[length - 1] != '\n';
	}
	for (size_t i = 0; i < LOG_STREAMS; i++)
		end_text(run, &run->text[i], file);
	log_free(&run->streams);
	memset(&run->streams, 0, sizeof(run->streams));
	errno = lines.error;
	lines_in_stop(&lines);
	return errno == 0;
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* False where a report of FILE was not whole. */
static bool tell(const struct run *run, const char *file)
{
	if (run->broken || run->large || run->foreign)
		hide_progress(run);
	if (run->broken)
		complain("%s: %zu line%s of JSON cannot be read: cut short?", file,
			 run->broken, plural(run->broken));
	if (run->large)
		complain("%s: %zu line%s of JSON passed over: more than %d MiB", file,
			 run->large, plural(run->large), MOST_OBJECT >> 20);
	if (run->foreign)
		complain("%s: %zu line%s passed over: no report", file, run->foreign,
			 plural(run->foreign));
	return run->broken == 0 && run->large == 0;
}

static bool read_file(struct run *run, const char *file)
{
	const bool is_stdin = strcmp(file, "-") == 0;
	const char *why = NULL;
	int fd = is_stdin ? STDIN_FILENO : input_open(file, &why);
	bool done = false;

	run->broken = run->large = run->foreign = 0;
	if (fd >= 0)
		done = read_lines(run, fd, file);
	if (!done) {
		hide_progress(run);
		complain("%s: %s", file, why ? why : strerror(errno));
	}
	if (fd >= 0 && !is_stdin)
		close(fd);
	return tell(run, file) && done;
}

static void print_groups(const struct groups *groups, size_t top)
{
	terminal_begin();
	groups_print(groups, top);
}

static int group(const struct options *options, char *files[])
{
	static char *standard_input[] = { "-", NULL };
	struct run run = {
		.options = options,
		.binaries = binaries_new(options->debug_dirs, MOST_BINARIES),
		.groups = groups_new(),
		.said = json_object(),
		.shown = isatty(STDERR_FILENO) ? time(NULL) : 0,
	};
	int status = EXIT_DONE;

	run.out_of_memory = !run.binaries || !run.groups;
	for (char **file = *files ? files : standard_input;
	     *file && !run.out_of_memory; file++)
		if (!read_file(&run, *file))
			status = EXIT_PARTLY;
	hide_progress(&run);
	if (run.out_of_memory) {
		complain_of_memory();
		status = EXIT_PARTLY;
	}
	if (run.groups && options->json)
		groups_print_json(run.groups, options->top);
	else if (run.groups)
		print_groups(run.groups, options->top);
	json_decref(run.said);
	if (run.groups)
		groups_free(run.groups);
	if (run.binaries)
		binaries_free(run.binaries);
	return status;
}

/* A number from 1 to MOST; 0: TEXT is none. */
static unsigned long number(const char *text, unsigned long most)
{
	unsigned long value;

	errno = 0;
	value = strtoul(text, NULL, 10);
	return *text && strspn(text, "0123456789") == strlen(text) && errno == 0 &&
			       value <= most
		       ? value
		       : 0;
}

/* In the order of enum signature_by. */
static const char ways[] = "program function file";

static bool read_way(const char *text, enum signature_by *by)
{
	const int way = wcm__word_of(ways, text, strlen(text));

	if (way >= 0)
		*by = (enum signature_by)way;
	return way >= 0;
}

/* False where VALUE makes no sense. */
static bool apply(void *to, int key, const char *value)
{
	struct options *options = to;
	bool makes_sense;

	if (terminal_option(key, value, &makes_sense))
		return makes_sense;
	switch (key) {
	case 'f':
		return (options->frames = number(value, MOST_FRAMES)) > 0;
	case 't':
		return (options->top = number(value, SIZE_MAX)) > 0;
	case 'b':
		return read_way(value, &options->by);
	case 'a':
		return options->all_frames = true;
	case 'j':
		return options->json = true;
	case 'r':
		return options->no_resolve = true;
	default:
		options->debug_dirs = value;
		return true;
	}
}

static int cmd_group(int argc, char *argv[])
{
	struct options options = { .frames = 5, .top = SIZE_MAX };
	int status, first = options_read(&command_group, argc, argv, apply, &options,
					 &status);

	return first ? group(&options, argv + first) : status;
}

static const struct command_option options[] = {
	{ 'f', "frames", .value = "N", .wants = "a number from 1 to 1000",
	  .text = "compare N functions (default: 5)" },
	{ 'a', "all-frames",
	  .text = "also compare functions that only raise the signal, and those that "
		  "call main" },
	{ 'b', "by", .value = "WHAT", .takes = TAKES_WORD, .words = ways,
	  .brief = "what is the same crash",
	  .means = "the same functions of the same builds\n"
		   "the same functions, whatever the build\n"
		   "the same source files",
	  .text = "compare names and builds of modules (program, the default), only "
		  "names of functions (function), or only source files (file)" },
	{ 't', "top", .value = "N", .wants = "a number from 1 on",
	  .text = "show the N most frequent groups" },
	{ 'j', "json", .text = "write a JSON object a group, each on one line" },
	{ 'r', "no-resolve",
	  .text = "read no debug data" },
	{ 'D', "debug-dir", .value = "DIRS", .takes = TAKES_DIRECTORY,
	  .text = "look for separate debug files in these folders, with colons "
		  "between" },
	TERMINAL_OPTIONS,
	{ .name = "" },
};

const struct command command_group = {
	.name = "group",
	.operands = "[OPTION...] [FILE...]",
	.operand = "FILE...",
	.summary = "count crash reports that are alike",
	.purpose = FOR_CRASHES,
	.about = "Count crash reports by the innermost functions of the stack that crashed.",
	.options = options,
	.notes =
		"Each FILE has reports as lines of JSON or as text; other lines are skipped. "
		"Standard input is read if there is no FILE, or if FILE is -.",
	.statuses =
		"0 done\n"
		"1 an input failed, or a report in it is not whole\n"
		"2 usage",
	.examples = "whocallme group --top=10 /var/log/crashes/*",
	.takes = TAKES_FILE,
	.run = cmd_group,
};
