/* SPDX-License-Identifier: MIT */
/* test_module_id.c - a module is known again, and what is remembered of its code with it.
 *
 * The dynamic linker is a fake: its only module is a page of the test's own.
 */
#include "core/modules/module_id.h"

#include <pthread.h>
#include <string.h>

#include "core/modules/linked.h"
#include "core/modules/modules.h"
#include "core/symbols/address_cache.h"
#include "support/check.h"

enum { SIZE = 4096, ID_AT = 600, ID_SIZE = 20, START = 1024, BITS = 4, THREADS = 4,
       PIECE = 16 * 1024, WORD = sizeof(uint64_t) };

static _Alignas(SIZE) unsigned char page[SIZE];
static size_t id_at = ID_AT;
static uint32_t id_size;  /* 0: it has no build-id */
static bool is_placed = true, is_permanent;
static struct wcm_known_module known;

#define CODE ((uintptr_t)page + 2000)

bool wcm__linked_find_bounds(uintptr_t address, uintptr_t *lo, uintptr_t *hi)
{
	*lo = (uintptr_t)page;
	*hi = *lo + SIZE;
	return is_placed && address - *lo < SIZE;
}

bool wcm__linked_find(struct wcm_module *module, uintptr_t address)
{
	(void)address;
	*module = (struct wcm_module){ .lo = (uintptr_t)page, .build_id = page + id_at,
				       .build_id_size = id_size };
	return true;
}

const struct wcm_known_module *wcm__modules_find_permanent(uintptr_t address)
{
	known.map.lo = (uintptr_t)page;
	known.map.hi = known.map.lo + SIZE - 1; /* another place: the first stays for good */
	return is_permanent && address < known.map.hi ? &known : NULL;
}

/* Another module has come, whose page begins with BUILD. */
static void load(unsigned char build, uint32_t build_id_size)
{
	memset(page, build, sizeof(page));
	id_size = build_id_size;
	is_placed = true;
	is_permanent = false;
}

/* Whether ID holds still with one byte at OFFSET changed. */
static bool holds_without(const struct wcm_module_id *id, size_t offset)
{
	bool holds;

	page[offset] ^= 1;
	holds = wcm__module_id_holds(id, CODE);
	page[offset] ^= 1;
	return holds;
}

TEST(a_build_id_and_the_header_tell)
{
	const struct wcm_module_id *id;

	load(1, ID_SIZE);
	id = wcm__module_id(CODE);
	CHECK(id && id->number != 0);
	CHECK(wcm__module_id_holds(id, CODE));
	CHECK(!wcm__module_id_holds(id, (uintptr_t)page + SIZE));
	CHECK(!holds_without(id, 0) && !holds_without(id, 63));
	CHECK(!holds_without(id, ID_AT) && !holds_without(id, ID_AT + ID_SIZE - 1));
	CHECK(holds_without(id, 64) && holds_without(id, START));
	is_placed = false;
	CHECK(!wcm__module_id_holds(id, CODE));
}

TEST(without_one_its_first_bytes_tell)
{
	static const uint32_t sizes[] = { 0, 4 }; /* none, and one that a person has chosen */

	for (size_t i = 0; i < 2; i++) {
		const struct wcm_module_id *id;

		load((unsigned char)(2 + i), sizes[i]);
		id = wcm__module_id(CODE);
		CHECK(id && wcm__module_id_holds(id, CODE));
		for (size_t at = 0; at < START; at++)
			CHECK(!holds_without(id, at));
		CHECK(holds_without(id, START));
	}
}

TEST(one_that_leaves_its_first_page_does_not_tell)
{
	const struct wcm_module_id *id;

	load(9, ID_SIZE);
	id_at = SIZE - ID_SIZE / 2;
	id = wcm__module_id(CODE);
	CHECK(id && !holds_without(id, START - 1) && holds_without(id, SIZE - 1));
	id_at = ID_AT;
}

static size_t size_of(const struct wcm_module_id *id)
{
	return sizeof(*id) + id->count * WORD;
}

/* Ids are taken from pieces.  One that needs a word more than is left of a piece begins
 * another. */
TEST(an_id_stays_within_its_piece_of_memory)
{
	uintptr_t piece = 0, end = 0;

	for (int i = 0; i < 4000; i++) {
		const struct wcm_module_id *id;
		const size_t left = piece ? piece + PIECE - end : 0;
		const size_t words =
			left > sizeof(*id) ? (left - sizeof(*id)) / WORD + 1 : 0;

		load(0xfe, words > 0 && words < 60 ? (uint32_t)(words * WORD) : 2 * ID_SIZE);
		memcpy(page, &i, sizeof(i));
		id = wcm__module_id(CODE);
		CHECK(id != NULL);
		if ((uintptr_t)id != end)
			piece = (uintptr_t)id & -(uintptr_t)SIZE;
		end = (uintptr_t)id + size_of(id);
		CHECK(end - piece <= PIECE);
	}
}

