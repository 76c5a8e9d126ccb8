/* SPDX-License-Identifier: MIT */
/* test_registered.c - tables made by hand, as run-times register them: what describes a pc, with
 * how many reads of the program's memory, in how many steps, and while tables come and go.
 *
 * Whatever registered.c does to what it shares is a step, after which a test may interrupt it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static size_t steps, reads;
static size_t interrupt_at; /* the step; 0: none */
static void (*interrupt)(void);

static void count_step(void)
{
	if (++steps == interrupt_at)
		interrupt();
}

#define COUNTED(value)                    \
	__extension__({                   \
		__auto_type done = value; \
		count_step();             \
		done;                     \
	})
#define __atomic_load_n(at, order) COUNTED((__atomic_load_n(at, order)))
#define __atomic_exchange_n(at, value, order) COUNTED((__atomic_exchange_n(at, value, order)))
#define __atomic_compare_exchange_n(at, from, to, weak, good, bad) \
	COUNTED((__atomic_compare_exchange_n(at, from, to, weak, good, bad)))

#include "core/unwind/registered.c"

#include <stdlib.h>
#include <string.h>

#include "core/cfi/cursor.h"
#include "core/modules/module_read.h"
#include "support/check.h"

enum {
	MANY = 2000, TABLES = 20000, LARGE = 100000, W = sizeof(uintptr_t),
	SIZE = 32, GAP = 32, /* of functions */
	CIE = 16, FDE = 8 + 2 * W, /* of entries */
	MOST_MADE = 16,
	FEW = 8, /* reads of one FDE and its CIE */
};

/* The memory that reads find. */
static struct wcm_span made[MOST_MADE];
static bool is_gone;

bool wcm__read_memory(uintptr_t addr, void *buf, size_t size)
{
	reads++;
	for (size_t i = 0; i < MOST_MADE && !is_gone; i++)
		if (wcm__span_holds(&made[i], addr, size)) {
			memcpy(buf, (const void *)addr, size);
			return true;
		}
	return false;
}

bool wcm__read_table(uintptr_t addr, void *buf, size_t size)
{
	return wcm__read_memory(addr, buf, size);
}

/* Where functions are: nothing is read there. */
static uintptr_t start_of(size_t function)
{
	return (uintptr_t)0x10000000 + function * (SIZE + GAP);
}

static size_t bytes_of(size_t count)
{
	return CIE + count * FDE + sizeof(uint32_t);
}

/* A table of COUNT functions in the order in which STEP, which has no divisor of COUNT, leads
 * through them. */
static unsigned char *fill(unsigned char *table, size_t first, size_t count, size_t step)
{
	static const unsigned char cie[CIE] = { CIE - 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x78, 16 };
	unsigned char *at = table + CIE;

	memcpy(table, cie, CIE);
	for (size_t i = 0; i < count; i++, at += FDE) {
		const uint32_t words[] = { FDE - 4, (uint32_t)(at + 4 - table) };
		const uintptr_t range[] = { start_of(first + i * step % count), SIZE };

		memcpy(at, words, sizeof(words));
		memcpy(at + sizeof(words), range, sizeof(range));
	}
	memset(at, 0, sizeof(uint32_t));
	return table;
}

static void *make_readable(size_t size)
{
	void *memory = calloc(1, size);
	size_t i = 0;

	CHECK(memory != NULL);
	while (made[i].hi != 0)
		CHECK(++i < MOST_MADE);
	made[i] = (struct wcm_span){ (uintptr_t)memory, (uintptr_t)memory + size };
	return memory;
}

static void unmake(void *memory)
{
	for (size_t i = 0; i < MOST_MADE; i++)
		if (made[i].lo == (uintptr_t)memory)
			made[i] = wcm__no_span;
	free(memory);
}

/* Readable as far as a cursor's window goes on behind it. */
static unsigned char *make(size_t first, size_t count, size_t step)
{
	return fill(make_readable(bytes_of(count) + WCM_CURSOR_WINDOW), first, count, step);
}

static void come(const void *table)
{
	wcm__registered_add((uintptr_t)table, false);
}

static void go(const void *table)
{
	wcm__registered_remove((uintptr_t)table);
}

