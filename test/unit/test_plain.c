/* SPDX-License-Identifier: MIT */
/* test_plain.c - the quick reader of tables against the one that knows everything: of real
 * libraries, of programs made at random, and of damaged ones before the end of the memory. */

#include <stdlib.h>
#include <sys/mman.h>

#include "core/cfi/cfi.h"
#include "support/check.h"

static bool by_cfi(struct wcm_rule *rule, const struct wcm_unwind_table *table, uintptr_t pc)
{
	struct wcm_fde fde;
	struct wcm_row row;

	return wcm__fde_find(&fde, table, pc) && wcm__cfi_row(&row, &fde, pc) &&
	       wcm__cfi_compact(rule, &row, &fde);
}

static bool is_same(const struct wcm_rule *one, const struct wcm_rule *other)
{
	return one->base == other->base && one->cfa_off == other->cfa_off &&
	       one->ra_saved == other->ra_saved && one->ra_off == other->ra_off &&
	       one->fp_saved == other->fp_saved && one->fp_off == other->fp_off;
}

/* Whether there was an answer, which is the right one. */
static bool answers(const struct wcm_unwind_table *table, uintptr_t pc)
{
	struct wcm_rule plain, rule = { 0 };

	if (!wcm__plain_rule(&plain, table, pc))
		return false;
	CHECK(by_cfi(&rule, table, pc));
	if (plain.base == WCM_BASE_NONE)
		CHECK(rule.base == WCM_BASE_NONE);
	else
		CHECK(is_same(&plain, &rule));
	return true;
}

static void check_module_of(uintptr_t address)
{
	struct wcm_unwind_table table;
	bool permanent;
	size_t compact = 0, plain = 0;
	uint32_t count;

	CHECK(wcm__modules_find_unwind(&table, address, &permanent));
	CHECK(table.hdr != 0);
	table.held = true;
	memcpy(&count, (const char *)table.hdr + 8, sizeof(count));
	for (uint32_t i = 0; i < count; i++) {
		int32_t start;
		struct wcm_rule rule;

		memcpy(&start, (const char *)table.hdr + 12 + 8 * i, sizeof(start));
		for (unsigned offset = 0; offset < 64; offset++) {
			const uintptr_t pc = table.hdr + (uintptr_t)start + offset * 5;

			compact += by_cfi(&rule, &table, pc);
			plain += answers(&table, pc);
		}
	}
	CHECK(compact > 1000);
	CHECK(plain > compact - compact / 50);
}

TEST(most_of_libc_is_plain)
{
	check_module_of((uintptr_t)qsort);
}

TEST(most_of_this_program_is_plain)
{
	check_module_of((uintptr_t)check_module_of);
}

static uint32_t seed = 4711;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	return seed ^= seed << 5;
}

enum {
	PAGE = 4096, SIZE = 0x80 /* of the function */, CODE_AT = 0x10000,
	W = sizeof(uintptr_t), SP = WCM_COLUMN_SP, FP = WCM_COLUMN_FP, RA = WCM_COLUMN_RA,
};

static unsigned char *end; /* of the memory that can be read */

static void make_memory(void)
{
	unsigned char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	CHECK(mprotect(memory + PAGE, PAGE, PROT_NONE) == 0);
	end = memory + PAGE;
}

/* An instruction that compilers write, or, rarely, any byte. */
static size_t put_instruction(unsigned char *at)
{
	static const unsigned char columns[] = { 3, FP, FP, SP, RA - 4, RA, RA };
	const uint32_t what = next_random() % 1000;
	const unsigned char column = columns[next_random() % sizeof(columns)];
	const unsigned char small = next_random() % 24;

	at[1] = small;
	at[2] = next_random() % 8 ? small : (unsigned char)next_random();
	if (what < 300)
		return *at = (unsigned char)(0x40 | (small & 15)), 1;
	if (what < 500)
		return *at = 0x0e, 2;
	if (what < 750)
		return *at = (unsigned char)(0x80 | column), 2;
	if (what < 800)
		return *at = (unsigned char)(0xc0 | column), 1;
	if (what < 860)
		return *at = 0x0a, 1;
	if (what < 920)
		return *at = 0x0b, 1;
	if (what < 950)
		return *at = 0x0c, at[1] = column, 3;
	if (what < 970)
		return *at = 0x0d, at[1] = column, 2;
	if (what < 975)
		return *at = 0x07, at[1] = column, 2;
	if (what < 980)
		return *at = 0x02, 2;
	if (what < 985)
		return *at = 0x0e, at[1] = 0x80 | small, 3;
	return *at = (unsigned char)next_random(), 1 + next_random() % 3;
}

