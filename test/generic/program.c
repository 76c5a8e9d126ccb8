/* SPDX-License-Identifier: MIT */
/* program.c - asks who called, for a stack, and with an argument crashes. */
#include <stdio.h>
#include <whocallme.h>

enum { MOST = 8 };

static void crasher(volatile int *pointer)
{
	*pointer = 1;
}

static void asked(void)
{
	enum wcm_stop stop = WCM_STOP_NONE;
	struct wcm_frame frames[MOST];
	size_t count;

	who_call_me();
	count = wcm_stack_capture(frames, MOST, 0, &stop);
	fprintf(stderr, "frames: %zu, %s\n", count,
		stop == WCM_STOP_OUTERMOST ? "all" : "not all");
	wcm_stack_write(2, frames, count);
}

static void asker(void)
{
	asked();
}

int main(int argc, char *argv[])
{
	if (init_function_table(argv[0]) != 0)
		return 1;
	asker();
	if (argc > 1) {
		wcm_crash_install(NULL);
		crasher(NULL);
	}
	return 0;
}
