/* SPDX-License-Identifier: MIT */
/* thread_groups.c (SAFE) - gathers threads that have one stack, so that it is written once.
 *
 * Stacks are equal if all their addresses are.  The room is bounded: where it is used up, the
 * groups so far are written, and a stack may be written once more later.
 */
#include "crash/report/thread_groups.h"

#include <string.h>

enum { MOST_STACKS = 32, MOST_THREADS = 1024 };

static struct {
	struct wcm_thread stack[MOST_STACKS];
	size_t stacks;
	struct wcm_alike thread[MOST_THREADS];
	uint8_t stack_of[MOST_THREADS];
	size_t threads;
	struct wcm_alike alike[MOST_THREADS]; /* those of one stack */
} held;

void wcm__thread_groups_begin(void)
{
	held.stacks = held.threads = 0;
}

static bool is_same_stack(const struct wcm_thread *a, const struct wcm_thread *b)
{
	if (a->answered != b->answered || a->blocked != b->blocked || a->count != b->count ||
	    a->stop != b->stop)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->frames[i].pc != b->frames[i].pc ||
		    a->frames[i].flags != b->frames[i].flags)
			return false;
	return true;
}

static size_t find_stack(const struct wcm_thread *thread)
{
	size_t i = 0;

	while (i < held.stacks && !is_same_stack(&held.stack[i], thread))
		i++;
	return i;
}

void wcm__thread_groups_add(const struct wcm_thread *thread, wcm_alike_writer *write,
			    void *data)
{
	size_t stack = find_stack(thread);

	if (stack == MOST_STACKS || held.threads == MOST_THREADS) {
		wcm__thread_groups_write(write, data);
		stack = 0;
	}
	if (stack == held.stacks)
		held.stack[held.stacks++] = *thread;
	held.stack_of[held.threads] = (uint8_t)stack;
	held.thread[held.threads].tid = thread->tid;
	memcpy(held.thread[held.threads].name, thread->name, WCM_THREAD_NAME);
	held.threads++;
}

void wcm__thread_groups_write(wcm_alike_writer *write, void *data)
{
	for (size_t stack = 0; stack < held.stacks; stack++) {
		size_t count = 0;

		for (size_t i = 0; i < held.threads; i++)
			if (held.stack_of[i] == stack)
				held.alike[count++] = held.thread[i];
		write(&held.stack[stack], held.alike, count, data);
	}
	wcm__thread_groups_begin();
}
