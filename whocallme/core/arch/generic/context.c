/* SPDX-License-Identifier: MIT */
/* generic/context.c (SAFE) - nothing is known of this CPU's machine state. */
#include "core/arch/arch.h"

bool wcm__arch_registers_from_context(struct wcm_registers *registers,
				      const void *ucontext, wcm_reader *read)
{
	(void)registers, (void)ucontext, (void)read;
	return false;
}

bool wcm__arch_fetch_failed(const void *ucontext, wcm_reader *read)
{
	(void)ucontext, (void)read;
	return false;
}

enum wcm_access wcm__arch_access(const void *ucontext, wcm_reader *read)
{
	(void)ucontext, (void)read;
	return WCM_ACCESS_UNKNOWN;
}

bool wcm__arch_is_canonical(uintptr_t address)
{
	(void)address;
	return true;
}

size_t wcm__arch_general_registers(
	const void *ucontext, wcm_reader *read,
	struct wcm_named_register registers[WCM_MOST_NAMED_REGISTERS])
{
	(void)ucontext, (void)read, (void)registers;
	return 0;
}

uintptr_t wcm__arch_signal_context(const struct wcm_regs *regs, wcm_reader *read)
{
	(void)read;
	return regs->sp;
}

bool wcm__arch_refuse_syscall(void *ucontext)
{
	(void)ucontext;
	return false;
}

bool wcm__arch_call_result(const void *ucontext, wcm_reader *read, intptr_t *result)
{
	(void)ucontext, (void)read, (void)result;
	return false;
}

bool wcm__arch_is_own_syscall(const void *ucontext)
{
	(void)ucontext;
	return false;
}

bool wcm__arch_thread_pointer_holds(ptrdiff_t variable)
{
	(void)variable;
	return true;
}

bool wcm__arch_thread_pointer_failed(void *ucontext)
{
	(void)ucontext;
	return false;
}

bool wcm__arch_thread_pointer_get(uintptr_t *pointer)
{
	(void)pointer;
	return false;
}

void wcm__arch_thread_pointer_set(uintptr_t pointer)
{
	(void)pointer;
}

bool wcm__arch_fault_again(int signal, void *ucontext, wcm_reader *read)
{
	(void)signal, (void)ucontext, (void)read;
	return false;
}
