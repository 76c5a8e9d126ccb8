/* SPDX-License-Identifier: MIT */
/* capture_libunwind.c - libunwind, in a program of its own: its library exports
 * backtrace() over libc's. */
#include "capture.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

static __thread void *pcs[FRAMES];

__attribute__((noinline)) static size_t capture_cached(void)
{
	return (size_t)unw_backtrace(pcs, FRAMES);
}

__attribute__((noinline)) static size_t capture_steps(void)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t pc;
	size_t count = 0;

	if (unw_getcontext(&context) != 0 ||
	    unw_init_local(&cursor, &context) != 0)
		return 0;
	do {
		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		pcs[count++] = (void *)pc;
	} while (count < FRAMES && unw_step(&cursor) > 0);
	return count;
}

const struct capturer capturers[] = {
	{ "unw_backtrace", capture_cached, (const void *)unw_backtrace, NULL },
	{ "unw_step", capture_steps, (const void *)unw_step, NULL },
	{ NULL, NULL, NULL, NULL },
};
