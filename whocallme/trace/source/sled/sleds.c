/* SPDX-License-Identifier: MIT */
/* sleds.c - switches the calls in sleds on and off.
 *
 * While they are changed all other threads stand still, none of them between two NOPs of a
 * sled: who was is moved behind the last, since they do nothing.  So any bytes may become
 * any others, and what a thread executes was always whole.
 *
 * Code is written through /proc/self/mem, which leaves its protection as it is; where that
 * is not to be had, it is made writable for the moment.  Where a process may make no memory
 * executable any more (PR_SET_MDWE), that would be for ever, and is left.
 */
#include "trace/source/sled/sleds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "core/os/file.h"
#include "core/os/kernel.h"
#include "core/os/memory.h"
#include "core/os/missing.h"
#include "core/os/owner.h"
#include "core/os/process.h"
#include "core/os/read.h"
#include "core/unwind/walk.h"
#include "trace/source/sled/hold_threads.h"
#include "trace/source/sled/sled_enter.h"
#include "trace/source/sled/sled_list.h"

enum { STEP = 64 * 1024, MOST_STEPS = 4096, CHUNK = 16 * 1024 };

static struct wcm_owner changer;
static bool is_on; /* some sleds are calls, or may be */
static uint32_t wanted; /* enum wcm_sleds_wanted */

