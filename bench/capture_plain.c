/* SPDX-License-Identifier: MIT */
/* capture_plain.c - this library, the bare loop that no check can beat, and
 * what comes with the system. */
#include "capture.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdint.h>
#include <unwind.h>

#include <whocallme.h>

#include "clock.h"

static __thread void *pcs[FRAMES];

static void load_table(void)
{
	if (init_function_table(NULL) != 0)
		give_up(wcm_status_text(wcm_status_get()));
}

__attribute__((noinline)) static size_t capture_whocallme(void)
{
	static __thread struct wcm_frame frames[FRAMES];

	return wcm_stack_capture(frames, FRAMES, 0, NULL);
}

/* A frame pointer's target: the caller's frame pointer, the return address. */
struct chain {
	const struct chain *next;
	void *return_address;
};

__attribute__((noinline)) static size_t capture_bare(void)
{
	const struct chain *at = __builtin_frame_address(0);
	size_t count = 0;

	while (at && count < FRAMES) {
		pcs[count++] = at->return_address;
		at = at->next;
	}
	return count;
}

__attribute__((noinline)) static size_t capture_glibc(void)
{
	return (size_t)backtrace(pcs, FRAMES);
}

static _Unwind_Reason_Code keep_frame(struct _Unwind_Context *context,
				      void *data)
{
	size_t *count = data;

	if (*count == FRAMES)
		return _URC_END_OF_STACK;
	pcs[(*count)++] = (void *)_Unwind_GetIP(context);
	return _URC_NO_REASON;
}

__attribute__((noinline)) static size_t capture_libgcc(void)
{
	size_t count = 0;

	_Unwind_Backtrace(keep_frame, &count);
	return count;
}

const struct capturer capturers[] = {
	{ "whocallme", capture_whocallme, (const void *)wcm_stack_capture,
	  load_table },
	{ "whocallme-unloaded", capture_whocallme,
	  (const void *)wcm_stack_capture, NULL },
	{ "bare", capture_bare, (const void *)capture_bare, NULL },
	{ "backtrace", capture_glibc, (const void *)backtrace, NULL },
	{ "_Unwind_Backtrace", capture_libgcc,
	  (const void *)_Unwind_Backtrace, NULL },
	{ NULL, NULL, NULL, NULL },
};
