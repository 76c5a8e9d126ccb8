/* SPDX-License-Identifier: MIT */
/* static_trap.c (SAFE) - what a static probe comes to that is lit: the handler of its trap.
 *
 * The trap is as long as the NOP that it is in the place of, so the handler returns to what is
 * behind both.  A trap that has been taken away since is over as well.  Any other SIGTRAP is the
 * program's.
 */
#include "trace/source/static/static_trap.h"

#include "core/arch/arch.h"
#include "trace/probe/aside.h"
#include "trace/probe/handle_event.h"
#include "trace/source/static/static_module.h"
#include "trace/source/system/dispatch_handler.h"
#include "trace/values/probe_hit.h"

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
	static const struct wcm_passed nothing;
	struct wcm_registers registers;
	const struct wcm_probe_hit hit = { .values = probe->values, .registers = &registers };
	struct wcm_event event = { .func = module->names.slot[probe->name].at,
				   .site = probe->at, .passed = &nothing, .probe = &hit };

	if (!wcm__gate_is_open() || !probe->is_lit ||
	    !wcm__arch_registers_from_context(&registers, ucontext, NULL) ||
	    !wcm__register_get(&registers, WCM_COLUMN_SP, &event.at.sp))
		return;
	event.at.pc = probe->at;
	wcm__register_get(&registers, WCM_COLUMN_FP, &event.at.fp);
	wcm__aside_in_handler(wcm__sharing_tracer(event.at.sp), tell_aside, &event);
}

void wcm__static_trapped(int signal, siginfo_t *info, void *ucontext)
{
	size_t number;
	const struct wcm_static_module *module =
		info->si_code > 0 ? holds(wcm__arch_trapped(ucontext), &number) : NULL;

	if (module)
		tell(module, &module->probe[number - 1], ucontext);
	else
		wcm__system_pass_on(signal, info, ucontext);
}
