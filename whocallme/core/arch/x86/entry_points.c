/* SPDX-License-Identifier: MIT */
/* x86/entry_points.c (SAFE) - addresses of code that calls, jumps and handlers of ours lead to. */
#include "core/arch/arch.h"
#include "encoding.h"

extern const uint8_t wcm__arch_sled_entry[] __attribute__((visibility("hidden")));

uintptr_t wcm__arch_sled_entry_address(void)
{
	return (uintptr_t)wcm__arch_sled_entry;
}

__asm__(".text\n\t"
	".globl wcm__arch_empty_entry, wcm__arch_empty_pc\n\t"
	".hidden wcm__arch_empty_entry, wcm__arch_empty_pc\n\t"
	".type wcm__arch_empty_entry, @function\n\t"
	".p2align 4\n"
	"wcm__arch_empty_entry:\n\t"
	".cfi_startproc\n\t"
	WCM_ENDBR_TEXT
	"call wcm__arch_sled_entry\n"
	"wcm__arch_empty_pc:\n\t"
	"ret\n\t"
	".cfi_endproc\n\t"
	".size wcm__arch_empty_entry, . - wcm__arch_empty_entry");

extern const uint8_t wcm__arch_empty_entry[] __attribute__((visibility("hidden")));
extern const uint8_t wcm__arch_empty_pc[] __attribute__((visibility("hidden")));

uintptr_t wcm__arch_empty_entry_address(uintptr_t *pc)
{
	*pc = (uintptr_t)wcm__arch_empty_pc;
	return (uintptr_t)wcm__arch_empty_entry;
}

/* As libc's, so that unwinders know it by its bytes; they look in front of it, too. */
__asm__(".text\n\t"
	".globl wcm__arch_restorer\n\t"
	".hidden wcm__arch_restorer\n\t"
	".type wcm__arch_restorer, @function\n\t"
	".p2align 4\n\t"
	"nop\n"
	"wcm__arch_restorer:\n\t"
	WCM_SIGRETURN_TEXT
	".size wcm__arch_restorer, . - wcm__arch_restorer");

extern const uint8_t wcm__arch_restorer[] __attribute__((visibility("hidden")));

uintptr_t wcm__arch_restorer_address(void)
{
	return (uintptr_t)wcm__arch_restorer;
}
