/* SPDX-License-Identifier: MIT */
/* cmd_graph.c - `whocallme graph`: who called whom how often, as a drawing. */
#include "commands/command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/complain.h"
#include "base/duration.h"
#include "base/exit_status.h"
#include "base/slurp.h"
#include "commands/reading.h"
#include "debug/binary.h"
#include "format/dot.h"
#include "graph/graph.h"
#include "modules/build_id.h"
#include "recording/addresses.h"
#include "symbols/module_file.h"

extern char **environ;

static const char clusters[] = "module file";

enum { SVG = OPTION_LONG, CLUSTER };

struct drawing {
	struct reading reading;
	struct graph_style style;
	struct graph graph;
	bool svg;
	size_t *nodes;         /* by the function's index, each + 1 */
	size_t function_count;
	unsigned deepest;      /* how many calls were open at once, at most */
	struct binaries *binaries;
};

/* System calls are shown without a module. */
static const char *module_of(const struct function *function)
{
	return function->module && !reading_is_system(function) ? function->module->path : NULL;
}

static unsigned digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

/* The bytes of TEXT, in hexadecimal. */
static struct build_id parse_build_id(const char *text)
{
	struct build_id id = { .size = 0 };

	for (; id.size < BUILD_ID_MOST && strspn(text, "0123456789abcdef") >= 2;
	     text += 2)
		id.byte[id.size++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
	return id;
}

/* The path of FUNCTION's source; NULL where debug data does not say.  *BINARIES is made when
 * first needed. */
static char *source_of(struct binaries **binaries, const struct function *function)
{
	const struct module *module = function->module;
	struct locations locations = { 0 };
	struct build_id id;
	struct binary *binary;
	char *file = NULL;

	if (!*binaries)
		*binaries = binaries_new(NULL, 0);
	if (!*binaries || !module || function->stub)
		return NULL;
	id = parse_build_id(module->build_id);
	binary = binaries_open(*binaries, module->path, id.size ? id.byte : NULL,
			       id.size);
	binary_find(binary, module_file_start(module->path) + function->offset, &locations);
	if (locations.count && locations.location[locations.count - 1].file)
		file = strdup(locations.location[locations.count - 1].file);
	locations_free(&locations);
	return file;
}

/* Whether FUNCTION, a library call or a system call, does nothing but wait: for time, for other
 * threads and processes, for descriptors.  The name alone tells, so that a read(2) that waits for
 * its peer is work. */
static bool is_wait(const struct function *function)
{
	static const char waits[] =
		"poll ppoll select pselect pselect6 epoll_wait epoll_pwait epoll_pwait2 "
		"futex futex_wait nanosleep clock_nanosleep usleep sleep pause wait wait3 wait4 "
		"waitid waitpid sigsuspend rt_sigsuspend sigwait sigwaitinfo sigtimedwait "
		"rt_sigtimedwait sem_wait sem_timedwait pthread_cond_wait pthread_cond_timedwait "
		"pthread_join pthread_barrier_wait thrd_sleep thrd_join cnd_wait accept accept4 "
		"msgrcv semop semtimedop io_getevents flock";

	return function->stub && wcm__word_of(waits, function->name, strlen(function->name)) >= 0;
}

/* A function whose name another one has, too, gets its module behind it. */
static size_t new_node(struct drawing *drawing, const struct function *function)
{
	const char *module = module_of(function);
	size_t count = drawing->graph.node_count;
	size_t node = graph_node(&drawing->graph, function->name);
	char *name = NULL;

	if (drawing->graph.node_count == count && module) {
		if (asprintf(&name, "%s@%s", function->name, wcm__dot_base(module)) < 0)
			return node;
		node = graph_node(&drawing->graph, name);
		free(name);
	}
	if (drawing->graph.node_count == count)
		return node;
	drawing->graph.nodes[node].waits = is_wait(function);
	if (module)
		drawing->graph.nodes[node].module = strdup(module);
	if (drawing->style.clusters == CLUSTER_FILE)
		drawing->graph.nodes[node].file = source_of(&drawing->binaries,
							       function);
	return node;
}

static size_t node_of(struct drawing *drawing, const struct function *function)
{
	if (function->index >= drawing->function_count) {
		size_t count = function->index + function->index / 2 + 64;
		size_t *more = realloc(drawing->nodes, count * sizeof(*more));

		if (!more) {
			drawing->graph.failed = true;
			return 0;
		}
		memset(more + drawing->function_count, 0,
		       (count - drawing->function_count) * sizeof(*more));
		drawing->nodes = more;
		drawing->function_count = count;
	}
	if (!drawing->nodes[function->index])
		drawing->nodes[function->index] = new_node(drawing, function) + 1;
	return drawing->nodes[function->index] - 1;
}

static void count(struct drawing *drawing, const struct call *call)
{
	struct graph *graph = &drawing->graph;
	size_t to = node_of(drawing, call->frame->function);
	struct graph_edge *edge = NULL;

	if (call->caller && !graph->failed)
		edge = graph_edge(graph, node_of(drawing, call->caller->function), to);
	if (graph->failed)
		return;
	if (call->depth >= drawing->deepest)
		drawing->deepest = call->depth + 1;
	if (call->kind == CALL_ENTER) {
		graph->nodes[to].calls += !call->frame->assumed;
		if (edge)
			edge->calls += !call->frame->assumed;
		return;
	}
	graph->nodes[to].self += call->self;
	if (call->frame->recursive)
		return;
	graph->nodes[to].total += call->total;
	if (edge)
		edge->total += call->total;
}

static void set_label(struct drawing *drawing)
{
	const struct recording *recording = drawing->reading.recording;
	char number[NUMBER_SIZE], deepest[NUMBER_SIZE];
	uint64_t calls = 0;

	for (size_t i = 0; i < drawing->graph.node_count; i++)
		calls += drawing->graph.nodes[i].calls;
	if (asprintf(&drawing->graph.label, "%s: %s calls, at most %s deep",
		     task_program(recording->tasks[0]), number_grouped(calls, number),
		     number_grouped(drawing->deepest, deepest)) < 0)
		drawing->graph.label = NULL;
}

static bool read_recording(struct drawing *drawing)
{
	struct call call;

	if (!reading_open(&drawing->reading))
		return false;
	while (!drawing->graph.failed && reading_next(&drawing->reading, &call))
		if (call.kind != CALL_LOST)
			count(drawing, &call);
	set_label(drawing);
	if (drawing->graph.failed)
		recording_complain(drawing->reading.dir, "out of memory");
	return !drawing->graph.failed;
}

static bool read_file(struct drawing *drawing)
{
	const char *why;
	char *text = slurp_input(drawing->reading.dir, &why);
	bool read;

	if (!text) {
		complain("%s: %s", drawing->reading.dir, why);
		return false;
	}
	read = graph_read(&drawing->graph, drawing->reading.dir, text) &&
	       reading_open_output(&drawing->reading);
	free(text);
	return read;
}

static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISDIR(status.st_mode) &&
	       !addresses_are_in(path);
}

