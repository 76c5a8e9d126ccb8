/* SPDX-License-Identifier: MIT */
/* static_probes.c (SAFE) - lights the static probes of modules, and puts them out.
 *
 * A probe is lit by a trap in the place of its NOP, one byte, which threads may execute meanwhile:
 * none is held, and what finds the trap when it is gone again goes on behind it all the same.  The
 * trap's signal must never be blocked, which dispatch_signals.c sees to.
 */
#include "trace/probes/static_probes.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "core/arch/arch.h"
#include "core/modules/linked.h"
#include "core/modules/modules.h"
#include "core/os/file.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/owner.h"
#include "core/os/read.h"
#include "format/glob.h"
#include "trace/engine/aside.h"
#include "trace/engine/handle_event.h"
#include "trace/sleds/write_code.h"
#include "trace/sleds/sled_list.h"
#include "trace/sleds/sleds.h"
#include "trace/probes/static_module.h"
#include "trace/system/dispatch_handler.h"
#include "trace/system/dispatch_signals.h"
#include "trace/system/system_calls.h"
#include "trace/probes/probe_hit.h"

/* What a static probe comes to that is lit: the handler of its trap.
 *
 * The trap is as long as the NOP that it is in the place of, so the handler returns to what is
 * behind both.  A trap that has been taken away since is over as well.  Any other SIGTRAP is the
 * program's. */

struct wcm_static_module *wcm__static_modules;

static const struct wcm_static_module *holds(uintptr_t at, size_t *number)
{
	const struct wcm_static_module *module =
		__atomic_load_n(&wcm__static_modules, __ATOMIC_ACQUIRE);

	for (; module; module = module->next)
		if (at >= module->map.lo && at < module->map.hi && module->count > 0 &&
		    __atomic_load_n(&module->is_loaded, __ATOMIC_ACQUIRE)) {
			*number = wcm__static_at(module, at);
			if (*number != 0)
				return module;
		}
	return NULL;
}

static void tell_aside(void *argument)
{
	wcm__event_instant(argument);
}

/* What a child of vfork(2) comes to is told as its parent's, which waits for it. */
static void tell(const struct wcm_static_module *module, const struct wcm_static_probe *probe,
		 const void *ucontext)
{
	struct wcm_registers registers;
	const struct wcm_probe_hit hit = { .values = probe->values, .registers = &registers };
	const struct wcm_told told = { WCM_EVENT_PROBE, .probe = &hit };
	struct wcm_event event = { .func = module->names.slot[probe->name].at,
				   .site = probe->at, .told = &told };

	if (!wcm__gate_is_open() || !probe->is_lit ||
	    !wcm__arch_registers_from_context(&registers, ucontext, NULL) ||
	    !wcm__register_get(&registers, WCM_COLUMN_SP, &event.at.sp))
		return;
	event.at.pc = probe->at;
	wcm__register_get(&registers, WCM_COLUMN_FP, &event.at.fp);
	wcm__aside_in_handler(wcm__sharing_tracer(event.at.sp), tell_aside, &event);
}

/* The handler of SIGTRAP. */
static void static_trapped(int signal, siginfo_t *info, void *ucontext)
{
	size_t number;
	const struct wcm_static_module *module =
		info->si_code > 0 ? holds(wcm__arch_trapped(ucontext), &number) : NULL;

	if (module)
		tell(module, &module->probe[number - 1], ucontext);
	else
		wcm__system_pass_on(signal, info, ucontext);
}

static struct wcm_owner changer;
static const char *wanted; /* NULL: none */
static bool is_on;         /* some are lit, or may be */
static long trouble;       /* why not all that there are have been found; 0: they have */

static bool is_wanted(const struct wcm_static_module *module,
		      const struct wcm_static_probe *probe)
{
	const char *name = module->names.slot[probe->name].name;

	uint64_t seen = 0;

	return wanted && wcm__globs_choose(wanted, name, strlen(name), "", &seen);
}

static bool is_there(const struct wcm_static_module *module)
{
	return module->is_loaded && wcm__sleds_identify(&module->map) == module->identity;
}

/* A debugger's breakpoint that is there stays, and so does what has it in its memory. */
static long change(const struct wcm_static_module *module, struct wcm_static_probe *probe, bool on,
		   int fd)
{
	const uint8_t byte = on ? module->trap : module->nop;
	const uint8_t has = *(const volatile uint8_t *)probe->at;
	uint16_t *semaphore = (uint16_t *)probe->semaphore;
	long error = 0;

	if (probe->is_lit == on || (has != module->trap && has != module->nop))
		return 0;
	if (has != byte)
		error = wcm__code_write(fd, probe->at, &byte, 1);
	if (error != 0)
		return error;
	probe->is_lit = on;
	if (semaphore)
		__atomic_fetch_add(semaphore, on ? 1 : -1, __ATOMIC_RELAXED);
	return 0;
}

static long change_module(struct wcm_static_module *module, bool on)
{
	int fd = -1;
	long error = 0, first = 0;

	if (module->count == 0 || !is_there(module))
		return 0;
	fd = wcm__code_open();
	for (size_t i = 0; i < module->count; i++) {
		struct wcm_static_probe *probe = &module->probe[i];

		error = change(module, probe, on && is_wanted(module, probe), fd);
		first = first ? first : error;
	}
	if (fd >= 0)
		wcm__close(fd);
	wcm__code_synchronise();
	return first;
}