static unsigned char *put_u32(unsigned char *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

/* A header, a CIE and an FDE of a random program, up to the end. */
static void write_table(struct wcm_unwind_table *table, uintptr_t *code)
{
	static const unsigned char c_cie[] = { 1, 'z', 'R', 0, 1, 0x80 - W, RA, 1, 0x1b,
					       0x0c, SP, W, 0x80 | RA, 1, 0 },
				   cc_cie[] = { 1, 'z', 'P', 'L', 'R', 0, 1, 0x80 - W, RA,
						7, 0x9b, 0, 0, 0, 0, 0x1b, 0x1b,
						0x0c, SP, W, 0x80 | RA, 1, 0 };
	const bool is_cc = next_random() % 2;
	const unsigned char *cie = is_cc ? cc_cie : c_cie;
	const size_t cie_size = is_cc ? sizeof(cc_cie) : sizeof(c_cie); /* a nop the last */
	unsigned char program[64], *at, *start, *fde, *cie_at;
	size_t size = 0;

	while (size < 48)
		size += put_instruction(program + size);
	size -= next_random() % 48;
	start = end - (20 + 8 + cie_size + 8 + 8 + (is_cc ? 5 : 1) + size);
	start -= (uintptr_t)start % 4;
	*code = (uintptr_t)start + CODE_AT;
	cie_at = start + 20;
	at = put_u32(cie_at, (uint32_t)cie_size + 4);
	at = put_u32(at, 0);
	memcpy(at, cie, cie_size);
	fde = at + cie_size;
	at = put_u32(fde, (uint32_t)(end - fde) - 4);
	at = put_u32(at, (uint32_t)(fde + 4 - cie_at));
	at = put_u32(at, (uint32_t)(*code - (uintptr_t)at));
	at = put_u32(at, SIZE);
	*at++ = is_cc ? 4 : 0;
	if (is_cc)
		at = put_u32(at, 0);
	memset(at, 0, (size_t)(end - at));
	memcpy(end - size, program, size);
	at = put_u32(start, 0x3b031b01);
	at = put_u32(at, (uint32_t)(cie_at - at));
	at = put_u32(at, 1);
	at = put_u32(at, CODE_AT);
	put_u32(at, (uint32_t)(fde - start));
	*table = (struct wcm_unwind_table){ .hdr = (uintptr_t)start,
					    .lo = (uintptr_t)start,
					    .hi = (uintptr_t)end,
					    .held = true };
}

enum { PROGRAMS = 100000 };

static void damage(const struct wcm_unwind_table *table)
{
	enum { COUNT_AT = 8, FDE_AT = 16 };
	const size_t size = (size_t)(end - (unsigned char *)table->lo);
	const size_t at = next_random() % size;

	/* By a wrong count, or a start that wraps, two searches may come to two entries. */
	if (at < COUNT_AT || at >= FDE_AT)
		((unsigned char *)table->lo)[at] = (unsigned char)next_random();
}

/* How many of the programs have an answer, each with up to MOST damaged bytes. */
static size_t count_answers(unsigned most)
{
	struct wcm_unwind_table table;
	size_t plain = 0;
	uintptr_t code;

	make_memory();
	for (unsigned i = 0; i < PROGRAMS; i++) {
		write_table(&table, &code);
		for (unsigned bytes = most ? 1 + next_random() % most : 0; bytes > 0; bytes--)
			damage(&table);
		plain += answers(&table, code + next_random() % SIZE);
	}
	return plain;
}

TEST(any_program_has_the_same_rule)
{
	CHECK(count_answers(0) > PROGRAMS / 10);
}

TEST(a_damaged_table_has_the_same_rule_or_none)
{
	const size_t plain = count_answers(3);

	CHECK(plain > 0);
	CHECK(plain < PROGRAMS);
}

TEST(outside_of_the_function_there_is_none)
{
	struct wcm_unwind_table table;
	struct wcm_rule rule;
	uintptr_t code;

	make_memory();
	write_table(&table, &code);
	CHECK(!wcm__plain_rule(&rule, &table, code + SIZE));
	CHECK(!wcm__plain_rule(&rule, &table, code - 1));
}

RUN(most_of_libc_is_plain, most_of_this_program_is_plain, any_program_has_the_same_rule,
    a_damaged_table_has_the_same_rule_or_none, outside_of_the_function_there_is_none)
