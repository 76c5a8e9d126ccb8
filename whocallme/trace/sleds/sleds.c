/* SPDX-License-Identifier: MIT */
/* sleds.c (SAFE) - switches the calls in sleds on and off.
 *
 * While they are changed all other threads stand still, none of them between two NOPs of a
 * sled: who was is moved behind the last, since they do nothing.  So any bytes may become
 * any others, and what a thread executes was always whole.  Where a sled is one instruction
 * that may be executed while it changes, no thread is held.
 *
 * What the dynamic linker has just mapped nobody executes yet: there, no thread is held.
 */
#include "trace/sleds/sleds.h"

#include <string.h>

#include "core/modules/linked.h"
#include "core/os/file.h"
#include "core/os/mask.h"
#include "core/os/owner.h"
#include "core/unwind/walk.h"
#include "trace/sleds/hold_threads.h"
#include "trace/sleds/near_jump.h"
#include "trace/sleds/sled_enter.h"
#include "trace/sleds/sled_list.h"
#include "trace/sleds/write_code.h"

enum { CHUNK = 16 * 1024 };

static struct wcm_owner changer;
static bool is_on;       /* some sleds are calls, or may be */
static bool is_watching; /* what is loaded comes in */
static uint32_t wanted;    /* enum wcm_sleds_wanted */
static void (*tell)(struct wcm_sleds_result result);
static void (*also)(void); /* told of the list, too */

void wcm__sleds_tell_by(void (*teller)(struct wcm_sleds_result result))
{
	tell = teller;
}

static uintptr_t end_of(const void *of, size_t number)
{
	const struct wcm_sled_module *module = of;

	return wcm__sled_end(&module->sled[number]);
}

/* Where MODULE's sleds call. */
static bool find_jump(struct wcm_sled_module *module, int *error)
{
	const uintptr_t entry = wcm__arch_sled_entry_address();
	const struct wcm_module *map = &module->map;

	module->jump = WCM_SLED_STUB ? wcm__near_stubs(map->lo, map->hi, entry, module->count,
						       end_of, module, error)
				     : wcm__near_jump(map->lo, map->hi, entry, error);
	return module->jump != 0;
}

/* What the bytes of SLED, one of MODULE, are to be. */
static void compose(uint8_t *code, const struct wcm_sled_module *module,
		    const struct wcm_sled *sled, bool on)
{
	const struct wcm_sled_front front = { .returns = sled->returns, .entry = sled->entry,
					      .size = sled->size };
	const uintptr_t to = module->jump + (size_t)(sled - module->sled) * WCM_SLED_STUB;

	memcpy(code, sled->nops, sled->size);
	if (on && wcm__sled_is_front(sled))
		wcm__arch_sled_front_call(code, &front, sled->at, to);
	else if (on)
		wcm__arch_sled_call(code, sled->size, sled->at, to);
}

/* Whether the code of SLED, one of MODULE, is one of the two that it may be. */
static bool is_known(const struct wcm_sled_module *module, const struct wcm_sled *sled)
{
	uint8_t call[WCM_SLED_MOST];

	compose(call, module, sled, module->jump != 0);
	return memcmp((const void *)sled->at, call, sled->size) == 0 ||
	       memcmp((const void *)sled->at, sled->nops, sled->size) == 0;
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
	*error = wcm__code_write(fd, lo, chunk, size);
	return last - first;
}

/* The same of one sled, which other threads may be in. */
static size_t change_word(struct wcm_sled_module *module, size_t number, bool on, int fd,
			  long *error)
{
	const struct wcm_sled *sled = &module->sled[number];
	uint8_t code[WCM_SLED_MOST];

	compose(code, module, sled, on);
	if (is_known(module, sled))
		*error = wcm__code_write(fd, sled->at, code, WCM_SLED_WORD);
	return 1;
}

