/* SPDX-License-Identifier: MIT */
/* dispatch_pass.c (SAFE) - has a thread make a call by itself that no handler can make for it.
 *
 * A call that returns twice, on one stack or on two, would return into the handler's frame
 * twice.  So the handler returns first, to a page of code that makes the call with all registers
 * as they were, and tells the handler of it behind.  A page is made once for a place that such
 * calls are made from, of which libcs have few, and stays.
 */
#include "trace/system/dispatch_handler.h"

#include <sched.h>
#include <sys/mman.h>

#include "core/os/memory.h"
#include "core/os/missing.h"
#include "core/os/read.h"
#include "trace/system/dispatch_thread.h"

enum { MOST_PAGES = 64 };

#define CLEARS_ACTIONS UINT64_C(0x100000000) /* CLONE_CLEAR_SIGHAND, Linux 5.5 */

struct page {
	uintptr_t site;
	uint8_t *code; /* NULL: nobody has made it yet */
};

/* By place; of two, the second is for a child that is not armed. */
static struct page pages[2][MOST_PAGES];

/* Whether it is one of libc's, which leads to itself.  Sandboxes of browsers have a child that
 * needs no variables begin with one to a buffer. */
static bool is_libcs(uint64_t thread_pointer)
{
	uintptr_t word;

	return wcm__read_memory((uintptr_t)thread_pointer, &word, sizeof(word)) &&
	       word == thread_pointer;
}

static enum wcm_beginning begins(uint64_t flags, bool has_stack, uint64_t thread_pointer)
{
	if ((flags & CLONE_SETTLS) && !is_libcs(thread_pointer))
		return WCM_BEGINS_STRANGER;
	if (!(flags & CLONE_VM))
		return has_stack ? WCM_BEGINS_THREAD : WCM_BEGINS_COPY;
	if (flags & CLONE_SETTLS)
		return WCM_BEGINS_THREAD;
	return flags & CLONE_VFORK ? WCM_BEGINS_BORROWER : WCM_BEGINS_SHARER;
}

/* The beginning of clone3(2)'s struct clone_args. */
struct clone_words {
	uint64_t flags, others[4], stack, stack_size, thread_pointer;
};

enum wcm_beginning wcm__system_begins(const struct wcm_dispatched *call)
{
	struct clone_words words;

	switch (call->number) {
	case SYS_fork:
		return WCM_BEGINS_COPY;
	case SYS_vfork:
		return WCM_BEGINS_BORROWER;
	case SYS_clone:
		return begins((uint64_t)call->argument[0], call->argument[1] != 0,
			      (uint64_t)call->argument[4]);
	case SYS_clone3:
		if (!wcm__read_memory((uintptr_t)call->argument[0], &words, sizeof(words)))
			return WCM_BEGINS_NONE; /* the kernel cannot, either */
		return begins(words.flags, words.stack != 0, words.thread_pointer);
	default:
		return WCM_BEGINS_NONE;
	}
}

bool wcm__system_clears_actions(const struct wcm_dispatched *call)
{
	struct clone_words words;

	return call->number == SYS_clone3 &&
	       wcm__read_memory((uintptr_t)call->argument[0], &words, sizeof(words)) &&
	       (words.flags & CLEARS_ACTIONS);
}

static uint8_t *make(uintptr_t site, bool arms_child)
{
	uint8_t *code = wcm__map(WCM_PAGE);

	if (!code)
		return NULL;
	if (wcm__arch_pass_make(code, site, arms_child, &wcm__system_arming) > 0 &&
	    wcm__mprotect(code, WCM_PAGE, PROT_READ | PROT_EXEC) == 0)
		return code;
	wcm__unmap(code, WCM_PAGE);
	return NULL;
}

/* Two threads may make the same page; one of the two is used. */
static uintptr_t code_of(struct page *page, uintptr_t site, bool arms_child)
{
	uint8_t *code = __atomic_load_n(&page->code, __ATOMIC_ACQUIRE), *none = NULL;

	if (code)
		return (uintptr_t)code;
	code = make(site, arms_child);
	if (!code)
		return 0;
	if (__atomic_compare_exchange_n(&page->code, &none, code, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return (uintptr_t)code;
	wcm__unmap(code, WCM_PAGE);
	return (uintptr_t)none;
}

uintptr_t wcm__system_pass_code(uintptr_t site, enum wcm_beginning beginning)
{
	const bool arms_child = beginning != WCM_BEGINS_SHARER &&
				beginning != WCM_BEGINS_STRANGER;

	for (struct page *page = pages[!arms_child]; page < pages[!arms_child] + MOST_PAGES;
	     page++) {
		uintptr_t of = __atomic_load_n(&page->site, __ATOMIC_ACQUIRE);

		if (of == 0 && __atomic_compare_exchange_n(&page->site, &of, site, false,
							   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			of = site;
		if (of == site)
			return code_of(page, site, arms_child);
	}
	return 0;
}

bool wcm__system_pass_holds(uintptr_t pc)
{
	for (int kind = 0; kind < 2; kind++)
		for (int i = 0; i < MOST_PAGES; i++) {
			const struct page *page = &pages[kind][i];

			if (__atomic_load_n(&page->site, __ATOMIC_RELAXED) == 0)
				break;
			if (pc - (uintptr_t)__atomic_load_n(&page->code, __ATOMIC_ACQUIRE) <
			    WCM_PAGE)
				return true;
		}
	return false;
}
