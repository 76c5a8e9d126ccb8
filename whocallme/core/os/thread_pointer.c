/* SPDX-License-Identifier: MIT */
/* thread_pointer.c (SAFE) - lends a thread whose thread pointer is broken a block of variables.
 *
 * The block is zeroed.  On one side of the pointer - which, the CPU's ABI says - it has room
 * for our thread-local variables and errno, and on the other for what libc keeps of a thread.
 * Programs with large variables of their own make that distance large, so a block is mapped
 * when it is needed; it stays for the next thread that needs one.
 */
#include "core/os/thread_pointer.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/arch/arch.h"
#include "core/os/memory.h"
#include "core/os/read.h"
#include "core/os/self.h"
#include "core/os/start_page.h"

/* Room for the other variables of whose one is the farthest, and for libc's record. */
enum { MARGIN = 4 * WCM_PAGE, LIBCS = 2 * WCM_PAGE };

/* What a block begins with, in a page of its own. */
struct spare {
	uint64_t holder; /* process and thread; 0: nobody */
	struct spare *next;
};

static struct spare *spares; /* none is ever removed */

static ptrdiff_t to_ours WCM_START_PAGE; /* from the pointer; 0: not noted */
static size_t in_front WCM_START_PAGE, behind WCM_START_PAGE;

static __thread struct {
	bool is_lent;
	uintptr_t broken;
} own __attribute__((tls_model("initial-exec")));

static size_t room_for(ptrdiff_t distance)
{
	return distance > 0 ? ((size_t)distance & ~(WCM_PAGE - 1)) + MARGIN : 0;
}

void wcm__thread_pointer_note(void)
{
	const uintptr_t pointer = wcm__arch_thread_pointer();
	const ptrdiff_t to_errno = (ptrdiff_t)((uintptr_t)&errno - pointer);

	if (pointer == 0)
		return;
	to_ours = (ptrdiff_t)((uintptr_t)&own - pointer);
	in_front = room_for(to_ours < to_errno ? -to_ours : -to_errno) + LIBCS;
	behind = room_for(to_ours > to_errno ? to_ours : to_errno) + LIBCS;
}

static uint64_t this_thread(void)
{
	const uint32_t unknown = 1u << 31;
	const uint32_t tid = (uint32_t)wcm__thread_id();

	return (uint64_t)(uint32_t)wcm__process_id() << 32 | (tid ? tid : unknown);
}

static struct spare *map(uint64_t holder)
{
	struct spare *spare = wcm__map(in_front + behind);

	if (!spare)
		return NULL;
	spare->holder = holder;
	spare->next = __atomic_load_n(&spares, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&spares, &spare->next, spare, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return spare;
}

static void release(struct spare *spare)
{
	__atomic_store_n(&spare->holder, 0, __ATOMIC_RELEASE);
}

/* That of HOLDER, which becomes another's, BY. */
static struct spare *take(uint64_t holder, uint64_t by)
{
	struct spare *each = __atomic_load_n(&spares, __ATOMIC_ACQUIRE);

	for (; each; each = each->next) {
		uint64_t now = holder;

		if (__atomic_compare_exchange_n(&each->holder, &now, by, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			break;
	}
	return each;
}

static struct spare *find(uint64_t holder)
{
	return take(holder, holder);
}

/* The one of the calling thread, or one for it that is as new. */
static struct spare *claim(void)
{
	const uint64_t self = this_thread();
	struct spare *spare = find(self);

	if (spare)
		return spare;
	spare = take(0, self);
	if (!spare)
		return map(self);
	memset((char *)spare + WCM_PAGE, 0, in_front + behind - WCM_PAGE);
	return spare;
}

/* Where variables lie in front of a thread pointer, the first word behind it is itself. */
static bool lend_for(uintptr_t broken)
{
	struct spare *spare = claim();
	uintptr_t pointer;

	if (!spare)
		return false;
	pointer = (uintptr_t)spare + in_front;
	if (to_ours < 0)
		*(uintptr_t *)pointer = pointer;
	WCM_ARCH_THREAD_BLOCK(pointer);
	wcm__arch_thread_pointer_set(pointer);
	if (!wcm__arch_thread_pointer_holds(to_ours)) {
		release(spare); /* a sandbox has answered, not the kernel */
		return false;
	}
	own.is_lent = true;
	own.broken = broken;
	return true;
}

enum wcm_thread_pointer wcm__thread_pointer_lend(void)
{
	uintptr_t broken;

	if (to_ours == 0 || wcm__arch_thread_pointer_holds(to_ours))
		return WCM_POINTER_HOLDS;
	return wcm__arch_thread_pointer_get(&broken) && lend_for(broken)
		       ? WCM_POINTER_LENT
		       : WCM_POINTER_LOST;
}

bool wcm__thread_pointer_is_lent(void)
{
	return own.is_lent;
}

uintptr_t wcm__thread_pointer_broken(void)
{
	return own.broken;
}

void wcm__thread_pointer_give_back(bool keep)
{
	struct spare *spare = own.is_lent ? find(this_thread()) : NULL;

	if (!spare)
		return;
	wcm__arch_thread_pointer_set(own.broken);
	if (!keep)
		release(spare);
}

void wcm__thread_pointer_lend_again(uintptr_t broken)
{
	struct spare *spare;
	uintptr_t now;

	if (wcm__arch_thread_pointer_get(&now) && now == broken) {
		lend_for(broken);
		return;
	}
	spare = find(this_thread());
	if (spare)
		release(spare);
}
