/* SPDX-License-Identifier: MIT */
/* walk.h (SAFE) - a stack, one frame at a time. */
#ifndef WCM_UNWIND_WALK_H
#define WCM_UNWIND_WALK_H

#include "core/arch/registers.h"
#include "core/unwind/rule_cache.h"
#include "core/unwind/step.h"
#include "whocallme/stack.h"

/* What leads on from a frame. */
enum wcm_way {
	WCM_WAY_NONE, /* nothing that describes it */
	WCM_WAY_RULE, /* a compact rule */
	WCM_WAY_ROW,  /* a row of call frame information */
	WCM_WAY_SIGRETURN, /* what the kernel saved: FRAME is its trampoline */
};

/* A frame, and the module of its code, if that is published and stays; NULL: it is to be
 * looked for. */
struct wcm_placed {
	struct wcm_frame frame;
	const struct wcm_known_module *module;
};

/* A walk in progress, standing at a frame: FRAME is valid while STOP is
 * WCM_STOP_NONE. */
struct wcm_walk {
	struct wcm_regs regs;
	struct wcm_span stack;	/* as far as it is known */
	struct wcm_span window; /* what of it may be loaded from */
	struct wcm_frame frame;
	enum wcm_stop stop;
	const void *context;   /* the machine state that FRAME was interrupted in, or NULL */
	bool met_context;      /* a signal's machine state, here or before */
	bool on_chain;         /* FRAME, where it is a guess, is that of a frame pointer */
	bool is_doubtful;      /* a return address on the way was not behind a call */
	unsigned falls;        /* how often sp did not rise */
	enum wcm_way way;      /* from FRAME */
	struct wcm_rule rule;  /* FRAME's, where that is the way */
	struct wcm_rules rules; /* as they were when the walk began */
	size_t known_steps;    /* how many frames ago FILE was the frame's */
	uintptr_t known_site;  /* where its call was, or its interruption */
	const struct wcm_known_module *module; /* FRAME's, as in struct wcm_placed */
	struct wcm_registers file;
};

/* Stand at the caller of the function that filled WALK's FILE by
 * wcm__arch_registers_here() and that returns to RA. */
void wcm__walk_start(struct wcm_walk *walk, const void *ra);

/* Stand at the call that returns to AT, of whose registers no others are known. */
void wcm__walk_start_at(struct wcm_walk *walk, const struct wcm_regs *at);

/* Stand at the instruction that a signal interrupted.  UCONTEXT is what its
 * handler was given. */
void wcm__walk_start_context(struct wcm_walk *walk, const void *ucontext);

/* Where WALK stands. */
static inline struct wcm_placed wcm__walk_placed(const struct wcm_walk *walk)
{
	return (struct wcm_placed){ walk->frame, walk->module };
}

/* Move on to the caller. */
void wcm__walk_next(struct wcm_walk *walk);

/* Stand at PC in place of where WALK stands, which goes on there: its registers are the same. */
void wcm__walk_jump(struct wcm_walk *walk, uintptr_t pc);

/* Where nothing describes the frame that WALK stands at, have the .debug_frame of its module's
 * file describe it; for a report, of the executable's alone. */
void wcm__walk_describe(struct wcm_walk *walk, bool for_report);

/* Collect the frames from where WALK stands, at most CAP, leaving out SKIP.
 * Returns how many; *STOP, unless NULL, says why there are no more. */
size_t wcm__walk_collect(struct wcm_walk *walk, struct wcm_frame *frames,
			 size_t cap, unsigned skip, enum wcm_stop *stop);

/* wcm__walk_start() and wcm__walk_collect() in one, faster. */
size_t wcm__walk_take(struct wcm_walk *walk, const void *ra,
		      struct wcm_frame *frames, size_t cap, unsigned skip,
		      enum wcm_stop *stop);

/* stride.c: many frames at once, by remembered rules. */

/* Go up the stack of WINDOW, which grows with it, from REGS, which stand at a return
 * address, as long as RULES have a plain one; write each caller met to FRAMES, at most
 * ROOM.  Returns how many; REGS stand at the last of them.  *STOP says whether that is all:
 * there is one more, or none; else it is for wcm__step() to say. */
size_t wcm__stride(struct wcm_regs *regs, const struct wcm_rules *rules,
		   struct wcm_span *window, struct wcm_frame *frames, size_t room,
		   enum wcm_stop *stop);

#endif
