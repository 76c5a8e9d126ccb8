/* SPDX-License-Identifier: MIT */
/* mailboxes.c (SAFE) - hands a thread's answer to the visitor that asked for it, or to nobody.
 *
 * A visitor that stops waiting and a thread that begins to answer may do so at the same
 * moment.  Each moves the mailbox's state on by one compare-and-swap, and the one that
 * fails has lost.
 */
#include "crash/threads/mailboxes.h"

#include <errno.h>

#include "core/os/clock.h"
#include "core/os/futex.h"

enum { MAILBOXES = 8, MOST_WAKEUPS = 256 };

/* Who may touch a mailbox's thread: the visitor in TAKEN and ANSWERED, the thread that
 * answers in ANSWERING and GIVEN_UP, nobody in FREE and ASKED.  The ways between are
 *
 *	FREE -> TAKEN -> ASKED -> ANSWERING -> ANSWERED -> FREE
 *	                 ASKED -> FREE		the visitor does not wait any longer
 *	                          ANSWERING -> GIVEN_UP -> FREE		nor here
 */
enum phase {
	FREE,
	TAKEN,     /* by a visitor */
	ASKED,     /* a thread may begin to answer */
	ANSWERING, /* it writes */
	ANSWERED,  /* the visitor reads */
	GIVEN_UP,  /* it still writes, for nobody */
	PHASES = 8
};

/* A state is a phase and, in units of PHASES, how often the mailbox was taken.  So the
 * state that a thread has seen does not come back when the mailbox is used again, and
 * its compare-and-swap fails, as it must. */
static struct wcm_mailbox mailboxes[MAILBOXES];

static enum phase phase_of(uint32_t state)
{
	return state % PHASES;
}

static uint32_t with_phase(uint32_t state, enum phase phase)
{
	return state - state % PHASES + phase;
}

static uint32_t state_of(const struct wcm_mailbox *box)
{
	return __atomic_load_n(&box->state, __ATOMIC_ACQUIRE);
}

/* By the one side that may change the mailbox in its present phase. */
static void set_phase(struct wcm_mailbox *box, enum phase phase)
{
	__atomic_store_n(&box->state, with_phase(state_of(box), phase),
			 __ATOMIC_RELEASE);
}

static bool change(struct wcm_mailbox *box, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&box->state, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Move BOX, which was in STATE at some time, from one phase to another. */
static bool move(struct wcm_mailbox *box, uint32_t state, enum phase from,
		 enum phase to)
{
	return change(box, with_phase(state, from), with_phase(state, to));
}

struct wcm_mailbox *wcm__mailbox_take(void)
{
	for (struct wcm_mailbox *box = mailboxes; box < mailboxes + MAILBOXES; box++) {
		uint32_t state = state_of(box);

		if (phase_of(state) == FREE &&
		    change(box, state, with_phase(state, TAKEN) + PHASES))
			return box;
	}
	return NULL;
}

void wcm__mailbox_free(struct wcm_mailbox *box)
{
	set_phase(box, FREE);
}

void wcm__mailbox_ask(struct wcm_mailbox *box, int tid)
{
	box->thread.answered = box->thread.blocked = false;
	__atomic_store_n(&box->thread.tid, tid, __ATOMIC_RELAXED);
	set_phase(box, ASKED);
}

/* Wait for BOX to leave STATE.  Where the kernel knows no futex, or no clock, the
 * caller's count of tries is the bound. */
static void wait_for_change(struct wcm_mailbox *box, uint32_t state, uint64_t ns)
{
	const int result = wcm__futex_wait(&box->state, state, ns);

	if (result < 0 && result != -EAGAIN && result != -EINTR && result != -ETIMEDOUT)
		wcm__nanosleep(1000000);
}

bool wcm__mailbox_await(struct wcm_mailbox *box, uint64_t until)
{
	uint32_t state = state_of(box);

	for (int i = 0; i < MOST_WAKEUPS && phase_of(state) != ANSWERED; i++) {
		uint64_t now = wcm__clock_ns();

		if (now >= until)
			break;
		wait_for_change(box, state, until - now);
		state = state_of(box);
	}
	/* The thread may begin to answer, and end, between any two looks: each of these
	 * fails if it has.  Where both do, the answer has come after all. */
	if (move(box, state, ASKED, FREE) ||
	    move(box, state, ANSWERING, GIVEN_UP))
		return false;
	return true;
}

struct wcm_mailbox *wcm__mailbox_find(int tid)
{
	for (struct wcm_mailbox *box = mailboxes; box < mailboxes + MAILBOXES; box++) {
		uint32_t state = state_of(box);

		if (phase_of(state) == ASKED &&
		    /* The id may be of a later use: then STATE has changed. */
		    __atomic_load_n(&box->thread.tid, __ATOMIC_RELAXED) == tid &&
		    change(box, state, with_phase(state, ANSWERING)))
			return box;
	}
	return NULL;
}

/* Where the visitor has given up, this thread is the last that uses the mailbox. */
void wcm__mailbox_answer(struct wcm_mailbox *box)
{
	if (move(box, state_of(box), ANSWERING, ANSWERED))
		wcm__futex_wake(&box->state, 1);
	else
		set_phase(box, FREE);
}

/* In a child of fork(2) no thread is left that could still write.  In the same process
 * one may be: its mailbox is freed by itself, in wcm__mailbox_answer(). */
void wcm__mailboxes_recover(bool forked)
{
	for (struct wcm_mailbox *box = mailboxes; box < mailboxes + MAILBOXES; box++) {
		uint32_t state = state_of(box);
		enum phase phase = phase_of(state);

		if (forked || (phase != ANSWERING && phase != GIVEN_UP))
			change(box, state, with_phase(state, FREE));
		else
			move(box, state, ANSWERING, GIVEN_UP);
	}
}
