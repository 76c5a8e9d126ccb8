/* SPDX-License-Identifier: MIT */
/* layered_takers.c - this library, libunwind, glibc and libgcc, as leaves of a program.
 *
 * libunwind is opened by name where it is asked for: it exports backtrace() over
 * libc's.  A leaf uses the result, so that its call is no jump and it has a frame.
 */
#include "layered.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdint.h>
#include <string.h>
#include <unwind.h>

#include <whocallme.h>

#include "clock.h"

__thread size_t frames_taken;
size_t stacks_compared, stacks_that_differ, sites_seen;

static __thread struct wcm_frame frames[MOST_FRAMES];
static __thread void *pcs[MOST_FRAMES];
static int (*unwind)(void **pcs, int count);

void leaf_empty(void)
{
	frames_taken++;
}

static void leaf_whocallme(void)
{
	frames_taken += wcm_stack_capture(frames, MOST_FRAMES, 0, NULL);
}

static void leaf_glibc(void)
{
	frames_taken += (size_t)backtrace(pcs, MOST_FRAMES);
}

static void leaf_libunwind(void)
{
	frames_taken += (size_t)unwind(pcs, MOST_FRAMES);
}

static bool open_libunwind(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

	if (library)
		*(void **)&unwind = dlsym(library, "unw_backtrace");
	return unwind != NULL;
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *data)
{
	size_t *count = data;

	if (*count == MOST_FRAMES)
		return _URC_END_OF_STACK;
	pcs[(*count)++] = (void *)_Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static void leaf_libgcc(void)
{
	size_t count = 0;

	_Unwind_Backtrace(count_frame, &count);
	frames_taken += count;
}

bool note_site(uintptr_t pc)
{
	enum { PLACES = 1 << 17 };
	static uintptr_t seen[PLACES];
	size_t at = (pc * 0x9e3779b97f4a7c15u) >> 47;

	while (seen[at] != 0 && seen[at] != pc)
		at = (at + 1) % PLACES;
	if (seen[at] != 0 || sites_seen == PLACES / 2)
		return false;
	seen[at] = pc;
	sites_seen++;
	return true;
}

/* The innermost frames are two calls of this function. */
void leaf_compare(void)
{
	size_t ours = wcm_stack_capture(frames, MOST_FRAMES, 0, NULL);
	size_t theirs = (size_t)unwind(pcs, MOST_FRAMES);
	bool same = ours == theirs;

	for (size_t i = 1; i < ours; i++) {
		same = same && frames[i].pc == (uintptr_t)pcs[i];
		note_site(frames[i].pc);
	}
	frames_taken += ours;
	stacks_compared++;
	stacks_that_differ += !same;
}

static const struct taker takers[] = {
	{ "whocallme", leaf_whocallme, NULL },
	{ "libunwind", leaf_libunwind, open_libunwind },
	{ "glibc", leaf_glibc, NULL },
	{ "libgcc", leaf_libgcc, NULL },
	{ "compare", leaf_compare, open_libunwind },
};

const struct taker *find_taker(const char *name)
{
	enum { MISSING = 77 };

	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		if (strcmp(takers[i].name, name) == 0) {
			if (takers[i].prepare && !takers[i].prepare())
				exit(MISSING);
			return &takers[i];
		}
	give_up("there is no such contender");
}
