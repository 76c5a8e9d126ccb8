/* SPDX-License-Identifier: MIT */
/* generic/passed.c (SAFE) - a CPU of which it is not known where functions find what they are
 * given. */
#include "core/arch/arch.h"

struct wcm_passed wcm__arch_passed_arguments(const uintptr_t *frame, uintptr_t cfa,
					     wcm_reader *read)
{
	return (struct wcm_passed){ .frame = frame, .stack = cfa, .read = read };
}

struct wcm_passed wcm__arch_passed_results(const uintptr_t *frame)
{
	return (struct wcm_passed){ .frame = frame };
}

bool wcm__arch_passed_words(struct wcm_passed *passed, const bool *is_floating, unsigned count,
			    size_t alignment, uint64_t *word)
{
	(void)passed, (void)is_floating, (void)count, (void)alignment, (void)word;
	return false;
}

bool wcm__arch_passed_extended(uint64_t word[2])
{
	(void)word;
	return false;
}

bool wcm__arch_passed_memory(struct wcm_passed *passed, void *bytes, size_t size,
			     size_t alignment)
{
	(void)passed, (void)bytes, (void)size, (void)alignment;
	return false;
}

bool wcm__arch_passed_hidden(struct wcm_passed *passed, uintptr_t *at)
{
	(void)passed, (void)at;
	return false;
}

int wcm__arch_passed_place(bool is_result, unsigned number)
{
	(void)is_result, (void)number;
	return 0;
}

void wcm__arch_passed_prepare(wcm_sled_given *first, wcm_sled_given_back *returned)
{
	(void)first, (void)returned;
}
