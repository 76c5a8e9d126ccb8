/* SPDX-License-Identifier: MIT */
/* compare.c - what the unwinder makes of registers, against the record of calls.
 *
 * Where they differ, the frame that was left wrongly is counted and named by its
 * module and offset.
 */
#include "compare.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "core/unwind/walk.h"
#include "tracee.h"

enum { FRAMES = 512, CULPRITS = 4096, INNER = 3 };

/* Frames that were left wrongly, by where they stand and which frames are next to
 * them: what is wrong may be a register that an inner one gave back. */
struct culprit {
	uintptr_t pc[INNER]; /* itself, then inwards; 0: there is none */
	unsigned long count;
	char names[1024];
	char innermost[512];     /* of the first time */
	enum wcm_stop stop;
	size_t depth;            /* of the first time, from the innermost */
	uintptr_t ours, theirs;  /* what the caller is, the first time; 0: none */
};

static struct culprit culprits[CULPRITS];
static size_t culprit_count;
static const char *cores;
static unsigned long stacks, frames_seen, differences, guesses, blanks;

static size_t unwind(const struct registers *registers,
		     struct wcm_frame *frames, enum wcm_stop *stop)
{
	static struct machine_frame frame;
	struct wcm_walk walk;
	char byte;

	/* Where there is no code, the processor faults next and the kernel says so. */
	machine_signal(&frame, registers,
		       tracee_read(machine_pc(registers), &byte, 1) == 0);
	tracee_set_context(&frame, sizeof(frame));
	wcm__walk_start_context(&walk, (const void *)(TRACEE_CONTEXT +
						      offsetof(struct machine_frame, context)));
	return wcm__walk_collect(&walk, frames, FRAMES, 0, stop);
}

/* Now: its module may be gone later. */
static void name_frames(struct culprit *culprit)
{
	size_t used = 0;

	for (size_t i = 0; i < INNER && culprit->pc[i]; i++) {
		uintptr_t offset;
		const char *module = tracee_module(culprit->pc[i], &offset);
		int length = snprintf(culprit->names + used,
				      sizeof(culprit->names) - used,
				      " %s %#" PRIxPTR, module ? module : "?",
				      offset);

		if (length > 0 && (size_t)length < sizeof(culprit->names) - used)
			used += (size_t)length;
	}
}

static void name_innermost(struct culprit *culprit, uintptr_t pc)
{
	uintptr_t offset;
	const char *module = tracee_module(pc, &offset);

	snprintf(culprit->innermost, sizeof(culprit->innermost), "%s %#" PRIxPTR,
		 module ? module : "?", offset);
}

static struct culprit *find_culprit(const struct wcm_frame *frames, size_t at)
{
	uintptr_t pc[INNER] = { 0 };
	struct culprit *culprit = culprits;

	for (size_t i = 0; i < INNER && i < at; i++)
		pc[i] = frames[at - 1 - i].pc;
	for (; culprit < culprits + culprit_count; culprit++)
		if (memcmp(culprit->pc, pc, sizeof(pc)) == 0)
			return culprit;
	if (culprit_count == CULPRITS)
		return NULL;
	culprit_count++;
	memcpy(culprit->pc, pc, sizeof(pc));
	name_frames(culprit);
	return culprit;
}

void compare_keep_cores(const char *directory)
{
	cores = directory;
}

static void keep_core(const struct registers *registers)
{
	char path[4096];

	if (!cores)
		return;
	snprintf(path, sizeof(path), "%s/%zu.core", cores, culprit_count - 1);
	core_write(path, tracee_id(), registers);
}

/* False unless it is of a culprit that is new. */
static bool differ(const struct shadow *shadow, const struct wcm_frame *frames,
		   size_t count, enum wcm_stop stop, size_t at)
{
	struct culprit *culprit = find_culprit(frames, at);

	differences++;
	if (!culprit || culprit->count++ > 0)
		return false;
	name_innermost(culprit, frames[0].pc);
	culprit->stop = stop;
	culprit->depth = at;
	culprit->ours = at < count ? frames[at].pc : 0;
	culprit->theirs =
		at <= shadow->count ? shadow->call[shadow->count - at].pc : 0;
	return true;
}

void compare(const struct registers *registers, const struct shadow *shadow)
{
	static struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;
	size_t count = unwind(registers, frames, &stop), at = 1;
	size_t wanted = 1 + shadow->count;
	bool guessed = false;

	if (shadow_is_blank(shadow)) {
		blanks++;
		return;
	}
	if (wanted > FRAMES)
		wanted = FRAMES;
	stacks++;
	frames_seen += count;
	for (size_t i = 0; i < count; i++)
		guessed |= (frames[i].flags & WCM_FRAME_GUESSED) != 0;
	guesses += guessed;
	while (at < count && at < wanted &&
	       frames[at].pc == shadow->call[shadow->count - at].pc)
		at++;
	if ((at < count || at < wanted) &&
	    differ(shadow, frames, count, stop, at))
		keep_core(registers);
}

void compare_report(unsigned long instructions, unsigned threads)
{
	for (const struct culprit *culprit = culprits;
	     culprit < culprits + culprit_count; culprit++)
		printf("differs %lu%s # frame %zu, ours %#" PRIxPTR
		       ", the record's %#" PRIxPTR ", stop %d, at %s\n",
		       culprit->count, culprit->names, culprit->depth,
		       culprit->ours, culprit->theirs,
		       (int)culprit->stop, culprit->innermost);
	printf("total %lu instructions %lu stacks %lu frames %lu differences "
	       "%lu guessed %lu blank %u threads\n",
	       instructions, stacks, frames_seen, differences, guesses, blanks,
	       threads);
}
