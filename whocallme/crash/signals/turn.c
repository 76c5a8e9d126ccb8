/* SPDX-License-Identifier: MIT */
/* turn.c (SAFE) - gives the threads that crash their turns to report, one at a time.
 *
 * What is known of the one that has it lies in a page that the kernel wipes in the child of a
 * fork, where that thread does not exist.  The child of vfork(2) shares the page with its
 * parent, whose other threads run on and may crash as well, so it takes turns with them.
 */
#include "crash/signals/turn.h"

#include <errno.h>
#include <signal.h>

#include "core/arch/arch.h"
#include "core/os/memory.h"
#include "core/os/owner.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/start_page.h"
#include "core/os/unwatched.h"

enum { MOST_REPORTS = 16 };

struct state {
	int pid; /* whose memory this is; 0: wiped */
	unsigned reports;
	struct wcm_owner holder;
};

static union {
	struct state state;
	char page[WCM_LARGEST_PAGE];
} shared __attribute__((aligned(WCM_LARGEST_PAGE)));

static struct state *const state = &shared.state;
static bool prepared WCM_START_PAGE, is_wiped WCM_START_PAGE;

/* A page of its own, of anonymous memory in the middle of .bss. */
void wcm__turn_prepare(void)
{
	if (__atomic_test_and_set(&prepared, __ATOMIC_ACQ_REL))
		return;
	wcm__unwatched_ask(wcm__turn_is_mine);
	shared.state.pid = wcm__process_id();
	is_wiped = wcm__wipe_on_fork(&shared, sizeof(shared));
}

bool wcm__turn_is_borrowed(void)
{
	return wcm__owner_page_is_borrowed(&state->pid, sizeof(shared), is_wiped);
}

bool wcm__turn_is_mine(void)
{
	return wcm__owner_is_self(&state->holder);
}

bool wcm__turn_is_anothers(void)
{
	return wcm__owner_is_other(&state->holder);
}

/* Whether process PID has died, be it that nobody knows yet. */
static bool is_dead(int pid)
{
	siginfo_t child = { .si_pid = 0 };
	const int result = wcm__waitid(P_PID, pid, &child, WEXITED | WNOHANG | WNOWAIT);

	if (result == 0)
		return child.si_pid == pid;
	return wcm__kill(pid, 0) == -ESRCH;
}

/* What a process that shares this memory has died with is to be had; one that is waited
 * for too long is taken for dead.  A thread of this process that has the turn keeps it:
 * the process usually dies while another one waits. */
static bool is_gone(uint64_t id, uint64_t self, bool is_late)
{
	return id >> 32 != self >> 32 && (is_late || is_dead((int)(id >> 32)));
}

bool wcm__turn_take(uint64_t deadline)
{
	return wcm__owner_take(&state->holder, deadline, is_gone) == WCM_OWNED;
}

void wcm__turn_give_back(void)
{
	wcm__owner_give_back(&state->holder);
}

bool wcm__turn_count(void)
{
	return wcm__turn_is_borrowed() ||
	       __atomic_add_fetch(&state->reports, 1, __ATOMIC_RELAXED) <=
		       MOST_REPORTS;
}
