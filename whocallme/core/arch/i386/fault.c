/* SPDX-License-Identifier: MIT */
/* i386/fault.c (SAFE) - what the number of the CPU's exception tells of a fault.
 *
 * Instructions are not taken apart on this CPU.
 */
#include "core/arch/arch.h"

#include <signal.h>
#include <stddef.h>
#include <sys/ucontext.h>

#include "core/arch/i386/gregs.h"

/* The kernel keeps a thread's last exception for all signals that follow: the signal has to be the
 * one that it makes of this exception (SDM vol. 3, table 6-1). */
static const struct {
	uint8_t trap, signal, fault;
	bool lacks_address;
} exceptions[] = {
	{ 3, SIGTRAP, WCM_FAULT_BREAKPOINT, false },
	{ 4, SIGSEGV, WCM_FAULT_OVERFLOW_TRAP, false },
	{ 6, SIGILL, WCM_FAULT_INVALID, false },
	{ 11, SIGBUS, WCM_FAULT_SELECTOR, false },
	{ 13, SIGSEGV, WCM_FAULT_PROTECTION, false },
	{ 17, SIGBUS, WCM_FAULT_UNKNOWN, true },
	{ 21, SIGSEGV, WCM_FAULT_UNKNOWN, true },
};

void wcm__arch_fault_find(struct wcm_fault_found *found, int signal, const void *ucontext,
			  uintptr_t thread_pointer, wcm_reader *read)
{
	struct wcm_machine_state state;

	(void)thread_pointer;
	*found = (struct wcm_fault_found){ .fault = WCM_FAULT_UNKNOWN };
	if (!read((uintptr_t)ucontext + offsetof(ucontext_t, uc_mcontext), &state, sizeof(state)))
		return;
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(*exceptions); i++)
		if (exceptions[i].trap == state.gregs[REG_TRAPNO] &&
		    exceptions[i].signal == signal) {
			found->fault = (enum wcm_fault)exceptions[i].fault;
			found->lacks_address = exceptions[i].lacks_address;
		}
}