/* A page at exactly AT, or 0. */
static uintptr_t map_at(uintptr_t at)
{
	const long mapped = wcm__mmap((void *)at, WCM_PAGE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (wcm__is_error(mapped))
		return 0;
	if ((uintptr_t)mapped == at)
		return at;
	wcm__unmap((void *)mapped, WCM_PAGE);
	return 0;
}

static bool is_in_reach(const struct wcm_sled_module *module, uintptr_t jump)
{
	return wcm__arch_sled_reaches(module->lo, jump) &&
	       wcm__arch_sled_reaches(module->hi, jump);
}

/* The nearest free page in front of MODULE or behind it that all of it reaches. */
static uintptr_t map_near(const struct wcm_sled_module *module)
{
	uintptr_t below = module->lo & ~(uintptr_t)(STEP - 1);
	uintptr_t above = (module->hi + STEP - 1) & ~(uintptr_t)(STEP - 1), at;

	for (int i = 0; i < MOST_STEPS; i++) {
		below -= STEP;
		if (below > STEP && is_in_reach(module, below) && (at = map_at(below)) != 0)
			return at;
		if (is_in_reach(module, above) && (at = map_at(above)) != 0)
			return at;
		above += STEP;
	}
	return 0;
}

/* Where MODULE's sleds call: the entry, a jump to it that another module has, or one of its
 * own, which stays. */
static bool find_jump(struct wcm_sled_module *module, int *error)
{
	const uintptr_t entry = wcm__arch_sled_entry_address();
	uint8_t code[WCM_FAR_JUMP_MOST];
	uintptr_t page;

	if (is_in_reach(module, entry)) {
		module->jump = entry;
		return true;
	}
	for (struct wcm_sled_module *other = wcm__sleds_first(); other; other = other->next)
		if (other->jump && is_in_reach(module, other->jump)) {
			module->jump = other->jump;
			return true;
		}
	*error = ENOMEM;
	page = map_near(module);
	if (!page)
		return false;
	memcpy((void *)page, code, wcm__arch_far_jump(code, entry));
	*error = -wcm__mprotect((void *)page, WCM_PAGE, PROT_READ | PROT_EXEC);
	if (*error == 0)
		module->jump = page;
	else
		wcm__unmap((void *)page, WCM_PAGE);
	return *error == 0;
}

/* What the bytes of SLED, one of MODULE, are to be. */
static void compose(uint8_t *code, const struct wcm_sled_module *module,
		    const struct wcm_sled *sled, bool on)
{
	if (on)
		wcm__arch_sled_call(code, sled->size, sled->at, module->jump);
	else
		memcpy(code, sled->nops, sled->size);
}

/* Whether the code of SLED, one of MODULE, is one of the two that it may be. */
static bool is_known(const struct wcm_sled_module *module, const struct wcm_sled *sled)
{
	uint8_t call[WCM_SLED_MOST];

	compose(call, module, sled, module->jump != 0);
	return memcmp((const void *)sled->at, call, sled->size) == 0 ||
	       memcmp((const void *)sled->at, sled->nops, sled->size) == 0;
}

static long write_memory(int fd, uintptr_t at, const uint8_t *bytes, size_t size)
{
	const long written = wcm__pwrite(fd, bytes, size, at);

	return written == (long)size ? 0 : written < 0 ? written : -EIO;
}

static bool may_not_execute_again(void)
{
	return wcm__prctl(PR_GET_MDWE, 0, 0) > 0;
}

static long write_protected(uintptr_t at, const uint8_t *bytes, size_t size)
{
	const uintptr_t lo = at & ~(WCM_PAGE - 1);
	const size_t span = at + size - lo;
	long error;

	if (may_not_execute_again())
		return -EACCES;
	error = wcm__mprotect((void *)lo, span, PROT_READ | PROT_WRITE | PROT_EXEC);
	if (error != 0)
		return error;
	memcpy((void *)at, bytes, size);
	return wcm__mprotect((void *)lo, span, PROT_READ | PROT_EXEC);
}

static long write_code(int fd, uintptr_t at, const uint8_t *bytes, size_t size)
{
	if (fd >= 0 && write_memory(fd, at, bytes, size) == 0)
		return 0;
	return write_protected(at, bytes, size);
}

/* Change the sleds from FIRST on that lie within a chunk of code.  Returns how many. */
static size_t change_chunk(struct wcm_sled_module *module, size_t first, bool on, int fd,
			   long *error)
{
	static uint8_t chunk[CHUNK];
	const uintptr_t lo = module->sled[first].at;
	size_t last = first, size = 0;

	for (; last < module->count; last++) {
		const struct wcm_sled *sled = &module->sled[last];
		const size_t at = sled->at - lo;

		if (at + sled->size > CHUNK)
			break;
		memcpy(chunk + size, (const void *)(lo + size), at + sled->size - size);
		size = at + sled->size;
		if (is_known(module, sled))
			compose(chunk + at, module, sled, on);
	}
	*error = write_code(fd, lo, chunk, size);
	return last - first;
}

static long change_module(struct wcm_sled_module *module, bool on, int fd)
{
	long error = 0;

	for (size_t i = 0; i < module->count && error == 0;)
		i += change_chunk(module, i, on, fd, &error);
	return error;
}

static long change_all(bool on)
{
	const int fd = wcm__open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	long error = 0;

	for (struct wcm_sled_module *module = wcm__sleds_first(); module && error == 0;
	     module = module->next) {
		module->is_loaded &= wcm__module_is_loaded(module->known);
		if (module->is_loaded && module->count > 0 && (module->jump || !on))
			error = change_module(module, on, fd);
	}
	if (fd >= 0)
		wcm__close(fd);
	return error;
}

/* Where a thread is interrupted between two NOPs it goes on behind the last. */
static void move_behind(void *ucontext)
{
	uintptr_t *pc = wcm__arch_context_pc(ucontext);
	const struct wcm_sled *sled = wcm__sleds_at(*pc);

	if (sled && *pc > sled->at)
		*pc = sled->at + sled->size;
}

/* What is interrupted may itself be a handler of the program's, which has interrupted
 * something: all of that is on the stack. */
static void move_out(void *ucontext)
{
	struct wcm_walk walk;

	move_behind(ucontext);
	for (wcm__walk_start_context(&walk, ucontext); walk.stop == WCM_STOP_NONE;
	     wcm__walk_next(&walk))
		if (walk.context && walk.context != ucontext)
			move_behind((void *)walk.context);
}

/* Other CPUs may have decoded what was there (Intel SDM volume 3, 9.1.3). */
static void synchronise(void)
{
	enum { REGISTER = MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE,
	       SYNC_CORE = MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE };

	if (wcm__membarrier(SYNC_CORE) == -EPERM && wcm__membarrier(REGISTER) == 0)
		wcm__membarrier(SYNC_CORE);
}

static struct wcm_sleds_result switch_all(bool on)
{
	struct wcm_sleds_result result = { .failure = WCM_SLEDS_NOT_HELD };

	if (!wcm__threads_hold(move_out, &result.tid))
		return result;
	result.error = (int)-change_all(on);
	if (result.error && on)
		change_all(false);
	synchronise();
	wcm__threads_release();
	result.failure = result.error ? WCM_SLEDS_NOT_WRITTEN : WCM_SLEDS_DONE;
	is_on = on == !result.error; /* what failed may have left some calls */
	return result;
}

/* Whether any sled has something to call.  Modules whose sleds have not are left out; one
 * of them is told of. */
static bool find_jumps(struct wcm_sleds_result *result)
{
	bool any = false;

	for (struct wcm_sled_module *module = wcm__sleds_first(); module; module = module->next)
		if (module->is_loaded && module->count > 0) {
			if (module->jump || find_jump(module, &result->error))
				any = true;
			else
				result->failure = WCM_SLEDS_NO_ROOM;
		}
	return any;
}

static struct wcm_sleds_result turn_on(void)
{
	struct wcm_sleds_result result = { .failure = WCM_SLEDS_DONE }, switched;

	if (!wcm__sleds_find()) {
		result.failure = WCM_SLEDS_NO_MEMORY;
		return result;
	}
	if (!find_jumps(&result))
		return result;
	wcm__arch_sled_prepare(wcm__sled_entered);
	switched = switch_all(true);
	return switched.failure == WCM_SLEDS_DONE ? result : switched;
}

struct wcm_sleds_result wcm__sleds_on(enum wcm_sleds_wanted by)
{
	struct wcm_sleds_result result = { .failure = WCM_SLEDS_NOT_HELD };

	__atomic_fetch_or(&wanted, by, __ATOMIC_SEQ_CST);
	if (wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return result;
	result = turn_on();
	wcm__owner_give_back(&changer);
	return result;
}

bool wcm__sleds_off(enum wcm_sleds_wanted by)
{
	bool done = true;

	__atomic_fetch_and(&wanted, ~(uint32_t)by, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&is_on, __ATOMIC_ACQUIRE))
		return true;
	if (wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return false;
	if (is_on && __atomic_load_n(&wanted, __ATOMIC_SEQ_CST) == 0)
		done = switch_all(false).failure == WCM_SLEDS_DONE;
	wcm__owner_give_back(&changer);
	return done;
}
