/* SPDX-License-Identifier: MIT */
/* riscv64/atomic.c (SAFE) - what some compilers call for bytes that are exchanged at once.
 *
 * The instructions for it have words.  gcc before 13 asks libatomic for bytes.  These have
 * libatomic's names, are seen in this library alone, and exchange the word that the byte is in.
 */
#include <stdbool.h>
#include <stdint.h>

#define ATOMIC(name) __asm__("__atomic_" name "_1") __attribute__((weak, visibility("hidden")))

uint8_t wcm__exchange_1(volatile void *at, uint8_t value, int order) ATOMIC("exchange");
bool wcm__compare_exchange_1(volatile void *at, void *expected, uint8_t value, int success,
			     int failure) ATOMIC("compare_exchange");

/* The word that the byte at AT is in, and where in that it is. */
static uint32_t *word_of(volatile void *at, unsigned *shift)
{
	const uintptr_t address = (uintptr_t)at;

	*shift = address % sizeof(uint32_t) * 8;
	return (uint32_t *)(address - address % sizeof(uint32_t));
}

static uint32_t with(uint32_t word, unsigned shift, uint8_t value)
{
	return (word & ~(UINT32_C(0xff) << shift)) | (uint32_t)value << shift;
}

/* Make the byte VALUE if it is *SEEN, which becomes what it was. */
static bool exchange(volatile void *at, uint8_t *seen, uint8_t value)
{
	unsigned shift;
	uint32_t *const word = word_of(at, &shift);
	uint32_t now = __atomic_load_n(word, __ATOMIC_RELAXED);

	while ((uint8_t)(now >> shift) == *seen)
		if (__atomic_compare_exchange_n(word, &now, with(now, shift, value), false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return true;
	*seen = (uint8_t)(now >> shift);
	return false;
}

uint8_t wcm__exchange_1(volatile void *at, uint8_t value, int order)
{
	uint8_t seen = *(volatile uint8_t *)at;

	(void)order;
	while (!exchange(at, &seen, value))
		;
	return seen;
}

bool wcm__compare_exchange_1(volatile void *at, void *expected, uint8_t value, int success,
			     int failure)
{
	(void)success, (void)failure;
	return exchange(at, expected, value);
}
