/* SPDX-License-Identifier: MIT */
/* i386/atomic.c (SAFE) - what the compiler calls for words of 64 bits that are read and written
 * at once.
 *
 * With general registers alone there is one instruction for it, cmpxchg8b, for which it asks
 * libatomic.  These have libatomic's names and are seen in this library alone.  A word that is
 * loaded is written, too, with what it has: it is not in memory that cannot be written.
 */
#include <stdbool.h>
#include <stdint.h>

#define ATOMIC(name) __asm__("__atomic_" name "_8") __attribute__((weak, visibility("hidden")))

uint64_t wcm__load_8(const volatile void *at, int order) ATOMIC("load");
void wcm__store_8(volatile void *at, uint64_t value, int order) ATOMIC("store");
uint64_t wcm__exchange_8(volatile void *at, uint64_t value, int order) ATOMIC("exchange");
bool wcm__compare_exchange_8(volatile void *at, void *expected, uint64_t value, int success,
			     int failure) ATOMIC("compare_exchange");
uint64_t wcm__fetch_add_8(volatile void *at, uint64_t value, int order) ATOMIC("fetch_add");
uint64_t wcm__fetch_sub_8(volatile void *at, uint64_t value, int order) ATOMIC("fetch_sub");
uint64_t wcm__fetch_or_8(volatile void *at, uint64_t value, int order) ATOMIC("fetch_or");
uint64_t wcm__fetch_and_8(volatile void *at, uint64_t value, int order) ATOMIC("fetch_and");

/* Make the word at AT VALUE if it is *SEEN, which becomes what it was. */
static inline bool exchange(volatile void *at, uint64_t *seen, uint64_t value)
{
	bool done;

	__asm__ volatile("lock cmpxchg8b %[word]"
			 : "=@ccz"(done), [word] "+m"(*(volatile uint64_t *)at), "+A"(*seen)
			 : "b"((uint32_t)value), "c"((uint32_t)(value >> 32))
			 : "memory");
	return done;
}

uint64_t wcm__load_8(const volatile void *at, int order)
{
	uint64_t seen = 0;

	(void)order;
	exchange((volatile void *)(uintptr_t)at, &seen, seen);
	return seen;
}

uint64_t wcm__exchange_8(volatile void *at, uint64_t value, int order)
{
	uint64_t seen = *(volatile uint64_t *)at;

	(void)order;
	while (!exchange(at, &seen, value))
		;
	return seen;
}

void wcm__store_8(volatile void *at, uint64_t value, int order)
{
	wcm__exchange_8(at, value, order);
}

bool wcm__compare_exchange_8(volatile void *at, void *expected, uint64_t value, int success,
			     int failure)
{
	(void)success, (void)failure;
	return exchange(at, expected, value);
}

uint64_t wcm__fetch_add_8(volatile void *at, uint64_t value, int order)
{
	uint64_t seen = *(volatile uint64_t *)at;

	(void)order;
	while (!exchange(at, &seen, seen + value))
		;
	return seen;
}

uint64_t wcm__fetch_sub_8(volatile void *at, uint64_t value, int order)
{
	return wcm__fetch_add_8(at, -value, order);
}

uint64_t wcm__fetch_or_8(volatile void *at, uint64_t value, int order)
{
	uint64_t seen = *(volatile uint64_t *)at;

	(void)order;
	while (!exchange(at, &seen, seen | value))
		;
	return seen;
}

uint64_t wcm__fetch_and_8(volatile void *at, uint64_t value, int order)
{
	uint64_t seen = *(volatile uint64_t *)at;

	(void)order;
	while (!exchange(at, &seen, seen & value))
		;
	return seen;
}
