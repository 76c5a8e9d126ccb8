/* SPDX-License-Identifier: MIT */
/* whocallme/stack.h - capture a call stack.  Include <whocallme.h> instead. */
#ifndef WHOCALLME_STACK_H
#define WHOCALLME_STACK_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* One frame, innermost first.  Plain data: it may be copied and kept after the
 * code it points into has been unloaded. */
struct wcm_frame {
	uintptr_t pc;
	uint32_t flags;    /* WCM_FRAME_* */
	uint32_t reserved; /* zero; room to grow without breaking the ABI */
};

/* pc is the interrupted instruction itself, not a return address. */
#define WCM_FRAME_INTERRUPTED 0x1u

/* The kernel's signal trampoline: the frame above was called by a signal, the
 * one below was interrupted by it. */
#define WCM_FRAME_SIGNAL 0x2u

/* The frame was reached along the frame-pointer chain, or by the code that the function
 * below begins with, for want of call frame information; or by a return address that is not
 * after a call: likely, not certain. */
#define WCM_FRAME_GUESSED 0x4u

/* No call is in front of pc: a run-time returns to it, as to the start of a function. */
#define WCM_FRAME_RESUMED 0x8u

/* Why a walk ended.  Only OUTERMOST says that the whole stack was seen: a description says so of
 * the last frame, or the program has made the stack and put its end there.  A return address
 * that was written over gives another reason, unless its value is that of another call. */
enum wcm_stop {
	WCM_STOP_NONE,       /* there are more frames */
	WCM_STOP_OUTERMOST,  /* the thread's first function was reached */
	WCM_STOP_FULL,       /* the caller's array was too short */
	WCM_STOP_NO_RULE,    /* nothing describes the frame at this pc */
	WCM_STOP_BAD_FRAME,  /* the frame contradicts itself */
	WCM_STOP_UNREADABLE  /* the frame lies in memory we may not read */
};

/* STOP in words: a constant string, never NULL. */
WCM_API WCM_SIGSAFE const char *wcm_stop_text(enum wcm_stop stop);

/* Capture the calling thread's stack into FRAMES, at most CAP of them, leaving
 * out the SKIP innermost (0 starts at the caller).  Returns how many were
 * written; *STOP, unless NULL, says why the walk ended.  It cannot fail: a
 * damaged stack gives a short capture. */
WCM_API WCM_SIGSAFE size_t wcm_stack_capture(struct wcm_frame *frames,
					     size_t cap, unsigned skip,
					     enum wcm_stop *stop);

/* The same from the machine state UCONTEXT (the third argument of an
 * SA_SIGINFO handler; ucontext_t of the psABI), whose interrupted instruction
 * is frame 0. */
WCM_API WCM_SIGSAFE size_t wcm_stack_capture_from(const void *ucontext,
						  struct wcm_frame *frames,
						  size_t cap, unsigned skip,
						  enum wcm_stop *stop);

/* Have captures take at most MOST bytes from now on for what they remember of the
 * program's code, about 64 for each call site that they have met: a power of two, from 32
 * KiB to 16 MiB, which it is at first, or the next below.  They keep what they have.  Where
 * there is no room, what is met anew takes the place of something else.  Returns what they
 * take now. */
WCM_API WCM_SIGSAFE size_t wcm_stack_memory(size_t most);

/* The address to look FRAME up at: a return address may be the first byte after
 * its function, so the call before it is what counts. */
static inline uintptr_t wcm_frame_site(const struct wcm_frame *frame)
{
	const uint32_t exact = WCM_FRAME_INTERRUPTED | WCM_FRAME_SIGNAL |
			       WCM_FRAME_RESUMED;

	return frame->pc - ((frame->flags & exact) == 0 && frame->pc != 0);
}

/* Write FRAMES to the descriptor FD as text, a line each and a write each:
 *
 *	#3 0x000055d0c0ffee12 in test_a+0x12 (/usr/bin/prog+0xe12)
 *	#4 <signal handler called>
 *	#5 0x000055d0c0ffe139 in ?? (/usr/bin/prog+0x1139)
 *
 * A line that ends in " ?" is of a frame that was guessed.  Names of C++, Rust and
 * D are demangled and short, as in every stack that is written as text; control bytes
 * in them are escaped.  Returns the number of frames written, short of COUNT only when
 * FD does not take them. */
WCM_API WCM_SIGSAFE size_t wcm_stack_write(int fd,
					   const struct wcm_frame *frames,
					   size_t count);

WCM_END_DECLS

#endif
