/* SPDX-License-Identifier: MIT */
/* calls.c - pairs the entries and exits of a recording: callers, callees and durations.
 *
 * Each task has a stack of the frames that are open.  The depth in a record says how
 * many there are: frames above it have ended without a word, frames missing below it
 * began without one.
 */
#include "recording/calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "recording/recording_reader.h"

struct stack {
	struct frame *frames;
	unsigned count, room;
	struct numbers active; /* how many frames each function has, by its index */
	bool begun;
};

struct calls {
	struct recording *recording;
	struct stack *stacks;  /* one a task */
	struct event event;
	struct stack *parent;  /* that of the process that forked the event's task */
	bool pending;          /* the event is not dealt with wholly */
	bool failed;
	size_t closing;        /* at the end: the task whose frames are closed */
};

struct calls *calls_new(struct recording *recording)
{
	struct calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	calls->recording = recording;
	calls->stacks = calloc(recording->task_count, sizeof(*calls->stacks));
	if (!calls->stacks) {
		free(calls);
		return NULL;
	}
	return calls;
}

void calls_free(struct calls *calls)
{
	for (size_t i = 0; i < calls->recording->task_count; i++) {
		free(calls->stacks[i].frames);
		numbers_free(&calls->stacks[i].active);
	}
	free(calls->stacks);
	free(calls);
}

bool calls_failed(const struct calls *calls)
{
	return calls->failed || calls->recording->failed ||
	       calls->recording->functions.lost;
}

static bool reserve(struct stack *stack)
{
	if (stack->count == stack->room) {
		unsigned room = stack->room ? 2 * stack->room : 32;
		struct frame *more = realloc(stack->frames, room * sizeof(*more));

		if (!more)
			return false;
		/* What was never used is looked at by a child's stack. */
		memset(more + stack->room, 0, (room - stack->room) * sizeof(*more));
		stack->frames = more;
		stack->room = room;
	}
	return true;
}

static struct frame *caller_of(const struct stack *stack, unsigned depth)
{
	return depth ? &stack->frames[depth - 1] : NULL;
}

static bool push(struct calls *calls, struct stack *stack,
		 const struct function *function, bool assumed, struct call *call)
{
	size_t *active = numbers_at(&stack->active, function->index, NULL, NULL, NULL);
	struct frame *frame;

	if (!active || !reserve(stack)) {
		calls->failed = true;
		return false;
	}
	frame = &stack->frames[stack->count];
	*frame = (struct frame){
		.function = function, .start = calls->event.record.time,
		.assumed = assumed,
		.recursive = (*active)++ > 0,
	};
	*call = (struct call){
		.kind = CALL_ENTER, .task = calls->event.task, .frame = frame,
		.caller = caller_of(stack, stack->count), .depth = stack->count,
		.time = frame->start,
	};
	stack->count++;
	return true;
}

static void pop(struct stack *stack, enum call_kind kind, struct task *task,
		uint64_t time, struct call *call)
{
	unsigned depth = --stack->count;
	struct frame *frame = &stack->frames[depth];

	--*numbers_at(&stack->active, frame->function->index, NULL, NULL, NULL);
	*call = (struct call){
		.kind = kind, .task = task, .frame = frame,
		.caller = caller_of(stack, depth), .depth = depth, .time = time,
		.total = time - frame->start,
	};
	call->self = call->total - frame->callees;
	if (call->caller)
		call->caller->callees += call->total;
}

/* What a frame that began before the task's first record is: a fork leaves the child
 * with the frames of its parent. */
static const struct function *assumed_function(const struct calls *calls,
					       const struct stack *stack)
{
	const struct stack *parent = calls->parent;

	if (parent && stack->count < parent->room &&
	    parent->frames[stack->count].function)
		return parent->frames[stack->count].function;
	return function_set_unknown(&calls->recording->functions, 0);
}

static bool pop_event(struct calls *calls, struct stack *stack,
		      enum call_kind kind, struct call *call)
{
	pop(stack, kind, calls->event.task, calls->event.record.time, call);
	return true;
}

/* Where the data of the end of EVENT's call are, if that is the next of its task: all that has come
 * in between is of others. */
static uint64_t end_data_of(const struct event *event)
{
	const struct record *next = &event->task->head;

	return next->type == WCM_RECORD_EXIT && next->address == event->record.address &&
			       next->depth == event->record.depth && next->data.size > 0 ?
		       next->data.begin : 0;
}

