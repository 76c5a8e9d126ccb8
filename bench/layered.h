/* SPDX-License-Identifier: MIT */
/* layered.h - a program made by generate_layers.py, and who takes its stacks. */
#ifndef BENCH_LAYERED_H
#define BENCH_LAYERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_FRAMES = 64 };

typedef void leaf_function(void);
typedef unsigned long enter_function(unsigned long state, leaf_function *leaf);

struct taker {
	const char *name;
	leaf_function *leaf;   /* takes the stack it is called on */
	bool (*prepare)(void); /* false: it is not installed; may be NULL */
};

/* The one of that name; gives up where there is none.  Prepared. */
const struct taker *find_taker(const char *name);

/* Does nothing: what the program takes by itself. */
leaf_function leaf_empty;

/* Takes the stack by this library and by libunwind, and compares them. */
leaf_function leaf_compare;

/* Of this thread, by all leaves. */
extern __thread size_t frames_taken;

/* By leaf_compare: stacks, and those that differ. */
extern size_t stacks_compared, stacks_that_differ;

/* Whether PC has not been noted before, and how many have; of one thread. */
bool note_site(uintptr_t pc);
extern size_t sites_seen;

/* What a case is about: the entrance of each program there is, at least one. */
struct programs {
	enter_function **enter;
	size_t count;
	size_t stacks; /* at most, in a pass */
	unsigned long seed;
};

/* What stack number STACK begins with. */
unsigned long state_of(const struct programs *programs, size_t stack);

/* The processor time of this thread. */
double thread_ns(void);

/* Takes *STACKS of the program of ENTER from number FIRST on, or as many as there is
 * time for; returns the processor time of the thread. */
double pass(const struct programs *programs, enter_function *enter, leaf_function *leaf,
	    size_t first, size_t *stacks);

/* Each prints its samples. */
typedef void case_function(const struct programs *programs, const char *contender);
case_function case_threads, case_cold, case_miss, case_module, case_names;

#endif