TEST(one_that_comes_back_is_itself)
{
	const struct wcm_module_id *first, *second;

	load(4, ID_SIZE);
	first = wcm__module_id(CODE);
	load(5, ID_SIZE);
	second = wcm__module_id(CODE);
	CHECK(first != second && first->number != second->number);
	CHECK(!wcm__module_id_holds(first, CODE) && wcm__module_id_holds(second, CODE));
	load(4, ID_SIZE);
	CHECK(wcm__module_id(CODE) == first && wcm__module_id_holds(first, CODE));
}

TEST(one_that_stays_is_not_looked_at)
{
	const struct wcm_module_id *id;

	load(6, 0);
	is_placed = false;
	CHECK(wcm__module_id(CODE) == NULL);
	is_permanent = true;
	id = wcm__module_id(CODE);
	CHECK(id && id->number == 0 && wcm__module_id(CODE + 1) == id);
	CHECK(holds_without(id, 0));
}

static const struct wcm_module_id *ask(void)
{
	return wcm__module_id(CODE);
}

static void *ask_in_thread(void *answer)
{
	*(const struct wcm_module_id **)answer = ask();
	return NULL;
}

TEST(threads_give_a_module_one_id)
{
	for (unsigned char build = 0; build < 200; build++) {
		const struct wcm_module_id *answer[THREADS];
		pthread_t thread[THREADS];

		load(build, 0);
		page[SIZE - 1] = 1;
		page[1] = 0xff; /* none of the others' */
		for (int i = 0; i < THREADS; i++)
			CHECK_EQ(pthread_create(&thread[i], NULL, ask_in_thread,
						&answer[i]), 0);
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		for (int i = 0; i < THREADS; i++)
			CHECK(answer[i] && answer[i] == answer[0]);
	}
}

static struct wcm_address_entry entries[1 << BITS];
static const struct wcm_address_cache cache = { entries, BITS };

/* What is remembered; VALUE is, if there was none. */
static uint32_t remember(uintptr_t address, uint32_t value)
{
	struct wcm_address_slot slot;
	const uint32_t found = wcm__address_cache_find(&cache, address, &slot);

	if (found == 0 && slot.entry)
		wcm__address_cache_put(&slot, value);
	return found;
}

static void forget(void)
{
	memset(entries, 0, sizeof(entries));
}

TEST(a_value_goes_and_comes_with_its_module)
{
	forget();
	load(7, ID_SIZE);
	CHECK_EQ(remember(CODE, 70), 0);
	CHECK_EQ(remember(CODE, 71), 70);
	CHECK_EQ(remember(CODE + 1, 72), 0);
	load(8, ID_SIZE);
	CHECK_EQ(remember(CODE, 80), 0);
	CHECK_EQ(remember(CODE, 81), 80);
	load(7, ID_SIZE);
	CHECK_EQ(remember(CODE, 73), 70);
	CHECK_EQ(remember(CODE + 1, 74), 72);
}

TEST(a_value_can_be_another)
{
	struct wcm_address_slot slot;

	forget();
	load(7, ID_SIZE);
	CHECK_EQ(remember(CODE, 70), 0);
	CHECK_EQ(wcm__address_cache_find(&cache, CODE, &slot), 70);
	wcm__address_cache_put(&slot, 75);
	CHECK_EQ(remember(CODE, 71), 75);
}

TEST(what_no_module_has_is_not_remembered)
{
	forget();
	load(9, ID_SIZE);
	is_placed = false;
	CHECK_EQ(remember(CODE, 90), 0);
	CHECK_EQ(remember(CODE, 91), 0);
	for (int i = 0; i < 1 << BITS; i++)
		CHECK_EQ(entries[i].address, 0);
	is_permanent = true;
	CHECK_EQ(remember(CODE, 92), 0);
	is_permanent = false; /* nobody is asked any more */
	CHECK_EQ(remember(CODE, 93), 92);
}

/* More modules than an address has entries: the last one's value is there. */
TEST(a_full_cache_forgets_and_never_mixes_up)
{
	forget();
	for (unsigned char build = 10; build < 60; build++) {
		load(build, ID_SIZE);
		CHECK_EQ(remember(CODE, build), 0);
		CHECK_EQ(remember(CODE, 1), build);
	}
	forget();
	load(60, ID_SIZE);
	for (uint32_t i = 1; i < 1000; i++) {
		remember(CODE + i, i);
		for (uint32_t j = 1; j <= i; j += 7) {
			const uint32_t found = remember(CODE + j, j);

			CHECK(found == 0 || found == j);
		}
	}
}

RUN(a_build_id_and_the_header_tell, without_one_its_first_bytes_tell,
    one_that_leaves_its_first_page_does_not_tell,
    an_id_stays_within_its_piece_of_memory, one_that_comes_back_is_itself,
    one_that_stays_is_not_looked_at,
    threads_give_a_module_one_id, a_value_goes_and_comes_with_its_module,
    a_value_can_be_another, what_no_module_has_is_not_remembered,
    a_full_cache_forgets_and_never_mixes_up)