/* For uftrace, a record of the function execve() follows that of the system call which has run
 * another program: both are one call. */
static bool is_same_exec(const struct stack *stack, const struct event *event)
{
	const struct function *top =
		stack->count > 0 ? stack->frames[stack->count - 1].function : NULL;

	return top && top->stub && !event->function->stub && stack->count == event->record.depth &&
	       strcmp(event->function->name, "execve") == 0 &&
	       (strcmp(top->name, "execve") == 0 || strcmp(top->name, "execveat") == 0);
}

static bool enter(struct calls *calls, struct stack *stack, struct call *call)
{
	const struct event *event = &calls->event;

	if (is_same_exec(stack, event)) {
		calls->pending = false;
		return false;
	}
	if (stack->count > event->record.depth)
		return pop_event(calls, stack, CALL_CUT, call);
	if (stack->count < event->record.depth)
		return push(calls, stack, assumed_function(calls, stack), true, call);
	calls->pending = false;
	if (!push(calls, stack, event->function, false, call))
		return false;
	call->frame->given = event->record.data;
	call->frame->end_data = end_data_of(event);
	return true;
}

static bool leave(struct calls *calls, struct stack *stack, struct call *call)
{
	const struct event *event = &calls->event;
	unsigned depth = event->record.depth;

	if (stack->count > depth + 1)
		return pop_event(calls, stack, CALL_CUT, call);
	if (stack->count < depth)
		return push(calls, stack, assumed_function(calls, stack), true, call);
	if (stack->count == depth)
		return push(calls, stack, event->function, true, call);
	/* setjmp() returns a second time, to where another function's frame is. */
	if (stack->frames[depth].function != event->function)
		return pop_event(calls, stack, CALL_CUT, call);
	calls->pending = false;
	pop_event(calls, stack, CALL_LEAVE, call);
	call->back = event->record.data;
	return true;
}

static void lose(struct calls *calls, struct call *call)
{
	const struct stack *stack = &calls->stacks[calls->event.task->index];

	calls->pending = false;
	*call = (struct call){
		.kind = CALL_LOST, .task = calls->event.task,
		.caller = caller_of(stack, stack->count), .depth = stack->count,
		.time = calls->event.record.time,
		.lost = calls->event.record.address,
	};
}

/* One step of dealing with the event; false where it takes none. */
static bool step(struct calls *calls, struct call *call)
{
	struct stack *stack = &calls->stacks[calls->event.task->index];

	if (calls->event.new_program) {
		if (stack->count) {
			pop(stack, CALL_CUT, calls->event.task,
			    calls->event.new_task ? calls->event.before : calls->event.record.time,
			    call);
			return true;
		}
		calls->event.new_program = false;
	}
	switch (calls->event.record.type) {
	case WCM_RECORD_ENTRY:
		return enter(calls, stack, call);
	case WCM_RECORD_EXIT:
		return leave(calls, stack, call);
	default:
		lose(calls, call);
		return true;
	}
}

static bool fetch(struct calls *calls)
{
	const struct task *parent;
	struct stack *stack;

	if (!recording_next(calls->recording, &calls->event))
		return false;
	stack = &calls->stacks[calls->event.task->index];
	calls->parent = NULL;
	if (calls->event.new_task)
		stack->begun = false;
	if (!stack->begun && calls->event.task->parent) {
		parent = recording_task(calls->recording, calls->event.task->parent);
		if (parent)
			calls->parent = &calls->stacks[parent->index];
	}
	stack->begun = true;
	calls->pending = true;
	return true;
}

/* After the last event: what is still open ends with its task's last event. */
static bool close_open(struct calls *calls, struct call *call)
{
	struct recording *recording = calls->recording;

	for (; calls->closing < recording->task_count; calls->closing++) {
		struct stack *stack = &calls->stacks[calls->closing];
		struct task *task = recording->tasks[calls->closing];

		if (stack->count) {
			pop(stack, CALL_OPEN, task, task->last_time, call);
			return true;
		}
	}
	return false;
}

bool calls_next(struct calls *calls, struct call *call)
{
	while (!calls->failed) {
		if (!calls->pending && !fetch(calls))
			return close_open(calls, call);
		if (step(calls, call))
			return true;
	}
	return false;
}
