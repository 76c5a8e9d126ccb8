/* SPDX-License-Identifier: MIT */
/* mailboxes.h (SAFE) - hands a thread's answer to the visitor that asked for it, or to nobody.
 *
 * A mailbox's state says whose it is.  A thread that answers too late finds it
 * changed and writes nothing; one that was given up while it wrote keeps the mailbox
 * until it is done.
 */
#ifndef WCM_THREADS_MAILBOXES_H
#define WCM_THREADS_MAILBOXES_H

#include <stdbool.h>
#include <stdint.h>

#include "crash/threads/thread_stack.h"

struct wcm_mailbox {
	uint32_t state;
	struct wcm_thread thread;
};

/* A mailbox of the caller's own, or NULL where all are in use; and its end. */
struct wcm_mailbox *wcm__mailbox_take(void);
void wcm__mailbox_free(struct wcm_mailbox *box);

/* From now on thread TID may answer in BOX. */
void wcm__mailbox_ask(struct wcm_mailbox *box, int tid);

/* Wait for the answer until UNTIL, of wcm__clock_ns().  Without it, BOX is the
 * caller's no longer. */
bool wcm__mailbox_await(struct wcm_mailbox *box, uint64_t until);

/* The mailbox in which thread TID, the calling one, is to answer, or NULL; and that
 * it has done so. */
struct wcm_mailbox *wcm__mailbox_find(int tid);
void wcm__mailbox_answer(struct wcm_mailbox *box);

/* Nobody else visits, and whoever did is gone, in THIS process or in the one that
 * it was forked from: what they left in use is free. */
void wcm__mailboxes_recover(bool forked);

#endif
