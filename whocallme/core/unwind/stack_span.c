/* SPDX-License-Identifier: MIT */
/* stack_span.c (SAFE) - finds the bounds of the calling thread's stack, and what of it can be read.
 *
 * Both are found without libc.  A thread remembers its own stack, from some stack pointer up
 * to the top.  The top is known from what lies there: above the main thread's stack the
 * kernel puts the executable's name, and above its own libc a thread's TLS block.  Any other
 * stack, alternate or a coroutine's, may go away at any time.
 *
 * A stack that is known need not be readable: the program may protect or unmap a page of it,
 * and the library must not fault.  Where the program's munmap(3) and mprotect(3) are told to
 * the library (watch/remap.c), the own stack stays as readable as it was when it was asked
 * about.  Elsewhere, and on any other stack, a walk asks the kernel about each page itself;
 * only the page of the library's own frames needs no asking.
 */
#include "core/unwind/stack_span.h"

#include "core/arch/arch.h"
#include "core/os/attempt.h"
#include "core/os/auxv.h"
#include "core/os/kernel_action.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/thread_pointer.h"

/* Farther from the top than this is another stack. */
#define REACH ((uintptr_t)256 << 20)

/* A frame beyond so many pages is read word by word. */
#define FARTHEST (4 * WCM_PAGE)

/* What a capture and a signal's frame take of the stack, and some more. */
#define NEAR ((uintptr_t)32 << 10)

static __thread struct wcm_span own
	__attribute__((tls_model("initial-exec")));

uint64_t wcm__remappings;
bool wcm__remapping_is_told;

/* The remappings before all of OWN was found readable. */
static __thread uint64_t own_at __attribute__((tls_model("initial-exec")));

/* How much of its stack a thread has below OWN that was given it by libc, in units that this is
 * aligned to; 0: it is not known.  Next to others of its size: thread-local bytes are few. */
enum { UNIT = sizeof(uintptr_t) };
static __thread uint32_t given_units __attribute__((tls_model("initial-exec")));

/* The low bits of the number of remappings that walks have met since, how many in a row, and at
 * which OWN was found not to be readable: they only tell whether it is worth while to ask again. */
static __thread uint32_t met_at __attribute__((tls_model("initial-exec")));
static __thread uint32_t met_by __attribute__((tls_model("initial-exec")));
static __thread uint32_t refused_at __attribute__((tls_model("initial-exec")));

static uint64_t remappings(void)
{
	return __atomic_load_n(&wcm__remappings, __ATOMIC_ACQUIRE);
}

static uintptr_t page_of(uintptr_t addr)
{
	return addr & ~(WCM_PAGE - 1);
}

uintptr_t wcm__stack_top(void)
{
	if (wcm__is_first_thread())
		return wcm__auxv(AT_EXECFN);
	return wcm__thread_pointer_is_lent() ? 0 : (uintptr_t)&own;
}

void wcm__stack_has(size_t bytes)
{
	given_units = bytes / UNIT <= UINT32_MAX ? (uint32_t)(bytes / UNIT) : 0;
}

/* The kernel has the first thread's stack grow as far as its limit is. */
uintptr_t wcm__stack_bottom(void)
{
	struct rlimit limit = { 0, 0 };
	const uintptr_t top = wcm__stack_top();
	uintptr_t bytes;

	if (given_units != 0)
		return (uintptr_t)&own - (uintptr_t)given_units * UNIT;
	if (!wcm__is_first_thread())
		return 0;
	wcm__prlimit(RLIMIT_STACK, NULL, &limit);
	bytes = limit.rlim_cur < REACH ? (uintptr_t)limit.rlim_cur : REACH;
	return bytes > WCM_LARGEST_PAGE && bytes < top ? top - bytes + WCM_LARGEST_PAGE : 0;
}

bool wcm__stack_is_threads(uintptr_t sp)
{
	const uintptr_t bottom = wcm__stack_bottom();
	const uintptr_t top = given_units != 0 ? (uintptr_t)&own : wcm__stack_top();

	return bottom != 0 && sp >= bottom && sp < top;
}

/* Whether all of [lo, hi) is readable, and so part of one stack. */
static bool is_contiguous(uintptr_t lo, uintptr_t hi)
{
	return lo < hi && hi - lo <= REACH &&
	       wcm__count_readable_pages(lo, hi) == (hi - lo) / WCM_PAGE;
}

static bool is_readable(uintptr_t page)
{
	return wcm__count_readable_pages(page, page + WCM_PAGE) == 1;
}

