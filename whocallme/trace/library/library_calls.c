/* SPDX-License-Identifier: MIT */
/* library_calls.c (SAFE) - traces the calls that modules make into others.
 *
 * A module calls other modules' functions through words that the dynamic linker has put their
 * addresses into.  While calls are traced such a word leads to a stub, which is like a function
 * with a sled and goes on to where the word led: no code is changed, no thread is held, and each
 * word changes by one store.  Stubs stay, for a thread may be in one at any time.
 */
#include "trace/library/library_calls.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "core/arch/arch.h"
#include "core/modules/linked.h"
#include "core/modules/modules.h"
#include "core/os/auxv.h"
#include "core/os/memory.h"
#include "core/os/owner.h"
#include "core/os/read.h"
#include "format/glob.h"
#include "trace/filter/known_values.h"
#include "trace/library/library_module.h"
#include "trace/sleds/sled_enter.h"
#include "trace/sleds/sled_list.h"

/* Functions whose calls are not traced, and those whose ends are not. */

/* Whether LIST chooses NAME, as wcm__globs_choose() does, with SEEN. */
static bool library_choose(const char *list, const char *name, uint64_t *seen)
{
	size_t size = 0;

	while (name[size])
		size++;
	return wcm__globs_choose(list, name, size, "", seen);
}

/* Whether NAME is of LIST, of globs between commas. */
static bool library_is_of(const char *list, const char *name)
{
	uint64_t seen = 0;

	return library_choose(list, name, &seen);
}

/* Whether NAME is called by tracing itself, or asks who called it for this library. */
static bool library_is_ours(const char *name)
{
	static const char ours[] =
		"__cyg_profile_func_*,wcm_*,who_call_me*,who_am_i*,full_backtrace*,"
		"init_function_table,find_function_by_addr,mcount,_mcount,__fentry__,"
		"__gmon_start__,_ITM_*";

	return library_is_of(ours, name);
}

/* Whether NAME loads libraries. */
static bool library_opens(const char *name)
{
	return library_is_of("dlopen,dlmopen", name);
}

/* Whether NAME returns twice, elsewhere or never, or asks for its return address. */
static bool library_keeps_return(const char *name)
{
	static const char twice[] =
		"setjmp,_setjmp,__setjmp,sigsetjmp,__sigsetjmp*,vfork,__vfork,savectx,"
		"getcontext,__getcontext,clone,__clone";
	static const char elsewhere_or_never[] =
		"setcontext,__setcontext,swapcontext,__swapcontext,longjmp,_longjmp,__longjmp*,"
		"siglongjmp,_exit,_Exit,exit,quick_exit,abort,__abort*,__assert*,__*chk_fail,"
		"pthread_exit,thrd_exit,__cxa_throw,__cxa_rethrow,__cxa_bad_*,__cxa_call_*,"
		"_Unwind_*,_ZSt9terminatev,_ZSt*__throw_*,__pthread_unwind*,err,errx,verr,verrx,"
		"sigreturn";
	static const char asks_for_it[] =
		"dlopen,dlmopen,dlsym,dlvsym,dladdr*,dl_iterate_phdr,dlerror,backtrace,"
		"__libc_start_main*,__tls_get_addr";

	return library_is_of(twice, name) || library_is_of(elsewhere_or_never, name) ||
	       library_is_of(asks_for_it, name);
}

static struct wcm_owner changer;
static struct wcm_library_module *modules;
static bool is_on; /* of some module, or may be */

/* What is asked for. */
static const char *wanted, *callers;
static uint64_t seen; /* of what is wanted */

/* Find the calls of MODULE that can be told of.  -ENOENT: there are none. */
static long find_calls(struct wcm_library_module *module)
{
	const struct wcm_library_tables *tables = &module->tables;
	struct wcm_library_slot *slot;
	size_t room, count;

	if (!wcm__library_tables(&module->sleds.map, &module->tables))
		return -ENOENT;
	room = tables->calls_count + tables->data_count;
	slot = wcm__map(room * sizeof(*slot));
	module->call = slot ? wcm__map(room * sizeof(*module->call)) : NULL;
	if (!module->call)
		return -ENOMEM;
	count = wcm__library_slots(&module->sleds.map, tables, slot);
	for (size_t i = 0; i < count; i++)
		if (!library_is_ours(slot[i].name))
			module->call[module->count++].slot = slot[i];
	wcm__unmap(slot, room * sizeof(*slot));
	return module->count > 0 ? 0 : -ENOENT;
}