static long change_module(struct wcm_sled_module *module, bool on, int fd)
{
	long error = 0;

	for (size_t i = 0; i < module->count && error == 0;)
		i += WCM_SLEDS_AT_ONCE ? change_word(module, i, on, fd, &error)
				       : change_chunk(module, i, on, fd, &error);
	return error;
}

/* Of a module that cannot be changed whole nothing is. */
static long change_or_leave(struct wcm_sled_module *module, bool on, int fd)
{
	const long error = change_module(module, on, fd);

	module->is_on = error == 0 ? on : !on || change_module(module, false, fd) != 0;
	return error;
}

/* Change the modules that let themselves be changed.  The error is that of the last other one,
 * *REFUSED. */
static long change_all(bool on, const struct wcm_sled_module **refused)
{
	const int fd = wcm__code_open();
	long error = 0, result = 0;
	bool any = false;

	for (struct wcm_sled_module *module = wcm__sleds_first(); module; module = module->next) {
		if (module->is_on != on && module->count > 0 && (!on || module->jump) &&
		    wcm__sleds_are_there(module) &&
		    (error = change_or_leave(module, on, fd)) != 0) {
			result = error;
			*refused = module;
		}
		any |= module->is_on;
	}
	if (fd >= 0)
		wcm__close(fd);
	wcm__code_synchronise();
	is_on = any;
	return result;
}

/* Where a thread is interrupted between two NOPs it goes on behind the last; and where it is
 * in front of its function. */
