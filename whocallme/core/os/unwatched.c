/* SPDX-License-Identifier: MIT */
/* unwatched.c - what a sanitizer of the program does not watch: the library. */
#include "hook/unwatched.h"

#include "crash/turn.h"

/* Of clang's sanitizer of memory. */
extern void __msan_scoped_disable_interceptor_checks(void) __attribute__((weak));
extern void __msan_scoped_enable_interceptor_checks(void) __attribute__((weak));

/* Of gcc's and clang's sanitizer of threads, and of others with the same interface. */
extern void AnnotateIgnoreReadsBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreReadsEnd(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));

static bool watches_memory(void)
{
	return __msan_scoped_disable_interceptor_checks &&
	       __msan_scoped_enable_interceptor_checks;
}

static bool watches_threads(void)
{
	return AnnotateIgnoreReadsBegin && AnnotateIgnoreReadsEnd &&
	       AnnotateIgnoreWritesBegin && AnnotateIgnoreWritesEnd;
}

/* The sanitizer of threads takes a lock of its own, which a crash may have left locked. */
static bool may_tell_of_threads(void)
{
	return watches_threads() && !wcm__turn_is_mine();
}

void wcm__unwatched_begin(void)
{
	if (watches_memory())
		__msan_scoped_disable_interceptor_checks();
	if (!may_tell_of_threads())
		return;
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}

void wcm__unwatched_end(void)
{
	if (watches_memory())
		__msan_scoped_enable_interceptor_checks();
	if (!may_tell_of_threads())
		return;
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

static const struct wcm_sink *within;

static bool begin(struct wcm_tracer *tracer)
{
	bool has_begun;

	wcm__unwatched_begin();
	has_begun = !within->begin || within->begin(tracer);
	wcm__unwatched_end();
	return has_begun;
}

static void enter(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth)
{
	wcm__unwatched_begin();
	within->enter(tracer, call, depth);
	wcm__unwatched_end();
}

static void leave(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
		  uint64_t now, enum wcm_end end)
{
	wcm__unwatched_begin();
	if (within->leave)
		within->leave(tracer, call, depth, now, end);
	wcm__unwatched_end();
}

static bool end(struct wcm_tracer *tracer)
{
	bool has_ended;

	wcm__unwatched_begin();
	has_ended = !within->end || within->end(tracer);
	wcm__unwatched_end();
	return has_ended;
}

static void in_child(void)
{
	wcm__unwatched_begin();
	if (within->fork)
		within->fork();
	wcm__unwatched_end();
}

static const struct wcm_sink unwatched = { begin, enter, leave, end, in_child };

const struct wcm_sink *wcm__unwatched_sink(const struct wcm_sink *sink)
{
	within = sink;
	return watches_memory() || watches_threads() ? &unwatched : sink;
}

const struct wcm_sink *wcm__unwatched_within(const struct wcm_sink *sink)
{
	return sink == &unwatched ? within : sink;
}