/* Start dot on what stands in INPUT.  Returns the process, or -1. */
static pid_t start_dot(FILE *input, int output)
{
	char *const arguments[] = { "dot", "-Tsvg", NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	error = posix_spawnp(&child, "dot", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (!error)
		return child;
	complain("dot: %s; install Graphviz, or leave out --svg and draw the output "
		 "elsewhere", strerror(error));
	return -1;
}

/* dot does not say that its output could not be written: it passes through here. */
static void pass_on(int from)
{
	char text[65536];
	ssize_t size;

	while ((size = read(from, text, sizeof(text))) > 0 || (size < 0 && errno == EINTR))
		if (size > 0 && fwrite(text, 1, (size_t)size, stdout) != (size_t)size)
			return;
}

/* Run dot on what stands in INPUT, its output being ours. */
static bool run_dot(FILE *input)
{
	struct sigaction before;
	bool is_drawn;
	pid_t child;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0) {
		complain("dot: %s", strerror(errno));
		return false;
	}
	rewind(input);
	child_expect(&before);
	child = start_dot(input, ends[1]);
	close(ends[1]);
	pass_on(ends[0]);
	close(ends[0]);
	is_drawn = child_succeeded(child, &before);
	if (child < 0 || ferror(stdout) || is_drawn)
		return child > 0;
	complain("dot failed");
	return false;
}

/* Write it in Graphviz' language, and say what it lacks. */
static void write_to(const struct drawing *drawing, FILE *out)
{
	char left_out[GRAPH_LEFT_OUT];

	graph_write(&drawing->graph, &drawing->style, out, left_out);
	if (*left_out)
		complain("left out: %s; --cut=0 shows all", left_out);
}

static bool draw(const struct drawing *drawing)
{
	FILE *input;
	bool drawn;

	if (!drawing->svg) {
		write_to(drawing, stdout);
		return true;
	}
	input = tmpfile();
	if (!input) {
		complain("a temporary file: %s", strerror(errno));
		return false;
	}
	write_to(drawing, input);
	drawn = fflush(input) == 0 && run_dot(input);
	fclose(input);
	return drawn;
}

static int run(struct drawing *drawing)
{
	bool done = is_file(drawing->reading.dir) ? read_file(drawing) :
						    read_recording(drawing);
	int status;

	done = done && draw(drawing);
	status = reading_close(&drawing->reading);
	graph_free(&drawing->graph);
	free(drawing->nodes);
	if (drawing->binaries)
		binaries_free(drawing->binaries);
	return done ? status : EXIT_PARTLY;
}

static bool set_cut(struct drawing *drawing, const char *value)
{
	char *end;

	drawing->style.cut = strtod(value, &end);
	return end != value && !*end && !value[strspn(value, "0123456789.")] &&
	       drawing->style.cut <= 100;
}

static bool set_cluster(struct drawing *drawing, const char *value)
{
	const int by = wcm__word_of(clusters, value, strlen(value));

	drawing->style.clusters = by == 0 ? CLUSTER_MODULE : CLUSTER_FILE;
	return by >= 0;
}

static bool apply(void *to, int key, const char *value)
{
	struct drawing *drawing = to;

	switch (key) {
	case SVG:
		if (value)
			drawing->reading.output = value;
		return drawing->svg = true;
	case 'c':
		return set_cut(drawing, value);
	case CLUSTER:
		return set_cluster(drawing, value);
	default:
		return reading_option(&drawing->reading, key, value);
	}
}

static int cmd_graph(int argc, char *argv[])
{
	struct drawing drawing = { .style.cut = -1 };
	int status;

	if (!reading_arguments(&drawing.reading, &command_graph, argc, argv, apply,
			       &drawing, &status))
		return status;
	return run(&drawing);
}

static const struct command_option options[] = {
	{ SVG, "svg", .value = "FILE", .is_optional = true, .takes = TAKES_FILE,
	  .text = "let dot draw the graph, to FILE or the output" },
	{ 'c', "cut", .value = "PERCENT", .wants = "a number of percent",
	  .text = "leave out arrows with less than this share of the time, or of the "
		  "calls if no time is known; by default so much that at most 40 "
		  "boxes are left, 0 leaves out nothing" },
	{ CLUSTER, "cluster", .value = "BY", .takes = TAKES_WORD, .words = clusters,
	  .means = "the functions of each program or library\n"
		   "those of each source file",
	  .text = "frame the functions of each module or source file, if debug data "
		  "names it" },
	READING_OPTIONS,
};

const struct command command_graph = {
	.name = "graph",
	.operands = "[OPTION...] [DIR | FILE]",
	.operand = "[DIR | FILE]",
	.summary = "draw who called whom, and how often",
	.purpose = FOR_RECORDINGS,
	.about =
		"Draw who called whom in a recording, or in the graph that \"whocallme trace "
		"--graph\" wrote to FILE.",
	.options = options,
	.notes =
		"A box is a function, redder the more time is its own. An arrow is its calls, "
		"with their number and time. The output is for dot(1) of Graphviz. DIR is "
		"uftrace.data by default.",
	.statuses =
		"0 done\n"
		"1 the input is damaged, or the output failed\n"
		"2 usage",
	.examples = "whocallme graph --svg=calls.svg calls",
	.takes = TAKES_FILE,
	.run = cmd_graph,
};
