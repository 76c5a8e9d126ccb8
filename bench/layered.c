/* SPDX-License-Identifier: MIT */
/* layered.c - how long does a capture take where stacks differ from call to call?
 *
 *	layered CONTENDER before|after STACKS SEED [LIBRARY...]
 *
 * The program of generate_layers.py is linked to this one, or in the LIBRARIES, which
 * are opened before the names of functions are loaded, or after.  Stacks are the same
 * ones for the same seed.  A pass takes all of them; the first meets call sites for the
 * first time, the second is what counts.  Time is that of the processor, less what the
 * program takes without captures: so it has what captures cost the program, too, by
 * what they push out of the processor's caches.
 */
#include "layered.h"

#include <dlfcn.h>
#include <string.h>

#include <whocallme.h>

#include "clock.h"

/* Where it is in this program. */
extern enter_function layers_enter __attribute__((weak));

/* A contender that takes longer for a pass gets fewer stacks. */
static const double longest_pass_ns = 3e8;

static unsigned long seed;
static volatile unsigned long sink;

static double thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static unsigned long state_of(size_t stack)
{
	unsigned long state = (seed + stack) * 0x9e3779b97f4a7c15u;

	state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
	return (state ^ (state >> 27)) | 1;
}

/* Takes *STACKS, or as many as there is time for. */
static double pass(enter_function *enter, leaf_function *leaf, size_t *stacks)
{
	enum { BETWEEN_LOOKS = 64 };
	double start = thread_ns();
	size_t stack = 0;

	while (stack < *stacks) {
		sink += enter(state_of(stack++), leaf);
		if (stack % BETWEEN_LOOKS == 0 &&
		    thread_ns() - start > longest_pass_ns)
			break;
	}
	*stacks = stack;
	return thread_ns() - start;
}

static void measure(enter_function *enter, leaf_function *leaf, size_t stacks)
{
	double alone, first, second;
	size_t frames;

	pass(enter, leaf_empty, &stacks);
	frames_taken = 0;
	first = pass(enter, leaf, &stacks);
	alone = pass(enter, leaf_empty, &stacks);
	frames_taken = 0;
	second = pass(enter, leaf, &stacks);
	frames = frames_taken;
	emit("stacks", (double)stacks);
	emit("frames", (double)frames / (double)stacks);
	emit("program_ns", alone / (double)stacks);
	emit("first_ns", (first - alone) / (double)frames);
	emit("frame_ns", (second - alone) / (double)frames);
}

static void compare(enter_function *enter, size_t stacks)
{
	pass(enter, leaf_compare, &stacks);
	emit("compared", (double)stacks_compared);
	emit("differ", (double)stacks_that_differ);
	emit("sites", (double)sites_seen);
}

/* They call each other, and one of them has the entrance. */
static enter_function *open_libraries(char **library)
{
	enter_function *enter = NULL;
	void *opened;

	for (; *library; library++) {
		opened = dlopen(*library, RTLD_LAZY | RTLD_GLOBAL);
		if (!opened)
			give_up(dlerror());
		if (!enter)
			*(void **)&enter = dlsym(opened, "layers_enter");
	}
	return enter;
}

static void load_names(void)
{
	if (init_function_table(NULL) != 0)
		give_up(wcm_status_text(wcm_status_get()));
}

int main(int argc, char **argv)
{
	enter_function *enter = layers_enter;
	const struct taker *taker;
	bool late;

	if (argc < 5)
		give_up("usage: layered CONTENDER before|after STACKS SEED "
			"[LIBRARY...]");
	taker = find_taker(argv[1]);
	late = strcmp(argv[2], "after") == 0;
	seed = strtoul(argv[4], NULL, 0);
	if (late)
		load_names();
	if (argv[5])
		enter = open_libraries(argv + 5);
	else if (!enter)
		*(void **)&enter = dlsym(RTLD_DEFAULT, "layers_enter");
	if (!enter)
		give_up("there is no program to measure");
	if (!late)
		load_names();
	if (taker->leaf == leaf_compare)
		compare(enter, strtoul(argv[3], NULL, 0));
	else
		measure(enter, taker->leaf, strtoul(argv[3], NULL, 0));
	return 0;
}