/* Whether OWN may be believed for SP.  What lies above HERE, the code that runs,
 * is in use; below it, or seen from another stack, there may have been a guard or
 * a coroutine, which is there no more. */
static bool is_live(uintptr_t sp, uintptr_t here)
{
	if ((here >= own.lo && here <= sp) || is_readable(page_of(sp)))
		return true;
	/* A signal's handler finds all of it, or none. */
	own.hi = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	own.lo = 0;
	return false;
}

struct wcm_span wcm__stack_span(uintptr_t sp)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	/* Frames of ours lie between: one stack, and worth knowing as such. */
	const uintptr_t from = here <= sp && sp - here < NEAR ? here : sp;
	uintptr_t hi;
	uint64_t before;

	if (wcm__span_holds(&own, sp, sizeof(uintptr_t)) &&
	    wcm__span_holds(&own, from, sizeof(uintptr_t)) && is_live(sp, here))
		return own;
	before = remappings();
	hi = own.hi ? own.lo : page_of(wcm__stack_top()) + WCM_PAGE;
	if (is_contiguous(page_of(from), hi)) {
		const bool is_first = own.hi == 0;

		/* A signal's handler finds none of it, or all. */
		own.lo = page_of(from);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (is_first) {
			own_at = before;
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
			own.hi = hi;
		}
		return own;
	}
	if (is_readable(page_of(sp)))
		return (struct wcm_span){ page_of(sp), page_of(sp) + WCM_PAGE };
	return (struct wcm_span){ 0, 0 };
}

bool wcm__stack_is_own(const struct wcm_span *span)
{
	return own.hi != 0 && span->hi == own.hi;
}

/* Ask again about what of OWN is in use, from HERE on, once for a change, and not where
 * the program makes one every few walks. */
static bool is_readable_again(uint64_t now, uintptr_t here)
{
	enum { SOME = 16 };
	const uint32_t low = (uint32_t)(now >> WCM_REMAPPINGS_AT);

	if (met_at != low) {
		met_at = low;
		met_by = 0;
	}
	if (refused_at == low || ++met_by < SOME)
		return false;
	if (!is_contiguous(page_of(here), own.hi)) {
		refused_at = low;
		return false;
	}
	own.lo = page_of(here);
	own_at = now;
	return true;
}

/* Whether OWN is there, from SP up, the code that runs being at HERE.  Nothing is
 * believed where something has gone wrong already. */
static bool is_own_there(uintptr_t sp, uintptr_t here)
{
	const uint64_t now = remappings();

	if (!__atomic_load_n(&wcm__remapping_is_told, __ATOMIC_RELAXED) ||
	    (now & ((1 << WCM_REMAPPINGS_AT) - 1)) != 0 || here < own.lo || here > sp ||
	    sp >= own.hi || wcm__attempt_is_running())
		return false;
	return own_at == now || is_readable_again(now, here);
}

struct wcm_span wcm__stack_window(uintptr_t sp)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t page = page_of(sp);

	if (is_own_there(sp, here))
		return own;
	if (page == page_of(here) ||
	    wcm__can_read_word(sp & ~(sizeof(uintptr_t) - 1)))
		return (struct wcm_span){ page, page + WCM_PAGE };
	return (struct wcm_span){ 0, 0 };
}

/* It is asked at ADDR itself, which is no word that was never written: checkers of
 * memory would say so. */
bool wcm__stack_reach(struct wcm_span *window, uintptr_t addr)
{
	if (addr < window->lo || window->hi == 0 ||
	    page_of(addr) >= window->hi + FARTHEST)
		return false;
	for (; window->hi <= addr; window->hi += WCM_PAGE)
		if (!wcm__can_read_word(page_of(addr) == window->hi
						? addr
						: window->hi))
			return false;
	return wcm__span_holds(window, addr, sizeof(uintptr_t));
}

/* The code that asks may be on another stack, where the kernel does not say SS_ONSTACK. */
struct wcm_span wcm__stack_alternate(uintptr_t sp)
{
	stack_t alternate = { .ss_flags = SS_DISABLE };
	struct wcm_span span;

	wcm__sigaltstack(NULL, &alternate);
	span.lo = (uintptr_t)alternate.ss_sp;
	span.hi = span.lo + alternate.ss_size;
	return !(alternate.ss_flags & SS_DISABLE) && wcm__span_holds(&span, sp, 1) ? span :
										      wcm__no_span;
}
