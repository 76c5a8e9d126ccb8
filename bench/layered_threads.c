/* SPDX-License-Identifier: MIT */
/* layered_threads.c - captures of eight threads at once, each on stacks of its own: of a
 * program of its own where there are as many, else of the same.
 */
#include "layered.h"

#include <pthread.h>

#include "clock.h"

enum { THREADS = 8 };

struct worker {
	pthread_t thread;
	const struct programs *programs;
	leaf_function *leaf;
	size_t number, stacks, frames;
	double alone, spent;
};

static pthread_barrier_t line;

/* The first pass with captures meets the call sites. */
static void *work(void *data)
{
	struct worker *worker = data;
	const struct programs *programs = worker->programs;
	enter_function *enter = programs->enter[worker->number % programs->count];
	size_t first = worker->number * programs->stacks;

	worker->stacks = programs->stacks;
	pthread_barrier_wait(&line);
	pass(programs, enter, leaf_empty, first, &worker->stacks);
	pass(programs, enter, worker->leaf, first, &worker->stacks);
	worker->alone = pass(programs, enter, leaf_empty, first, &worker->stacks);
	pthread_barrier_wait(&line);
	frames_taken = 0;
	worker->spent = pass(programs, enter, worker->leaf, first, &worker->stacks);
	worker->frames = frames_taken;
	return NULL;
}

void case_threads(const struct programs *programs, const char *contender)
{
	static struct worker workers[THREADS];
	const struct taker *taker = find_taker(contender);
	double spent = 0, frames = 0;

	pthread_barrier_init(&line, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++) {
		workers[i].programs = programs;
		workers[i].leaf = taker->leaf;
		workers[i].number = i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			give_up("a thread cannot be made");
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		spent += workers[i].spent - workers[i].alone;
		frames += (double)workers[i].frames;
	}
	emit("frame_ns", spent / frames);
}