/* Modules without calls are kept, too, so that they are looked through once. */
static long take_in(const struct wcm_module *map, uint64_t identity)
{
	struct wcm_library_module *module = wcm__map(sizeof(*module));
	long error;

	if (!module)
		return -ENOMEM;
	module->sleds.map = *map;
	module->sleds.identity = identity;
	module->sleds.is_loaded = true;
	error = find_calls(module);
	if (error == 0)
		error = wcm__library_stubs_make(module);
	if (error == 0 && !wcm__sleds_list_returns(&module->sleds))
		error = -ENOMEM;
	if (error != 0)
		module->count = module->sleds.count = 0;
	for (size_t i = 0; i < module->count; i++) {
		const char *name = module->call[i].slot.name;

		module->sleds.sled[i].is_silent = library_keeps_return(name);
		module->sleds.sled[i].opens = library_opens(name);
	}
	module->sleds.map.path = NULL; /* it may go before the module does */
	wcm__slot_names_add(&module->names);
	module->next = modules;
	__atomic_store_n(&modules, module, __ATOMIC_RELEASE);
	return error == -ENOENT ? 0 : error;
}

static bool calls_from(const struct wcm_module *map)
{
	const uintptr_t entry = wcm__arch_sled_entry_address();
	uint64_t noted = 0;

	if (map->lo == wcm__linked_base() || (entry >= map->lo && entry < map->hi))
		return false; /* the dynamic linker, and this library */
	if (!callers)
		return (uintptr_t)map->phdr == wcm__auxv(AT_PHDR);
	return map->path && wcm__globs_note_path(callers, map->path, &noted);
}

static struct wcm_library_module *find(const struct wcm_module *map, uint64_t identity)
{
	struct wcm_library_module *module = modules;

	while (module && (module->sleds.map.lo != map->lo ||
			  module->sleds.map.bias != map->bias ||
			  module->sleds.identity != identity))
		module = module->next;
	return module;
}

/* Change what CALL's word has.  A thread that calls meanwhile goes either way. */
static bool change(struct wcm_library_call *call, const struct wcm_module *map, bool on)
{
	uintptr_t *word = (uintptr_t *)call->slot.at;
	const uintptr_t has = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	uintptr_t target;

	if (!on) {
		if (has != call->stub)
			return false;
		target = __atomic_load_n(call->target, __ATOMIC_ACQUIRE);
		__atomic_store_n(word, target == call->binding ? call->before : target,
				 __ATOMIC_RELEASE);
		return false;
	}
	if (has == call->stub || has == 0)
		return has != 0;
	target = has;
	if (call->slot.is_lazy && has >= map->text_lo && has < map->text_hi &&
	    wcm__arch_library_is_unbound((const uint8_t *)has, call->slot.number)) {
		if (!call->binding)
			return false;
		call->before = has;
		target = call->binding;
	}
	__atomic_store_n(call->target, target, __ATOMIC_RELEASE);
	__atomic_store_n(word, call->stub, __ATOMIC_RELEASE);
	return true;
}

static bool is_wanted(const struct wcm_library_call *call)
{
	return library_choose(wanted, call->slot.name, &seen);
}

/* How many are on then. */
static size_t change_calls(struct wcm_library_module *module, bool on)
{
	size_t count = 0;

	for (size_t i = 0; i < module->count; i++) {
		struct wcm_library_call *call = &module->call[i];
		const bool is_traced = on && is_wanted(call);

		module->names.slot[i].prototype =
			is_traced ? wcm__known_values_of_name(call->slot.name) : NULL;
		if (on)
			module->sleds.sled[i].was_called = false;
		count += change(call, &module->sleds.map, is_traced);
	}
	return count;
}

/* What the dynamic linker has made read-only is so again after it. */
static long change_module(struct wcm_library_module *module, bool on, size_t *calls)
{
	const struct wcm_library_tables *tables = &module->tables;
	const size_t size = tables->relro_hi - tables->relro_lo;
	void *const relro = (void *)tables->relro_lo;
	long error = 0;

	if (module->count == 0)
		return 0;
	if (size > 0)
		error = wcm__mprotect(relro, size, PROT_READ | PROT_WRITE);
	if (error != 0)
		return error;
	*calls += change_calls(module, on);
	module->is_on = on;
	if (size > 0)
		wcm__mprotect(relro, size, PROT_READ);
	return 0;
}

