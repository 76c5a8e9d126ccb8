/* SPDX-License-Identifier: MIT */
/* layered.h - a program made by generate_layers.py, and who takes its stacks. */
#ifndef BENCH_LAYERED_H
#define BENCH_LAYERED_H

#include <stdbool.h>
#include <stddef.h>

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

/* By leaf_compare: stacks, those that differ, and different pcs. */
extern size_t stacks_compared, stacks_that_differ, sites_seen;

#endif
