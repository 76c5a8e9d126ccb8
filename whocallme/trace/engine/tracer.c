/* SPDX-License-Identifier: MIT */
/* tracer.c (SAFE) - keeps what a thread has of its own while it is traced, in a list of all.
 *
 * The kernel clears the page in a child; where it cannot, a child is not told from its
 * parent.
 */
#include "trace/engine/tracer.h"

#include <errno.h>

#include "core/os/memory.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/slab.h"

enum { PAGE = 4096 };

__thread struct wcm_tracer *wcm__tracer_own
	__attribute__((tls_model("initial-exec")));

static struct wcm_tracer *first;

static struct wcm_process any_process = { .is_known = 1 };
struct wcm_process *wcm__process = &any_process;

void wcm__tracer_watch_forks(void)
{
	struct wcm_process *page;

	if (wcm__process != &any_process || !(page = wcm__map(PAGE)))
		return;
	page->is_known = 1;
	page->pid = wcm__process_id();
	if (wcm__wipe_on_fork(page, PAGE))
		__atomic_store_n(&wcm__process, page, __ATOMIC_RELEASE);
}

/* An emulator says that it clears the page in children, and does not. */
void wcm__tracer_forked(void)
{
	struct wcm_process *page = wcm__tracer_process();

	if (page->pid != 0 && page->pid != wcm__process_id())
		*page = (struct wcm_process){ 0 };
}

bool wcm__tracer_has_ended(const struct wcm_tracer *tracer, int tid)
{
	return tracer->ended || (tid > 0 && wcm__thread_is_gone(tracer->pid, tid));
}

struct wcm_tracer *wcm__tracer_make(void)
{
	struct wcm_tracer *tracer = wcm__slab_take(sizeof(*tracer));

	if (!tracer)
		return NULL;
	tracer->tid = WCM_TRACER_TAKEN;
	tracer->generation = WCM_TRACER_IDLE;
	tracer->next = __atomic_load_n(&first, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&first, &tracer->next, tracer, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return tracer;
}

struct wcm_tracer *wcm__tracer_first(void)
{
	return __atomic_load_n(&first, __ATOMIC_ACQUIRE);
}