static long meet(const struct wcm_module *map, size_t *calls)
{
	const uint64_t identity = wcm__sleds_identify(map);
	struct wcm_library_module *module;
	long error = 0;

	if (identity == 0 || !calls_from(map))
		return 0;
	module = find(map, identity);
	if (!module) {
		error = take_in(map, identity);
		module = modules;
	}
	return error != 0 ? error : change_module(module, true, calls);
}

/* The thread has called what loads libraries, and what these call has not been looked for. */
static __thread bool opens __attribute__((tls_model("initial-exec")));

/* Whether the dynamic linker has put addresses into the words that the module MAP calls by: before
 * that they have what the file has. */
static bool is_relocated(const struct wcm_module *map)
{
	struct wcm_library_tables tables;

	if (!wcm__library_tables(map, &tables))
		return true;
	for (size_t i = 0; i < tables.calls_count; i++) {
		const uintptr_t at = map->bias + tables.calls[i].r_offset;

		if (at >= map->lo && at < map->hi &&
		    *(const uintptr_t *)at - 1 < map->hi - map->lo - 1)
			return false;
	}
	return true;
}

/* Libraries begin with their ELF header. */
static bool meet_linked(const struct link_map *map)
{
	struct wcm_module described;
	size_t calls = 0;

	if (!map->l_addr || !map->l_ld ||
	    !wcm__module_describe_image(&described, map->l_addr, wcm__module_path(map->l_name)))
		return true;
	if (!is_relocated(&described))
		return false;
	meet(&described, &calls);
	return true;
}

/* What is being loaded is looked at again. */
static void follow(void)
{
	enum { MOST_MODULES = 65536 };
	uintptr_t at = wcm__linked_first();
	struct link_map map;
	bool is_whole = true;

	for (unsigned i = 0; i < MOST_MODULES && wcm__linked_next(&at, &map); i++)
		is_whole &= meet_linked(&map);
	if (!is_whole || wcm__linked_state() == WCM_LINKED_ADDS)
		return;
	opens = false;
	__atomic_fetch_sub(&wcm__sled_library.waits, 1, __ATOMIC_RELAXED);
}

/* The executable alone loads nothing. */
static void called(const struct wcm_sled *sled)
{
	if (!callers || !__atomic_load_n(&is_on, __ATOMIC_ACQUIRE))
		return;
	if (opens && wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) == WCM_OWNED) {
		if (is_on)
			follow();
		wcm__owner_give_back(&changer);
	}
	if (sled->opens && !opens) {
		opens = true;
		__atomic_fetch_add(&wcm__sled_library.waits, 1, __ATOMIC_RELAXED);
	}
}

static struct wcm_library_result turn_on(void)
{
	const struct wcm_module_list *list = wcm__modules_get();
	struct wcm_library_result result = { .refused = WCM_LIBRARY_STUB == 0 };

	wcm__sled_library.called = called;
	wcm__sled_prepare();
	__atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
	for (size_t i = 0; i < list->count && !result.refused; i++)
		if (wcm__module_is_loaded(list->module[i])) {
			const long error = meet(&list->module[i]->map, &result.calls);

			if (error != 0)
				result.error = (int)-error;
		}
	return result;
}

static void turn_off(void)
{
	size_t none = 0;

	for (struct wcm_library_module *module = modules; module; module = module->next)
		if (module->is_on && wcm__sleds_are_there(&module->sleds))
			change_module(module, false, &none);
	__atomic_store_n(&is_on, false, __ATOMIC_RELEASE);
}

uint64_t wcm__library_calls_called(const char *globs)
{
	uint64_t called = 0;

	for (const struct wcm_library_module *module = __atomic_load_n(&modules, __ATOMIC_ACQUIRE);
	     module; module = module->next)
		for (size_t i = 0; i < module->count; i++)
			if (module->sleds.sled[i].was_called)
				library_choose(globs, module->call[i].slot.name, &called);
	return called;
}

struct wcm_library_result wcm__library_calls_on(const char *globs, const char *from)
{
	struct wcm_library_result result = { .error = EBUSY };

	if (wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return result;
	if (is_on)
		turn_off();
	wanted = globs;
	callers = from;
	seen = 0;
	result = turn_on();
	result.seen = seen;
	wcm__owner_give_back(&changer);
	return result;
}

void wcm__library_calls_off(void)
{
	if (!__atomic_load_n(&is_on, __ATOMIC_ACQUIRE) ||
	    wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return;
	turn_off();
	wcm__owner_give_back(&changer);
}
