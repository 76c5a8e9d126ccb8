/* SPDX-License-Identifier: MIT */
/* owner.c (SAFE) - a lock whose owner is known, so that it survives fork(2) and a dead owner.
 *
 * A mutex would stay locked in the child of a fork, and for ever when its owner is
 * killed or jumps away.  Whoever waits looks again every millisecond, which is what a clock
 * that cannot be read goes on by, because nobody wakes it when the owner dies.
 */
#include "core/os/owner.h"

#include <string.h>

#include "core/os/clock.h"
#include "core/os/process.h"
#include "core/os/self.h"

enum { PAUSE_NS = 1000000 };

static __thread char own __attribute__((tls_model("initial-exec")));

/* Never 0.  Threads whose ids cannot be had are told apart by where they keep their
 * variables. */
static uint64_t self_id(void)
{
	const uint32_t unknown = 1u << 31;
	uint32_t tid = (uint32_t)wcm__thread_id();

	if (tid == 0)
		tid = unknown | (uint32_t)((uintptr_t)&own >> 4);
	return (uint64_t)(uint32_t)wcm__process_id() << 32 | tid;
}

static uint64_t id_of(const struct wcm_owner *owner)
{
	return __atomic_load_n(&owner->id, __ATOMIC_ACQUIRE);
}

/* Have WITH own it, if *ID does.  False: another one does, now in *ID. */
static bool replace(struct wcm_owner *owner, uint64_t *id, uint64_t with)
{
	return __atomic_compare_exchange_n(&owner->id, id, with, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

bool wcm__owner_has_ended(uint64_t id, uint64_t self, bool is_late)
{
	const int process = (int)(id >> 32), thread = (int)(uint32_t)id;

	(void)is_late;
	if (process == (int)(self >> 32))
		return wcm__thread_is_gone(process, thread);
	return !wcm__memory_is_shared((int)(self >> 32), thread);
}

enum wcm_owned wcm__owner_take(struct wcm_owner *owner, uint64_t until,
			       wcm_owner_is_gone *is_gone)
{
	const uint64_t self = self_id();

	for (;;) {
		uint64_t id = 0;
		bool is_late;

		if (replace(owner, &id, self))
			return WCM_OWNED;
		if (id == self)
			return WCM_OWNED_TWICE;
		is_late = wcm__clock_ns() > until;
		if (is_gone(id, self, is_late) && replace(owner, &id, self))
			return WCM_OWNED;
		if (is_late)
			return WCM_OWNED_NOT;
		wcm__nanosleep(PAUSE_NS);
	}
}

void wcm__owner_give_back(struct wcm_owner *owner)
{
	uint64_t self = self_id();

	replace(owner, &self, 0);
}

bool wcm__owner_is_self(const struct wcm_owner *owner)
{
	return id_of(owner) == self_id();
}

bool wcm__owner_is_other(const struct wcm_owner *owner)
{
	const uint64_t id = id_of(owner);
	uint64_t self;

	if (id == 0) /* a filter may kill for a question */
		return false;
	self = self_id();
	return id != self && id >> 32 == self >> 32;
}

bool wcm__owner_page_is_borrowed(int *page, size_t size, bool is_wiped)
{
	const int self = wcm__process_id();
	int before = 0;

	if (self == 0 || __atomic_compare_exchange_n(page, &before, self, false,
						     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return false;
	if (before == self || is_wiped)
		return before != self;
	memset(page, 0, size);
	*page = self;
	return false;
}