static void move_behind(void *ucontext)
{
	uintptr_t *pc = wcm__arch_context_pc(ucontext);
	const struct wcm_sled *sled = wcm__sleds_at(*pc);

	if (sled && (*pc > sled->at + sled->entry || *pc < sled->func))
		*pc = wcm__sled_end(sled);
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

static struct wcm_sleds_result change(bool on)
{
	const struct wcm_sled_module *refused = NULL;
	struct wcm_sleds_result result = { .error = (int)-change_all(on, &refused) };

	if (result.error)
		result.failure = WCM_SLEDS_NOT_WRITTEN;
	if (refused && is_on)
		result.path = wcm__sleds_path(refused);
	return result;
}

static struct wcm_sleds_result switch_all(bool on)
{
	struct wcm_sleds_result result = { .failure = WCM_SLEDS_NOT_HELD };

	if (WCM_SLEDS_AT_ONCE)
		return change(on);
	if (!wcm__threads_hold(move_out, &result.tid))
		return result;
	result = change(on);
	wcm__threads_release();
	return result;
}

/* Once a module: it is dropped for good. */
static void tell_mislisted(struct wcm_sled_module *module, struct wcm_sleds_result *result)
{
	if (module->mislisted > 0 && result->mislisted == 0) {
		result->mislisted = module->mislisted;
		result->mislisting = wcm__sleds_path(module);
		module->mislisted = 0;
	}
}

/* Whether any sled has something to call.  Modules whose sleds have not are left out; one of
 * those that were not told of is. */
static bool find_jumps(struct wcm_sleds_result *result)
{
	const struct wcm_sled_module *refused = NULL;
	bool any = false;
	int error;

	for (struct wcm_sled_module *module = wcm__sleds_first(); module; module = module->next) {
		if (module->is_loaded)
			tell_mislisted(module, result);
		if (!module->is_loaded || module->count == 0)
			continue;
		if (module->jump || find_jump(module, &error)) {
			any = true;
		} else if (!module->is_told) {
			module->is_told = true;
			refused = module;
			result->error = error;
			result->failure = error == ENOMEM ? WCM_SLEDS_NO_ROOM :
							    WCM_SLEDS_NOT_WRITTEN;
		}
	}
	if (refused && any)
		result->path = wcm__sleds_path(refused);
	return any;
}

static struct wcm_sleds_result worse(struct wcm_sleds_result found, struct wcm_sleds_result changed)
{
	if (changed.failure == WCM_SLEDS_DONE)
		return found;
	changed.mislisted = found.mislisted;
	changed.mislisting = found.mislisting;
	return changed;
}

/* What comes between two calls of the notifier, the first of which says that something will,
 * is executed by nobody yet. */
static void follow(enum wcm_linked_state state)
{
	static bool is_announced;
	const bool is_unused = is_announced && state == WCM_LINKED_WHOLE;
	struct wcm_sleds_result result = { .failure = WCM_SLEDS_DONE };
	bool is_new = false;

	is_announced = state == WCM_LINKED_ADDS;
	if (state == WCM_LINKED_DELETES)
		return;
	wcm__sleds_forget();
	if (!wcm__sleds_meet(&is_new))
		result.failure = WCM_SLEDS_NO_MEMORY;
	else if (is_new && find_jumps(&result))
		result = worse(result, is_unused ? change(true) : switch_all(true));
	if ((result.failure != WCM_SLEDS_DONE || result.mislisted > 0) && tell)
		tell(result);
}

/* In a thread that has the lock of the dynamic linker. */
static void follow_linker(void)
{
	void (*others)(void) = __atomic_load_n(&also, __ATOMIC_ACQUIRE);
	uint64_t mask;

	if (others)
		others();
	if (!__atomic_load_n(&is_watching, __ATOMIC_ACQUIRE) ||
	    wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return;
	mask = wcm__mask_set(WCM_MASK_QUIET);
	if (is_watching)
		follow(wcm__linked_state());
	wcm__mask_set(mask);
	wcm__owner_give_back(&changer);
}

static void watch(bool on)
{
	const int fd = wcm__code_open();

	wcm__sled_linker.changed = follow_linker;
	if (on)
		is_watching = wcm__link_watch_begin(fd, &wcm__sled_linker.pc);
	else if (!also)
		wcm__link_watch_end(fd);
	is_watching &= on;
	if (fd >= 0)
		wcm__close(fd);
}

void wcm__sleds_also_follow(void (*changed)(void))
{
	int fd;

	if (wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return;
	fd = wcm__code_open();
	__atomic_store_n(&also, changed, __ATOMIC_RELEASE);
	wcm__sled_linker.changed = follow_linker;
	if (changed) {
		wcm__arch_sled_prepare(wcm__sled_passed, wcm__sled_returned, wcm__sled_entered);
		wcm__link_watch_begin(fd, &wcm__sled_linker.pc);
	} else if (!is_watching) {
		wcm__link_watch_end(fd);
	}
	if (fd >= 0)
		wcm__close(fd);
	wcm__owner_give_back(&changer);
}

/* What is loaded while the list of modules is made is in no list, and has been told of to
 * nobody: it is in the dynamic linker's own. */
static bool find_all(void)
{
	bool is_new = false;

	if (!wcm__sleds_find())
		return false;
	watch(true);
	return wcm__linked_state() != WCM_LINKED_WHOLE || wcm__sleds_meet(&is_new);
}

static struct wcm_sleds_result turn_on(void)
{
	struct wcm_sleds_result result = { .failure = WCM_SLEDS_DONE };

	wcm__sled_prepare();
	if (!find_all()) {
		result.failure = WCM_SLEDS_NO_MEMORY;
		return result;
	}
	for (struct wcm_sled_module *module = wcm__sleds_first(); module; module = module->next)
		module->is_told = false;
	return find_jumps(&result) ? worse(result, switch_all(true)) : result;
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
	if (!__atomic_load_n(&is_on, __ATOMIC_ACQUIRE) &&
	    !__atomic_load_n(&is_watching, __ATOMIC_ACQUIRE))
		return true;
	if (wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return false;
	if (__atomic_load_n(&wanted, __ATOMIC_SEQ_CST) == 0) {
		watch(false);
		if (is_on)
			done = switch_all(false).failure == WCM_SLEDS_DONE;
	}
	wcm__owner_give_back(&changer);
	return done;
}

bool wcm__sleds_are_on(void)
{
	return __atomic_load_n(&is_on, __ATOMIC_ACQUIRE);
}
