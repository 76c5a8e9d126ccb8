/* SPDX-License-Identifier: MIT */
/* slots.c - where threads put their answers. */
#include "crash/slots.h"

#include <errno.h>
#include <linux/futex.h>

#include "crash/clock.h"
#include "syscall.h"

enum { SLOTS = 8, MOST_WAKEUPS = 256 };

enum phase {
	FREE,
	TAKEN,     /* by a visitor */
	ASKED,     /* a thread may begin to answer */
	ANSWERING, /* it writes */
	ANSWERED,  /* the visitor reads */
	GIVEN_UP,  /* it still writes, for nobody */
	PHASES = 8
};

/* A state is a phase and, in PHASES, how often the slot was taken: an old one
 * never comes back. */
static struct wcm_slot slots[SLOTS];

static enum phase phase_of(uint32_t state)
{
	return state % PHASES;
}

static uint32_t with_phase(uint32_t state, enum phase phase)
{
	return state - state % PHASES + phase;
}

static uint32_t state_of(const struct wcm_slot *slot)
{
	return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
}

static void set_phase(struct wcm_slot *slot, enum phase phase)
{
	__atomic_store_n(&slot->state, with_phase(state_of(slot), phase),
			 __ATOMIC_RELEASE);
}

static bool change(struct wcm_slot *slot, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&slot->state, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Move SLOT, which was in STATE at some time, from one phase to another. */
static bool move(struct wcm_slot *slot, uint32_t state, enum phase from,
		 enum phase to)
{
	return change(slot, with_phase(state, from), with_phase(state, to));
}

struct wcm_slot *wcm__slot_take(void)
{
	for (struct wcm_slot *slot = slots; slot < slots + SLOTS; slot++) {
		uint32_t state = state_of(slot);

		if (phase_of(state) == FREE &&
		    change(slot, state, with_phase(state, TAKEN) + PHASES))
			return slot;
	}
	return NULL;
}

void wcm__slot_free(struct wcm_slot *slot)
{
	set_phase(slot, FREE);
}

void wcm__slot_ask(struct wcm_slot *slot, int tid)
{
	slot->thread.answered = slot->thread.blocked = false;
	__atomic_store_n(&slot->thread.tid, tid, __ATOMIC_RELAXED);
	set_phase(slot, ASKED);
}

/* Wait for SLOT to leave STATE.  Where the kernel knows no futex, or no clock, the
 * caller's count of tries is the bound. */
static void wait_for_change(struct wcm_slot *slot, uint32_t state, uint64_t ns)
{
	const struct timespec limit = { .tv_sec = (time_t)(ns / 1000000000u),
					.tv_nsec = (long)(ns % 1000000000u) };
	const struct timespec pause = { .tv_nsec = 1000000 };
	long result = wcm__syscall(SYS_futex, (long)&slot->state,
				   FUTEX_WAIT_PRIVATE, state, (long)&limit, 0,
				   0);

	if (result < 0 && result != -EAGAIN && result != -EINTR &&
	    result != -ETIMEDOUT)
		wcm__syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
}

bool wcm__slot_await(struct wcm_slot *slot, uint64_t until)
{
	uint32_t state = state_of(slot);

	for (int i = 0; i < MOST_WAKEUPS && phase_of(state) != ANSWERED; i++) {
		uint64_t now = wcm__clock_ns();

		if (now >= until)
			break;
		wait_for_change(slot, state, until - now);
		state = state_of(slot);
	}
	/* It may begin, and end, between any two looks. */
	if (move(slot, state, ASKED, FREE) ||
	    move(slot, state, ANSWERING, GIVEN_UP))
		return false;
	return true;
}

struct wcm_slot *wcm__slot_find(int tid)
{
	for (struct wcm_slot *slot = slots; slot < slots + SLOTS; slot++) {
		uint32_t state = state_of(slot);

		if (phase_of(state) == ASKED &&
		    __atomic_load_n(&slot->thread.tid, __ATOMIC_RELAXED) == tid &&
		    change(slot, state, with_phase(state, ANSWERING)))
			return slot;
	}
	return NULL;
}

void wcm__slot_answer(struct wcm_slot *slot)
{
	if (move(slot, state_of(slot), ANSWERING, ANSWERED))
		wcm__syscall(SYS_futex, (long)&slot->state, FUTEX_WAKE_PRIVATE,
			     1, 0, 0, 0);
	else
		set_phase(slot, FREE);
}

void wcm__slots_recover(bool forked)
{
	for (struct wcm_slot *slot = slots; slot < slots + SLOTS; slot++) {
		uint32_t state = state_of(slot);
		enum phase phase = phase_of(state);

		if (forked || (phase != ANSWERING && phase != GIVEN_UP))
			change(slot, state, with_phase(state, FREE));
		else
			move(slot, state, ANSWERING, GIVEN_UP);
	}
}
