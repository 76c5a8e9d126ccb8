/* SPDX-License-Identifier: MIT */
/* capture.c - how long does it take to capture 32 frames?
 *
 *	capture CAPTURER
 *
 * One capturer in one fresh process: its first call, then the median of many.
 * All code up to main has frame pointers.
 */
#include "capture.h"

#include <dlfcn.h>
#include <string.h>

#include "clock.h"

/* Deeper than what is captured, so that nobody meets the outermost frame. */
enum { DEPTH = FRAMES + 8, SAMPLES = 501, CALLS = 16 };

static double frame_ns(double start, size_t calls)
{
	return (clock_ns() - start) / (double)(calls * FRAMES);
}

static void measure(const struct capturer *capturer)
{
	static double sample[SAMPLES];
	double start = clock_ns();
	size_t frames = capturer->capture();

	emit("first_ns", clock_ns() - start);
	if (frames != FRAMES)
		give_up("a capture is shorter than the stack");
	for (size_t i = 0; i < SAMPLES; i++) {
		start = clock_ns();
		for (size_t call = 0; call < CALLS; call++)
			capturer->capture();
		sample[i] = frame_ns(start, CALLS);
	}
	emit("frame_ns", median(sample, SAMPLES));
}

/* The addition after the call keeps it from becoming a jump. */
__attribute__((noinline)) static int descend(const struct capturer *capturer,
					     volatile int depth)
{
	if (depth == 0)
		measure(capturer);
	else
		depth += descend(capturer, depth - 1);
	return depth + 1;
}

static void say_whose(const void *function)
{
	Dl_info info;

	if (function && dladdr(function, &info) && info.dli_fname)
		emit_text("runs_in", strrchr(info.dli_fname, '/')
					     ? strrchr(info.dli_fname, '/') + 1
					     : info.dli_fname);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		give_up("usage: capture CAPTURER");
	for (const struct capturer *c = capturers; c->name; c++)
		if (strcmp(c->name, argv[1]) == 0) {
			if (c->prepare)
				c->prepare();
			say_whose(c->function);
			return descend(c, DEPTH) == 0;
		}
	give_up("there is no such capturer");
}
