/* SPDX-License-Identifier: MIT */
/* generic/sled.c (SAFE) - a CPU whose NOPs are not known: no function has a sled. */
#include "core/arch/arch.h"

size_t wcm__arch_nop_size(const uint8_t *code, size_t size)
{
	(void)code, (void)size;
	return 0;
}

size_t wcm__arch_sled_size(const uint8_t *code, size_t size)
{
	(void)code, (void)size;
	return 0;
}

bool wcm__arch_sled_find(const uint8_t *code, size_t size, size_t *at, bool *at_entry)
{
	(void)code, (void)size, (void)at, (void)at_entry;
	return false;
}

size_t wcm__arch_landing_size(const uint8_t *code, size_t size)
{
	(void)code, (void)size;
	return 0;
}

bool wcm__arch_sled_call(uint8_t *code, size_t size, uintptr_t at, uintptr_t to)
{
	(void)code, (void)size, (void)at, (void)to;
	return false;
}

size_t wcm__arch_far_jump(uint8_t code[WCM_FAR_JUMP_MOST], uintptr_t to)
{
	(void)code, (void)to;
	return 0;
}

bool wcm__arch_sled_reaches(uintptr_t from, uintptr_t to)
{
	(void)from, (void)to;
	return false;
}

bool wcm__arch_sled_front(const uint8_t *func, size_t front, size_t size,
			  struct wcm_sled_front *sled)
{
	(void)func, (void)front, (void)size, (void)sled;
	return false;
}

bool wcm__arch_sled_front_call(uint8_t *code, const struct wcm_sled_front *sled, uintptr_t at,
			       uintptr_t to)
{
	(void)code, (void)sled, (void)at, (void)to;
	return false;
}

bool wcm__arch_empty_function(const uint8_t *code, size_t size, size_t *at)
{
	(void)code, (void)size, (void)at;
	return false;
}

bool wcm__arch_jump(uint8_t *code, uintptr_t at, uintptr_t to)
{
	(void)code, (void)at, (void)to;
	return false;
}

uintptr_t wcm__arch_empty_entry_address(uintptr_t *pc)
{
	*pc = 0;
	return 0;
}

void wcm__arch_sled_prepare(wcm_sled_first *first, wcm_sled_return *returned, wcm_sled_hook *hook)
{
	(void)first, (void)returned, (void)hook;
}

bool wcm__arch_sled_stand_aside(wcm_sled_take *take, wcm_sled_give_back *give_back)
{
	(void)take, (void)give_back;
	return false;
}

void wcm__arch_sled_go_on(uintptr_t *frame, uintptr_t pc)
{
	(void)frame, (void)pc;
}

uintptr_t wcm__arch_sled_entry_address(void)
{
	return 0;
}

uintptr_t *wcm__arch_context_pc(void *ucontext)
{
	(void)ucontext;
	return NULL;
}

uintptr_t wcm__arch_restorer_address(void)
{
	return 0;
}