static bool describes(uintptr_t pc)
{
	struct wcm_unwind_table table;
	struct wcm_fde fde;

	for (size_t slot = 0; wcm__registered_find(&table, pc, &slot);)
		if (wcm__fde_find(&fde, &table, pc)) {
			CHECK(pc >= fde.start && pc < fde.end);
			return true;
		}
	return false;
}

static bool has_function(size_t function)
{
	return describes(start_of(function) + SIZE / 2);
}

static void check_few_reads(size_t count)
{
	CHECK(has_function(0));
	for (size_t i = 0; i < count; i++) {
		reads = 0;
		CHECK(has_function(i));
		CHECK(reads <= FEW);
		reads = 0;
		CHECK(!describes(start_of(i) + SIZE));
		CHECK(reads <= FEW);
	}
}

TEST(a_function_is_found_with_few_reads)
{
	unsigned char *const sorted = make(0, MANY, 1), *const turned = make(0, MANY, MANY - 1),
			     *const mixed = make(0, MANY, 997);
	unsigned char *const tables[] = { sorted, turned, mixed };

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		come(tables[i]);
		check_few_reads(MANY);
		go(tables[i]);
		CHECK(!has_function(0));
		unmake(tables[i]);
	}
}

TEST(a_list_of_tables_likewise)
{
	unsigned char *const low = make(0, MANY, 1), *const high = make(MANY, MANY, 7);
	uintptr_t *const list = make_readable(3 * W);

	list[0] = (uintptr_t)high;
	list[1] = (uintptr_t)low;
	wcm__registered_add((uintptr_t)list, true);
	check_few_reads(MANY + MANY);
	go(list);
	CHECK(!has_function(0));
	unmake(low);
	unmake(high);
	unmake(list);
}

TEST(a_table_that_is_freed_or_written_over)
{
	unsigned char *const table = make(0, MANY, 1);
	const size_t size = bytes_of(MANY);

	come(table);
	CHECK(has_function(MANY / 2));
	is_gone = true;
	CHECK(!has_function(MANY / 2));
	is_gone = false;
	CHECK(has_function(MANY / 2));
	memset(table, 0, size);
	CHECK(!has_function(MANY / 2));
	fill(table, MANY, MANY, 1); /* other functions */
	CHECK(!has_function(MANY / 2));
	srand(1);
	for (size_t i = 0; i < size; i++)
		table[i] = (unsigned char)rand();
	for (size_t i = 0; i < MANY; i++)
		has_function(i);
	go(table);
	unmake(table);
}

/* More than the ring holds: what has been overwritten is made again. */
TEST(more_functions_than_are_indexed_at_a_time)
{
	enum { COUNT = RING / LARGE + 3 };
	unsigned char *table[COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		table[i] = make(i * LARGE, LARGE, 1);
		come(table[i]);
	}
	for (size_t round = 0; round < 3; round++)
		for (size_t i = 0; i < COUNT * LARGE; i += LARGE / 2 - 1)
			CHECK(has_function(i));
	check_few_reads(MANY);
	for (size_t i = 0; i < COUNT; i++) {
		go(table[i]);
		unmake(table[i]);
	}
}

/* Words that look like addresses of tables: nothing is read of them. */
static const void *table_number(size_t i)
{
	return (const void *)(WCM_PAGE + i * W);
}

static void come_all(size_t count)
{
	for (size_t i = 0; i < count; i++)
		come(table_number(i));
}

static void check_steps(size_t changes)
{
	CHECK(steps <= changes * 16);
	CHECK(!has_function(0));
	steps = 0;
}

/* STEP has no divisor of COUNT: every table goes once. */
static void go_all(size_t count, size_t step)
{
	for (size_t i = 0; i < count; i++)
		go(table_number(i * step % count));
}

TEST(tables_come_and_go_in_few_steps)
{
	static const size_t orders[] = { 1, TABLES - 1, 7919, TABLES / 2 - 1 };

	steps = 0;
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		come_all(TABLES);
		go_all(TABLES, orders[i]);
		check_steps(2 * TABLES);
	}
	/* One goes, another comes, while many stay. */
	come_all(TABLES);
	for (size_t round = 0; round < 3; round++)
		for (size_t i = 0; i < TABLES; i++) {
			const size_t other = i * 7919 % TABLES;

			go(table_number(round * TABLES + other));
			come(table_number((round + 1) * TABLES + other));
		}
	check_steps(7 * TABLES);
	for (size_t i = 0; i < TABLES; i++)
		go(table_number(3 * TABLES + i));
	check_steps(TABLES);
}

