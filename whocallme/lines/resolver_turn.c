/* SPDX-License-Identifier: MIT */
/* resolver_turn.c (SAFE) - gives the threads that ask the resolver their turns.
 *
 * Who has it lies in a page that the kernel wipes in the child of a fork, where that
 * thread does not exist; a child of vfork(2), which borrows its parent's, is given none.
 *
 * It is no wcm_owner, which cannot do three things: wake who waits at once, wait anew for
 * each thread that has it before, and say that what the last one was about is half-done.
 */
#include "lines/resolver_turn.h"

#include "core/arch/arch.h"
#include "core/os/clock.h"
#include "core/os/futex.h"
#include "core/os/kernel_action.h"
#include "core/os/memory.h"
#include "core/os/owner.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/unwind/stack_span.h"

#define SECOND ((uint64_t)1000000000)

static union {
	struct {
		int pid;   /* whose memory this is; 0: nobody has come yet */
		int owner; /* the thread whose turn it is; 0: nobody's */
		uint32_t number;
		uint32_t waited_out; /* one more than a turn too long for somebody */
		uintptr_t taken_at;  /* the stack pointer of the owner then */
	};
	char page[WCM_LARGEST_PAGE];
} turn __attribute__((aligned(WCM_LARGEST_PAGE)));

static bool prepared, is_wiped;

void wcm__resolver_turn_prepare(void)
{
	if (__atomic_test_and_set(&prepared, __ATOMIC_ACQ_REL))
		return;
	is_wiped = wcm__wipe_on_fork(&turn, sizeof(turn));
}

static bool is_on(const stack_t *stack, uintptr_t sp)
{
	const uintptr_t lo = (uintptr_t)stack->ss_sp;

	return !(stack->ss_flags & SS_DISABLE) && sp >= lo &&
	       sp - lo < stack->ss_size;
}

/* Whether the calling thread, whose stack pointer is SP, has left the frame that it
 * took the turn in, and not interrupted it: that frame was at or below SP.  It can be
 * told on one stack alone, the thread's own or the alternate one, and where the latter
 * was left for the former. */
static bool is_left(uintptr_t sp)
{
	stack_t alternate = { .ss_flags = SS_DISABLE };
	struct wcm_span own;
	bool now_on, was_on;

	if (turn.taken_at == UINTPTR_MAX)
		return false;
	wcm__sigaltstack(NULL, &alternate);
	now_on = is_on(&alternate, sp);
	was_on = is_on(&alternate, turn.taken_at);
	if (now_on != was_on)
		return was_on;
	if (sp < turn.taken_at)
		return false;
	own = wcm__stack_span(turn.taken_at);
	return now_on || wcm__span_holds(&own, sp, 1);
}

/* Wait until OWNER has given the turn back, or for NS, or until it is time to see
 * whether OWNER is there. */
static void wait_for_turn(int owner, uint64_t ns)
{
	const uint64_t most = SECOND / 10, waited = ns < most ? ns : most;

	wcm__futex_wait((uint32_t *)&turn.owner, (uint32_t)owner, waited);
}

static bool replace(int owner, int self)
{
	return __atomic_compare_exchange_n(&turn.owner, &owner, self, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* What interrupts before this is done is taken for an interruption. */
static enum wcm_resolver_turn taken(uintptr_t sp, enum wcm_resolver_turn how)
{
	turn.taken_at = sp;
	__atomic_add_fetch(&turn.number, 1, __ATOMIC_RELAXED);
	return how;
}

/* One that has been stopped, or whose reader is stuck, keeps nobody waiting twice. */
enum wcm_resolver_turn wcm__resolver_turn_take(uint64_t patience)
{
	const uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	const int self = wcm__thread_id();
	uint64_t until = 0, now;
	uint32_t number, seen = 0;

	if (wcm__owner_page_is_borrowed(&turn.pid, sizeof(turn), is_wiped))
		return WCM_RESOLVER_TURN_NONE;
	while (!replace(0, self)) {
		const int owner = __atomic_load_n(&turn.owner, __ATOMIC_RELAXED);

		if (owner == self)
			return is_left(sp) ? taken(sp, WCM_RESOLVER_TURN_LEFT)
					   : WCM_RESOLVER_TURN_NONE;
		if (owner == 0)
			continue;
		if (wcm__thread_is_gone(wcm__process_id(), owner) && replace(owner, self))
			return taken(sp, WCM_RESOLVER_TURN_LEFT);
		number = __atomic_load_n(&turn.number, __ATOMIC_RELAXED);
		now = wcm__clock_ns();
		if (until == 0 || number != seen)
			until = now + patience;
		seen = number;
		if (turn.waited_out == number + 1)
			return WCM_RESOLVER_TURN_NONE;
		if (now >= until) {
			turn.waited_out = number + 1;
			return WCM_RESOLVER_TURN_NONE;
		}
		wait_for_turn(owner, until - now);
	}
	return taken(sp, WCM_RESOLVER_TURN_TAKEN);
}

void wcm__resolver_turn_give_back(void)
{
	turn.taken_at = UINTPTR_MAX;
	__atomic_store_n(&turn.owner, 0, __ATOMIC_RELEASE);
	wcm__futex_wake((uint32_t *)&turn.owner, 1);
}
