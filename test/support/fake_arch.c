/* SPDX-License-Identifier: MIT */
/* fake_arch.c - a CPU made by hand, in place of arch/ but for generic/first_code.c. */
#include "support/fake_arch.h"

#include "core/arch/arch.h"
#include "core/os/read.h"

static bool read_context(struct fake_context *context, const void *ucontext)
{
	return wcm__read_memory((uintptr_t)ucontext, context, sizeof(*context));
}

bool wcm__arch_registers_from_context(struct wcm_registers *registers,
				      const void *ucontext, wcm_reader *read)
{
	struct fake_context context;

	(void)read;
	if (!read_context(&context, ucontext))
		return false;
	*registers = (struct wcm_registers){ .pc = context.pc };
	wcm__register_set(registers, WCM_COLUMN_SP, context.sp);
	wcm__register_set(registers, WCM_COLUMN_FP, context.fp);
	if (WCM_HAS_LINK_REGISTER)
		wcm__register_set(registers, WCM_COLUMN_RA, context.lr);
	return true;
}

bool wcm__arch_fetch_failed(const void *ucontext, wcm_reader *read)
{
	struct fake_context context;

	(void)read;
	return read_context(&context, ucontext) && context.fetch_failed;
}

bool wcm__arch_follows_call(uintptr_t pc, wcm_reader *read)
{
	(void)read;
	return pc >= FAKE_CODE && pc < FAKE_CODE_END && pc != FAKE_TRAMPOLINE;
}

bool wcm__arch_may_follow_call(uintptr_t pc, wcm_reader *read)
{
	return wcm__arch_follows_call(pc, read);
}

bool wcm__arch_is_sigreturn(uintptr_t pc, wcm_reader *read)
{
	(void)read;
	return pc == FAKE_TRAMPOLINE;
}

bool wcm__arch_has_called(uintptr_t ra, const struct wcm_registers *registers,
			  unsigned within, wcm_reader *read)
{
	(void)ra, (void)registers, (void)within, (void)read;
	return false;
}

bool wcm__arch_is_return(uintptr_t pc, wcm_reader *read)
{
	(void)pc, (void)read;
	return false;
}

bool wcm__arch_stub_rule(struct wcm_rule *rule, uintptr_t pc, wcm_reader *read)
{
	(void)rule, (void)pc, (void)read;
	return false;
}

uintptr_t wcm__arch_signal_context(const struct wcm_regs *regs, wcm_reader *read)
{
	(void)read;
	return regs->sp;
}
