/* SPDX-License-Identifier: MIT */
/* test_function_table.c - look-ups in tables made by hand, and at random. */
#include "core/symbols/function_table.h"

#include <stdlib.h>

#include "support/check.h"

static const char names[] = "a\0bb\0ccc";
enum { A = 0, BB = 2, CCC = 5 };

/* The flags of A, BB and CCC. */
static const uint8_t flags_of[] = { [A] = 1, [BB] = 2, [CCC] = 0 };

enum { MOST = 300, MOST_BUCKETS = 4096 };

/* What an entry holds beside its start. */
struct sized_name {
	uint32_t size, name;
};

/* The directory of TABLE, whose buckets are 1 << SHIFT wide and reach to the
 * last start. */
static void add_directory(struct wcm_function_table *table, uint32_t *bucket,
			  uint32_t shift)
{
	uint32_t last = table->entry[table->count - 1].start >> shift;
	uint32_t buckets = last + 1;

	for (uint32_t b = 0; b < buckets; b++) {
		bucket[b] = 0;
		for (uint32_t i = 0; i < table->count; i++)
			bucket[b] += table->entry[i].start >> shift < b;
	}
	bucket[buckets] = table->count;
	table->bucket = bucket;
	table->buckets = buckets;
	table->shift = shift;
}

/* Check that both answers say the same. */
static void check_same(bool known, const struct wcm_found_function *found,
		       bool again, const struct wcm_found_function *repeated)
{
	CHECK_EQ(again, known);
	if (!known)
		return;
	CHECK(repeated->name == found->name);
	CHECK_EQ(repeated->start, found->start);
	CHECK_EQ(repeated->size, found->size);
}

/* Look OFFSET up without a directory; one of any width changes nothing. */
static bool find(const uint32_t *start, const struct sized_name *sized,
		 uint32_t count, uint32_t offset,
		 struct wcm_found_function *found)
{
	static const uint32_t shifts[] = { 0, 3, 6, 9, 31 };
	struct wcm_function_entry entry[MOST];
	uint8_t flags[MOST];
	struct wcm_function_table table = { .entry = entry,
					    .flags = flags,
					    .names = names,
					    .names_size = sizeof(names),
					    .count = count };
	bool known;

	for (uint32_t i = 0; i < count; i++) {
		entry[i] = (struct wcm_function_entry){ start[i],
							sized[i].size,
							sized[i].name };
		flags[i] = flags_of[sized[i].name];
	}
	known = wcm__function_table_find(&table, offset, found);
	for (size_t i = 0; count && i < sizeof(shifts) / sizeof(*shifts); i++) {
		struct wcm_found_function repeated;
		uint32_t bucket[MOST_BUCKETS + 1];
		bool again;

		if (start[count - 1] >> shifts[i] >= MOST_BUCKETS)
			continue;
		add_directory(&table, bucket, shifts[i]);
		again = wcm__function_table_find(&table, offset, &repeated);
		check_same(known, found, again, &repeated);
	}
	return known;
}

TEST(empty)
{
	struct wcm_found_function found;

	CHECK(!find(NULL, NULL, 0, 0, &found));
	CHECK(!find(NULL, NULL, 0, UINT32_MAX, &found));
}

TEST(single)
{
	const uint32_t start[] = { 100 };
	const struct sized_name entry[] = { { 10, A } };
	struct wcm_found_function found;

	CHECK(!find(start, entry, 1, 0, &found));
	CHECK(!find(start, entry, 1, 99, &found));
	CHECK(find(start, entry, 1, 100, &found));
	CHECK_STR(found.name, "a");
	CHECK_EQ(found.start, 100);
	CHECK_EQ(found.size, 10);
	CHECK_EQ(found.flags, 1);
	CHECK(find(start, entry, 1, 109, &found));
	CHECK(!find(start, entry, 1, 110, &found));
	CHECK(!find(start, entry, 1, UINT32_MAX, &found));
}

TEST(gaps_are_nobodys)
{
	const uint32_t start[] = { 0, 16, 40 };
	const struct sized_name entry[] = { { 16, A }, { 8, BB },
						    { 1, CCC } };
	struct wcm_found_function found;

	CHECK(find(start, entry, 3, 15, &found));
	CHECK_STR(found.name, "a");
	CHECK(find(start, entry, 3, 16, &found));
	CHECK_STR(found.name, "bb");
	CHECK_EQ(found.flags, 2);
	CHECK(!find(start, entry, 3, 24, &found));
	CHECK(!find(start, entry, 3, 39, &found));
	CHECK(find(start, entry, 3, 40, &found));
	CHECK_STR(found.name, "ccc");
	CHECK(!find(start, entry, 3, 41, &found));
}

TEST(what_follows_an_inner_range_is_the_outer)
{
	const uint32_t start[] = { 100, 120, 130 };
	const struct sized_name entry[] = {
		{ 100, A }, { 10, BB }, { WCM_ENTRY_PART_OF | 0, A }
	};
	struct wcm_found_function found;

	CHECK(find(start, entry, 3, 129, &found));
	CHECK_STR(found.name, "bb");
	CHECK(find(start, entry, 3, 130, &found));
	CHECK_STR(found.name, "a");
	CHECK_EQ(found.start, 100);
	CHECK_EQ(found.size, 100);
	CHECK(find(start, entry, 3, 199, &found));
	CHECK(!find(start, entry, 3, 200, &found));
}

TEST(reaches_the_last_offset_there_is)
{
	const uint32_t start[] = { 0, UINT32_MAX };
	const struct sized_name entry[] = { { 1, A }, { 1, BB } };
	struct wcm_found_function found;

	CHECK(find(start, entry, 2, UINT32_MAX, &found));
	CHECK_STR(found.name, "bb");
	CHECK(!find(start, entry, 2, UINT32_MAX - 1, &found));
}

enum { TABLES = 100, LOOKUPS = 30 };

/* The same question, answered by looking at everything. */
static const struct sized_name *
find_slowly(const uint32_t *start, const struct sized_name *entry,
	    uint32_t count, uint32_t offset)
{
	for (uint32_t i = 0; i < count; i++)
		if (offset >= start[i] && offset - start[i] < entry[i].size)
			return &entry[i];
	return NULL;
}

static void check_random_table(uint32_t count)
{
	uint32_t start[MOST], at = (uint32_t)rand() % 50;
	struct sized_name entry[MOST];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t size = 1 + (uint32_t)rand() % 20;

		start[i] = at;
		entry[i] = (struct sized_name){ size, A };
		at += size + (rand() % 2 ? (uint32_t)rand() % 10 : 0);
	}
	for (int i = 0; i < LOOKUPS; i++) {
		uint32_t offset = (uint32_t)rand() % (at + 10);
		const struct sized_name *expected =
			find_slowly(start, entry, count, offset);
		struct wcm_found_function found;

		CHECK_EQ(find(start, entry, count, offset, &found),
			 expected != NULL);
		if (expected)
			CHECK_EQ(found.start, start[expected - entry]);
	}
}

TEST(agrees_with_a_linear_search)
{
	srand(20240229);
	for (uint32_t i = 0; i < TABLES; i++)
		check_random_table(i < MOST ? i : (uint32_t)rand() % MOST);
}

RUN(empty, single, gaps_are_nobodys, what_follows_an_inner_range_is_the_outer,
    reaches_the_last_offset_there_is, agrees_with_a_linear_search)
