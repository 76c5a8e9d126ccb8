/* SPDX-License-Identifier: MIT */
/* compare.c - what the unwinder makes of registers, against the record of calls.
 *
 * Where they differ, the frame that was left wrongly is counted and named by its
 * module and offset.
 */
#include "compare.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ucontext.h>

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
	enum wcm_stop stop;
	size_t depth;            /* of the first time, from the innermost */
	uintptr_t ours, theirs;  /* what the caller is, the first time; 0: none */
};

static struct culprit culprits[CULPRITS];
static size_t culprit_count;
static const char *cores;
static unsigned long stacks, frames_seen, differences, guesses, blanks;

/* Where there is no code, the processor faults next and the kernel says so. */
static void set_fault(greg_t *greg)
{
	enum { PAGE_FAULT = 14 };
	char byte;
	bool fails = tracee_read((uintptr_t)greg[REG_RIP], &byte, 1) == 0;

	greg[REG_TRAPNO] = fails ? PAGE_FAULT : 0;
	greg[REG_CR2] = fails ? greg[REG_RIP] : 0;
}

static size_t unwind(const struct user_regs_struct *regs,
		     struct wcm_frame *frames, enum wcm_stop *stop)
{
	static ucontext_t context;
	greg_t *greg = context.uc_mcontext.gregs;
	struct wcm_walk walk;

	greg[REG_R8] = (greg_t)regs->r8;
	greg[REG_R9] = (greg_t)regs->r9;
	greg[REG_R10] = (greg_t)regs->r10;
	greg[REG_R11] = (greg_t)regs->r11;
	greg[REG_R12] = (greg_t)regs->r12;
	greg[REG_R13] = (greg_t)regs->r13;
	greg[REG_R14] = (greg_t)regs->r14;
	greg[REG_R15] = (greg_t)regs->r15;
	greg[REG_RDI] = (greg_t)regs->rdi;
	greg[REG_RSI] = (greg_t)regs->rsi;
	greg[REG_RBP] = (greg_t)regs->rbp;
	greg[REG_RBX] = (greg_t)regs->rbx;
	greg[REG_RDX] = (greg_t)regs->rdx;
	greg[REG_RAX] = (greg_t)regs->rax;
	greg[REG_RCX] = (greg_t)regs->rcx;
	greg[REG_RSP] = (greg_t)regs->rsp;
	greg[REG_RIP] = (greg_t)regs->rip;
	set_fault(greg);
	tracee_set_context(&context, sizeof(context));
	wcm__walk_start_context(&walk, (const void *)TRACEE_CONTEXT);
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

static void keep_core(const struct user_regs_struct *regs)
{
	char path[4096];

	if (!cores)
		return;
	snprintf(path, sizeof(path), "%s/%zu.core", cores, culprit_count - 1);
	core_write(path, tracee_id(), regs);
}

/* False unless it is of a culprit that is new. */
static bool differ(const struct shadow *shadow, const struct wcm_frame *frames,
		   size_t count, enum wcm_stop stop, size_t at)
{
	struct culprit *culprit = find_culprit(frames, at);

	differences++;
	if (!culprit || culprit->count++ > 0)
		return false;
	culprit->stop = stop;
	culprit->depth = at;
	culprit->ours = at < count ? frames[at].pc : 0;
	culprit->theirs =
		at <= shadow->count ? shadow->call[shadow->count - at].pc : 0;
	return true;
}

void compare(const struct user_regs_struct *regs, const struct shadow *shadow)
{
	static struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;
	size_t count = unwind(regs, frames, &stop), at = 1;
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
		keep_core(regs);
}


void compare_report(unsigned long instructions, unsigned threads)
{
	for (const struct culprit *culprit = culprits;
	     culprit < culprits + culprit_count; culprit++)
		printf("differs %lu%s # frame %zu, ours %#" PRIxPTR
		       ", the record's %#" PRIxPTR ", stop %d\n",
		       culprit->count, culprit->names, culprit->depth,
		       culprit->ours, culprit->theirs,
		       (int)culprit->stop);
	printf("total %lu instructions %lu stacks %lu frames %lu differences "
	       "%lu guessed %lu blank %u threads\n",
	       instructions, stacks, frames_seen, differences, guesses, blanks,
	       threads);
}
