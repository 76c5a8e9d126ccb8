/* SPDX-License-Identifier: MIT */
/* layered.c - how long does a capture take where stacks differ from call to call?
 *
 *	layered CASE CONTENDER before|after STACKS SEED [LIBRARY...]
 *
 * The program of generate_layers.py is linked to this one, or in the LIBRARIES, which
 * are opened before the names of functions are loaded, or after.  Stacks are the same
 * ones for the same seed.  The case "passes" is here, the others are in files of their
 * own: a pass takes all stacks; the first meets call sites for the first time, the second
 * is what counts.  Time is that of the processor, less what the program takes without
 * captures: so it has what captures cost the program, too, by what they push out of the
 * processor's caches.
 */
#include "layered.h"

#include <dlfcn.h>
#include <string.h>

#include <whocallme.h>

#include "clock.h"

/* Where it is in this program. */
extern enter_function layers_enter __attribute__((weak));

/* A contender that takes longer for a pass gets fewer stacks. */
static double longest_pass_ns = 3e8;

static volatile unsigned long sink;

double thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

unsigned long state_of(const struct programs *programs, size_t stack)
{
	unsigned long state = (programs->seed + stack) * 0x9e3779b97f4a7c15u;

	state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
	return (state ^ (state >> 27)) | 1;
}

double pass(const struct programs *programs, enter_function *enter, leaf_function *leaf,
	    size_t first, size_t *stacks)
{
	enum { BETWEEN_LOOKS = 64 };
	double start = thread_ns();
	size_t done = 0;

	while (done < *stacks) {
		sink = enter(state_of(programs, first + done++), leaf);
		if (done % BETWEEN_LOOKS == 0 &&
		    thread_ns() - start > longest_pass_ns)
			break;
	}
	*stacks = done;
	return thread_ns() - start;
}

static void case_passes(const struct programs *programs, const char *contender)
{
	leaf_function *leaf = find_taker(contender)->leaf;
	enter_function *enter = programs->enter[0];
	size_t frames, stacks = programs->stacks;
	double alone, first, second;

	pass(programs, enter, leaf_empty, 0, &stacks);
	frames_taken = 0;
	first = pass(programs, enter, leaf, 0, &stacks);
	alone = pass(programs, enter, leaf_empty, 0, &stacks);
	frames_taken = 0;
	second = pass(programs, enter, leaf, 0, &stacks);
	frames = frames_taken;
	emit("stacks", (double)stacks);
	emit("frames", (double)frames / (double)stacks);
	emit("program_ns", alone / (double)stacks);
	emit("first_ns", (first - alone) / (double)frames);
	emit("frame_ns", (second - alone) / (double)frames);
}

static void case_compare(const struct programs *programs, const char *contender)
{
	size_t stacks = programs->stacks;

	longest_pass_ns *= 10; /* it is not measured */
	pass(programs, programs->enter[0], find_taker(contender)->leaf, 0, &stacks);
	emit("compared", (double)stacks_compared);
	emit("differ", (double)stacks_that_differ);
	emit("sites", (double)sites_seen);
}

/* Those that have an entrance; parts of one program call each other. */
static void open_libraries(struct programs *programs, char **library)
{
	enter_function *enter;
	void *opened;

	for (; *library; library++) {
		opened = dlopen(*library, RTLD_LAZY | RTLD_GLOBAL);
		if (!opened)
			give_up(dlerror());
		*(void **)&enter = dlsym(opened, "layers_enter");
		if (enter)
			programs->enter[programs->count++] = enter;
	}
}

/* In this program, or in a library that it needs. */
static void find_linked(struct programs *programs)
{
	enter_function *enter = layers_enter;

	if (!enter)
		*(void **)&enter = dlsym(RTLD_DEFAULT, "layers_enter");
	if (enter)
		programs->enter[programs->count++] = enter;
}

static void load_names(void)
{
	if (init_function_table(NULL) != 0)
		give_up(wcm_status_text(wcm_status_get()));
}

static case_function *find_case(const char *name)
{
	static const struct {
		const char *name;
		case_function *run;
	} cases[] = {
		{ "passes", case_passes }, { "compare", case_compare },
		{ "threads", case_threads }, { "cold", case_cold }, { "miss", case_miss },
		{ "module", case_module }, { "names", case_names },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].name, name) == 0)
			return cases[i].run;
	give_up("there is no such case");
}

int main(int argc, char **argv)
{
	enum { CASE = 1, CONTENDER, WHEN, STACKS, SEED, LIBRARIES };
	struct programs programs = { 0 };
	case_function *run;
	bool late;

	if (argc < LIBRARIES)
		give_up("usage: layered CASE CONTENDER before|after STACKS SEED "
			"[LIBRARY...]");
	run = find_case(argv[CASE]);
	late = strcmp(argv[WHEN], "after") == 0;
	programs.stacks = strtoul(argv[STACKS], NULL, 0);
	programs.seed = strtoul(argv[SEED], NULL, 0);
	programs.enter = calloc((size_t)argc, sizeof(*programs.enter));
	if (!programs.enter)
		give_up("memory is out");
	if (late)
		load_names();
	if (argv[LIBRARIES])
		open_libraries(&programs, argv + LIBRARIES);
	else
		find_linked(&programs);
	if (programs.count == 0)
		give_up("there is no program to measure");
	if (!late)
		load_names();
	run(&programs, argv[CONTENDER]);
	return 0;
}