static struct wcm_static_module *find(const struct wcm_module *map, uint64_t identity)
{
	struct wcm_static_module *module = wcm__static_modules;

	while (module && (module->map.lo != map->lo || module->map.bias != map->bias ||
			  module->identity != identity))
		module = module->next;
	return module;
}

/* Modules without probes are kept, too, so that their files are read once. */
static struct wcm_static_module *meet(const struct wcm_module *map)
{
	const uint64_t identity = wcm__sleds_identify(map);
	struct wcm_static_module *module = identity ? find(map, identity) : NULL;
	long error;

	if (module && !module->is_loaded) {
		for (size_t i = 0; i < module->count; i++)
			module->probe[i].is_lit = false;
		__atomic_store_n(&module->is_loaded, true, __ATOMIC_RELEASE);
	}
	if (module || identity == 0 || !(module = wcm__map(sizeof(*module))))
		return module;
	module->map = *map;
	module->identity = identity;
	error = wcm__static_find(module);
	if (error != 0)
		module->count = module->names.count = 0;
	if (error != 0 && error != -ENOENT)
		trouble = error;
	module->map.path = NULL; /* it may go before the module does */
	module->is_loaded = true;
	if (module->names.count > 0)
		wcm__slot_names_add(&module->names);
	module->next = wcm__static_modules;
	__atomic_store_n(&wcm__static_modules, module, __ATOMIC_RELEASE);
	return module;
}

enum { MOST_MODULES = 65536 };

static bool is_linked(const struct wcm_static_module *module)
{
	uintptr_t at = wcm__linked_first();
	struct link_map map;

	for (unsigned i = 0; i < MOST_MODULES && wcm__linked_next(&at, &map); i++)
		if (map.l_addr == module->map.bias && (uintptr_t)map.l_ld >= module->map.lo &&
		    (uintptr_t)map.l_ld < module->map.hi)
			return true;
	return false;
}

/* What has been unloaded; and what has come, of which nothing has run. */
static void follow(void)
{
	uintptr_t at = wcm__linked_first();
	struct wcm_static_module *module;
	struct wcm_module described;
	struct link_map map;

	for (module = wcm__static_modules; module; module = module->next)
		if (module->is_loaded && !is_linked(module))
			__atomic_store_n(&module->is_loaded, false, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < MOST_MODULES && wcm__linked_next(&at, &map); i++)
		if (map.l_addr && map.l_ld &&
		    wcm__module_describe_image(&described, map.l_addr,
					       wcm__module_path(map.l_name)) &&
		    (module = meet(&described)))
			change_module(module, true);
}

/* In a thread that has the lock of the dynamic linker. */
static void follow_linker(void)
{
	uint64_t mask;

	if (!__atomic_load_n(&is_on, __ATOMIC_ACQUIRE) ||
	    wcm__linked_state() != WCM_LINKED_WHOLE ||
	    wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return;
	mask = wcm__mask_set(WCM_MASK_QUIET);
	if (is_on)
		follow();
	wcm__mask_set(mask);
	wcm__owner_give_back(&changer);
}

void wcm__static_probes_want(const char *globs)
{
	const struct wcm_module_list *list = wcm__modules_get();

	wanted = globs;
	for (size_t i = 0; globs && i < list->count; i++)
		if (wcm__module_is_loaded(list->module[i]))
			meet(&list->module[i]->map);
}

bool wcm__static_probes_match(void)
{
	for (const struct wcm_static_module *module = wcm__static_modules; module;
	     module = module->next)
		for (size_t i = 0; i < module->count; i++)
			if (is_wanted(module, &module->probe[i]))
				return true;
	return false;
}

/* A module may have been loaded to several places. */
static bool is_repeated(const struct wcm_static_module *module)
{
	const struct wcm_static_module *other = wcm__static_modules;

	while (other != module &&
	       !(other->count > 0 && wcm__static_same(module->names.module, other->names.module)))
		other = other->next;
	return other != module;
}

void wcm__static_probes_list(void (*visit)(const char *name, void *data), void *data)
{
	for (const struct wcm_static_module *module = wcm__static_modules; module;
	     module = module->next) {
		if (module->names.count == 0 || is_repeated(module))
			continue;
		for (size_t i = 0; i < module->names.count; i++)
			visit(module->names.slot[i].name, data);
	}
}

void wcm__static_probes_keep(bool on)
{
	wcm__system_signal_keep(SIGTRAP, on ? static_trapped : NULL);
	wcm__system_calls_at_loss(on ? wcm__static_probes_off : NULL);
}

static long change_all(bool on)
{
	long error, first = 0;

	for (struct wcm_static_module *module = wcm__static_modules; module;
	     module = module->next) {
		error = change_module(module, on);
		first = first ? first : error;
	}
	return first;
}

long wcm__static_probes_on(void)
{
	long error;

	if (wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return -EBUSY;
	wcm__sleds_also_follow(follow_linker);
	__atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
	error = change_all(true);
	wcm__owner_give_back(&changer);
	return error ? error : trouble;
}

void wcm__static_probes_off(void)
{
	if (!__atomic_load_n(&is_on, __ATOMIC_ACQUIRE) ||
	    wcm__owner_take(&changer, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return;
	if (is_on)
		change_all(false);
	__atomic_store_n(&is_on, false, __ATOMIC_RELEASE);
	wcm__sleds_also_follow(NULL);
	wcm__owner_give_back(&changer);
}
