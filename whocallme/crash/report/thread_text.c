/* SPDX-License-Identifier: MIT */
/* thread_text.c (SAFE) - writes for people what every thread does. */
#include "whocallme/threads.h"

#include "core/arch/arch.h"
#include "core/os/self.h"
#include "core/report/frame.h"
#include "crash/files/withheld.h"
#include "crash/report/thread_text.h"
#include "crash/threads/last_calls.h"
#include "crash/threads/threads.h"

struct sink {
	struct wcm_last_calls_text text;
	uint64_t now; /* as last calls count it */
	bool failed;
};

static bool write_head(int fd, int tid, const char *name, const char *end)
{
	struct wcm_line line;

	wcm__line_begin(&line, fd);
	wcm__line_text(&line, "thread ");
	wcm__line_decimal(&line, tid);
	wcm__line_text(&line, " \"");
	wcm__line_name(&line, name);
	wcm__line_text(&line, end);
	return wcm__line_write(&line);
}

static bool write_frame(const struct sink *sink, struct wcm_placed placed, size_t number)
{
	const struct wcm_text_style style = {
		sink->text.has_addresses ? WCM_ADDRESS_DIGITS : 0, sink->text.write_name
	};
	struct wcm_frame_fact fact = { .symbol = { 0 } };
	struct wcm_line line;

	wcm__frame_find(&fact, &placed, number);
	wcm__line_init(&line, sink->text.fd);
	wcm__text_frame(&line, &fact, &style);
	return wcm__line_write(&line);
}

static bool write_frames(const struct sink *sink, const struct wcm_thread *thread)
{
	for (size_t i = 0; i < thread->count; i++)
		if (!write_frame(sink, (struct wcm_placed){ thread->frames[i], NULL }, i))
			return false;
	return true;
}

static bool write_calls(const struct sink *sink, int tid)
{
	return wcm__last_calls_write(&sink->text, tid, sink->now);
}

static bool write_answer(const struct sink *sink, const struct wcm_thread *thread)
{
	return write_head(sink->text.fd, thread->tid, thread->name, "\"\n") &&
	       write_frames(sink, thread) &&
	       wcm__frame_stop_write(sink->text.fd, thread->stop, NULL);
}

static bool write_no_answer(const struct sink *sink, const struct wcm_thread *thread)
{
	return write_head(sink->text.fd, thread->tid, thread->name,
			  thread->blocked ? "\"" WCM_NO_ANSWER_BLOCKED "\n"
					  : "\"" WCM_NO_ANSWER "\n");
}

static bool write_thread(const struct wcm_thread *thread, void *data)
{
	struct sink *sink = data;

	sink->failed = !(thread->answered ? write_answer(sink, thread) :
					    write_no_answer(sink, thread)) ||
		       !write_calls(sink, thread->tid);
	return !sink->failed;
}

/* As many frames as the others have. */
static bool write_walk(const struct sink *sink, struct wcm_walk *walk)
{
	for (size_t i = 0; walk->stop == WCM_STOP_NONE; i++) {
		if (i == WCM_THREAD_FRAMES)
			return wcm__frame_stop_write(sink->text.fd, WCM_STOP_FULL, NULL);
		if (!write_frame(sink, wcm__walk_placed(walk), i))
			return false;
		wcm__walk_next(walk);
	}
	return wcm__frame_stop_write(sink->text.fd, walk->stop, NULL);
}

static bool write_own_head(int fd, int tid)
{
	char name[WCM_THREAD_NAME];

	wcm__thread_name(tid, name);
	return write_head(fd, tid, name, "\"\n");
}

static struct sink begin(int fd, enum wcm_names names)
{
	const struct wcm_last_calls_text text = { fd, !wcm__withheld(),
						  wcm__names_writer(names) };

	return (struct sink){ .text = text, .now = wcm__last_calls_now() };
}

static enum wcm_status write_others(struct sink *sink)
{
	return wcm__threads_visit(UINT64_MAX, write_thread, sink) && !sink->failed
		       ? WCM_OK
		       : WCM_ESYSTEM;
}

enum wcm_status wcm__threads_write_others(int fd)
{
	struct sink sink = begin(fd, WCM_NAMES_SHORT);

	return write_others(&sink);
}

/* The calling thread's stack is where WALK stands. */
static enum wcm_status write_all(int fd, struct wcm_walk *walk, enum wcm_names names)
{
	struct sink sink = begin(fd, names);
	const int tid = wcm__thread_id();

	if (!write_own_head(fd, tid) || !write_walk(&sink, walk) || !write_calls(&sink, tid))
		return WCM_ESYSTEM;
	return write_others(&sink);
}

/* A frame of its own, which the walk leaves first. */
__attribute__((noinline)) enum wcm_status wcm_threads_write(int fd)
{
	struct wcm_walk walk;

	wcm__arch_registers_here(&walk.file);
	wcm__walk_start(&walk, __builtin_return_address(0));
	return write_all(fd, &walk, WCM_NAMES_SHORT);
}

void wcm__threads_write_from(int fd, const void *ucontext, enum wcm_names names)
{
	struct wcm_walk walk;

	wcm__walk_start_context(&walk, ucontext);
	write_all(fd, &walk, names);
}