TEST(as_many_tables_as_there_are_slots)
{
	steps = 0;
	come_all(SLOTS);
	go_all(SLOTS, 7919);
	check_steps(2 * SLOTS);
}

TEST(all_slots_are_taken_and_are_free_again)
{
	unsigned char *const table = make(0, 1, 1);

	for (size_t round = 0; round < 3; round++) {
		come_all(SLOTS);
		steps = 0;
		for (size_t i = 0; i < MANY; i++)
			come(table);
		CHECK(steps <= MANY * 32);
		CHECK(!has_function(0));
		go(table_number(SLOTS / 2 + round));
		come(table);
		CHECK(has_function(0));
		for (size_t i = 0; i < SLOTS; i++)
			go(table_number(i));
		go(table);
		CHECK(!has_function(0));
	}
	unmake(table);
}

/* Tables of 8 functions; STAYING is registered all the while. */
static unsigned char *staying, *old, *new;

static void make_three(void)
{
	staying = make(0, 8, 1);
	old = make(8, 8, 1);
	new = make(16, 8, 1);
	come(staying);
}

static void free_three(void)
{
	go(staying);
	CHECK(!has_function(0) && !has_function(8) && !has_function(16));
	unmake(staying);
	unmake(old);
	unmake(new);
}

/* WORK, interrupted by WHAT behind its step AT.  False: it has no such step. */
static bool interrupted(void (*work)(void), void (*what)(void), size_t at)
{
	interrupt = what;
	steps = 0;
	interrupt_at = at;
	work();
	interrupt_at = 0;
	return steps >= at;
}

static void change(void)
{
	go(old);
	come(new);
}

static void walk(void)
{
	CHECK(has_function(0));
	has_function(8);
	has_function(16);
}

/* Another thread gives a table's slot to another table: that one is found ever after. */
TEST(a_slot_changes_under_a_walk)
{
	bool is_done = false;

	make_three();
	for (size_t at = 1; !is_done; at++) {
		come(old);
		is_done = !interrupted(walk, change, at);
		if (is_done)
			change();
		CHECK(has_function(16) && has_function(23));
		CHECK(!has_function(8));
		go(new);
	}
	free_three();
}

/* As a handler does, or another thread. */
TEST(a_walk_while_a_slot_changes)
{
	bool is_done = false;

	make_three();
	for (size_t at = 1; !is_done; at++) {
		come(old);
		is_done = !interrupted(change, walk, at);
		CHECK(has_function(16));
		CHECK(!has_function(8));
		go(new);
	}
	free_three();
}

static unsigned char *other[4];

static void change_others(void)
{
	come(other[0]);
	come(other[1]);
	go(other[0]);
}

/* Two threads change slots, the same ones first: no slot gets two tables. */
TEST(slots_change_while_a_slot_changes)
{
	bool is_done = false;

	make_three();
	for (size_t i = 0; i < 4; i++)
		other[i] = make(24 + 8 * i, 8, 1);
	for (size_t at = 1; !is_done; at++) {
		for (size_t i = 0; i < 4; i++)
			come(other[i]);
		for (size_t i = 0; i < 4; i++)
			go(other[i]);
		come(old);
		is_done = !interrupted(change, change_others, at);
		if (is_done)
			change_others();
		come(other[2]);
		come(other[3]);
		for (size_t i = 0; i < 7; i++)
			CHECK(has_function(8 * i) == (i != 1 && i != 3));
		for (size_t i = 1; i < 4; i++)
			go(other[i]);
		go(new);
	}
	for (size_t i = 0; i < 4; i++)
		unmake(other[i]);
	free_three();
}

/* Each look-up goes through all slots that were ever used: those tests come last. */
RUN(a_function_is_found_with_few_reads, a_list_of_tables_likewise,
    a_table_that_is_freed_or_written_over, a_slot_changes_under_a_walk,
    a_walk_while_a_slot_changes, slots_change_while_a_slot_changes,
    more_functions_than_are_indexed_at_a_time,
    tables_come_and_go_in_few_steps, as_many_tables_as_there_are_slots,
    all_slots_are_taken_and_are_free_again)
