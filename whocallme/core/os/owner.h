/* SPDX-License-Identifier: MIT */
/* owner.h (SAFE) - a lock whose owner is known, so that it survives fork(2) and a dead owner.
 *
 * The word is the owner's process and thread.  A child of fork(2) finds its parent's
 * process there, whose memory is another: the owner does not exist with it.
 */
#ifndef WCM_OS_OWNER_H
#define WCM_OS_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wcm_owner {
	uint64_t id; /* process << 32 | thread; 0: nobody */
};

enum wcm_owned {
	WCM_OWNED,       /* the calling thread owns it now */
	WCM_OWNED_TWICE, /* it did already: it is to be given back once */
	WCM_OWNED_NOT,   /* another thread still owns it */
};

/* Whether the owner ID will never give back what SELF wants; IS_LATE: SELF has waited as
 * long as it meant to. */
typedef bool wcm_owner_is_gone(uint64_t id, uint64_t self, bool is_late);

/* The owner's thread has ended, or is one of another process that does not share this one's
 * memory, as one of vfork(2) or clone(CLONE_VM) does.  Where the kernel does not tell that, kcmp(2)
 * being built or filtered out, no process is taken to share it. */
wcm_owner_is_gone wcm__owner_has_ended;

/* Wait for OWNER until UNTIL, of wcm__clock_ns(), and take it from an owner that IS_GONE.
 * Async-signal-safe, as all of this is. */
enum wcm_owned wcm__owner_take(struct wcm_owner *owner, uint64_t until,
			       wcm_owner_is_gone *is_gone);

/* It has no effect where another thread owns it. */
void wcm__owner_give_back(struct wcm_owner *owner);

bool wcm__owner_is_self(const struct wcm_owner *owner);

/* Whether another thread of this process owns it. */
bool wcm__owner_is_other(const struct wcm_owner *owner);

/* Whether this process merely borrows the memory of PAGE, its parent's, as a child of vfork(2)
 * does.  PAGE, of SIZE bytes, begins with the id of the process that has it, or 0, and
 * wcm__wipe_on_fork() has answered IS_WIPED for it.  Where Linux does not wipe, a child is told
 * by its id and PAGE is zeroed here; one of vfork(2) is not told apart. */
bool wcm__owner_page_is_borrowed(int *page, size_t size, bool is_wiped);

#endif
