/* SPDX-License-Identifier: MIT */
/* test_value_moves.c - values of calls as data of a recording, by moves. */
#include "core/arch/arch.h"
#include "support/check.h"
#include "trace/values/value_data.h"

enum { WORDS = 64, MIDDLE = 32, LONGEST = 60 };

static uintptr_t words[WORDS];
static uint64_t vectors[WCM_PASSED_VECTORS];
static char text[256];
static struct wcm_span constants[WCM_MOVES_SPANS];
static uint64_t data[WORDS];

static void give(unsigned number, uint64_t word)
{
	words[MIDDLE + wcm__arch_passed_place(false, number)] = (uintptr_t)word;
}

static int run(const char *codes, bool is_result)
{
	const struct wcm_value_source source = { words + MIDDLE, vectors, constants };
	struct wcm_value_moves moves;

	memset(data, 0xee, sizeof(data));
	wcm__value_moves_make(&moves, codes, is_result);
	return moves.does ? wcm__value_moves_run(&moves, &source, data) : -2;
}

static void begin(void)
{
	constants[0] = (struct wcm_span){ (uintptr_t)text, (uintptr_t)(text + sizeof(text)) };
	constants[1] = wcm__no_span;
	memset(text, 0, sizeof(text));
	if (!WCM_PASSED_IS_KNOWN)
		SKIP("this CPU's are not known");
}

/* Each begins at a multiple of 4, and what is above its size is zero. */
TEST(takes_numbers_by_their_size)
{
	static const unsigned char bytes[] = {
		0x88, 0, 0, 0, 0x77, 0x88, 0, 0, 0x55, 0x66, 0x77, 0x88,
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0, 0x20, 0x40,
		0, 0, 0, 0, 0, 0, 0x04, 0x40, 0xff, 0, 0, 0,
	};

	begin();
	give(0, 0x1122334455667788);
	give(1, 0x1122334455668877);
	give(2, 0x1122334488776655);
	give(3, 0x1122334455667788);
	give(4, 0x11223344556677ff);
	vectors[0] = 0xabcdef0140200000;
	vectors[1] = 0x4004000000000000;
	CHECK_EQ(run("vchIlfda", false), 5);
	assert_memory_equal(data, bytes, sizeof(bytes));
	CHECK_EQ(data[4] >> 32, 0);
}

/* Of any length, at any place in its module: length, bytes, zeros. */
TEST(takes_strings_as_they_lie)
{
	unsigned char expected[LONGEST];

	begin();
	for (size_t length = 0; length < 40; length++)
		for (size_t at = 0; at < 8; at++) {
			const size_t shown = length > 32 ? 35 : length;

			memset(text, 'x', sizeof(text));
			memset(text + at, 'a', length);
			text[at + length] = '\0';
			memset(expected, 0, sizeof(expected));
			expected[0] = (unsigned char)shown;
			memset(expected + 2, 'a', length > 32 ? 32 : length);
			if (length > 32)
				memcpy(expected + 34, "...", 3);
			give(0, (uintptr_t)(text + at));
			CHECK_EQ(run("vs", false), (2 + shown + 7) / 8);
			assert_memory_equal(data, expected, (2 + shown + 7) / 8 * 8);
		}
}

TEST(takes_null_for_a_string_of_its_own)
{
	begin();
	give(0, 0);
	give(1, 7);
	CHECK_EQ(run("vsi", false), 2);
	CHECK_EQ(data[0], 0xffffffff0004);
	CHECK_EQ(data[1], 7);
}

TEST(leaves_strings_that_may_be_nowhere)
{
	begin();
	give(0, (uintptr_t)(text + sizeof(text) - 16));
	CHECK_EQ(run("vs", false), -1);
	give(0, 16);
	CHECK_EQ(run("vs", false), -1);
}

TEST(leaves_what_is_in_no_register_of_its_own)
{
	begin();
	CHECK_EQ(run("vlllllll", false), -2);
	CHECK_EQ(run("vddddddddd", false), -2);
	CHECK_EQ(run("ve", false), -2);
	CHECK_EQ(run("v{ll}", false), -2);
	CHECK_EQ(run("vE0i", false), -2);
	CHECK_EQ(run("e", true), -2);
}

TEST(takes_results)
{
	begin();
	words[MIDDLE + wcm__arch_passed_place(true, 0)] = (uintptr_t)UINT64_C(0x1122334455667788);
	vectors[0] = 0x4004000000000000;
	CHECK_EQ(run("vl", true), 0);
	CHECK_EQ(run("il", true), 1);
	CHECK_EQ(data[0], 0x55667788);
	CHECK_EQ(run("d", true), 1);
	CHECK_EQ(data[0], 0x4004000000000000);
}

RUN(takes_numbers_by_their_size, takes_strings_as_they_lie, takes_null_for_a_string_of_its_own,
    leaves_strings_that_may_be_nowhere, leaves_what_is_in_no_register_of_its_own, takes_results)
