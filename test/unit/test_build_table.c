/* SPDX-License-Identifier: MIT */
/* test_build_table.c - from raw symbols to a table: which name, how far. */
#include "load/objects/build_table.h"

#include <stdlib.h>

#include "support/check.h"
#include "whocallme/symbol.h"

/* Symbols in heap memory, as the sort wants them. */
static struct wcm_raw_symbols raw(const struct wcm_raw_symbol *symbol,
				  size_t count)
{
	struct wcm_raw_symbols symbols = { .count = count, .room = count };

	symbols.symbol = malloc((count + 1) * sizeof(*symbol));
	CHECK(symbols.symbol != NULL);
	memcpy(symbols.symbol, symbol, count * sizeof(*symbol));
	return symbols;
}

/* Check that no two entries start at one offset. */
static void check_ascending(const struct wcm_function_table *table)
{
	for (uint32_t i = 1; i < table->count; i++)
		CHECK(table->entry[i - 1].start < table->entry[i].start);
}

static struct wcm_function_table *build(const struct wcm_raw_symbol *symbol,
					size_t count)
{
	struct wcm_raw_symbols symbols = raw(symbol, count);
	struct wcm_function_table *table;

	CHECK(wcm__sort_symbols(&symbols));
	table = wcm__build_table(&symbols);
	CHECK(table != NULL);
	check_ascending(table);
	free(symbols.symbol);
	return table;
}

#define BUILD(...)                                                    \
	build((const struct wcm_raw_symbol[]){ __VA_ARGS__ },         \
	      sizeof((const struct wcm_raw_symbol[]){ __VA_ARGS__ }) / \
		      sizeof(struct wcm_raw_symbol))

/* Check that OFFSET belongs to NAME, at its byte START of SIZE; to nobody where
 * NAME is NULL. */
static void check_at(const struct wcm_function_table *table, uint32_t offset,
		     const char *name, uint32_t start, uint32_t size)
{
	struct wcm_found_function found;
	bool known = wcm__function_table_find(table, offset, &found);

	CHECK_EQ(known, name != NULL);
	if (!name)
		return;
	CHECK_STR(found.name, name);
	CHECK_EQ(found.start, start);
	CHECK_EQ(found.size, size);
}

TEST(nothing_makes_an_empty_table)
{
	struct wcm_raw_symbols none = { 0 };
	struct wcm_function_table *table;

	CHECK(wcm__sort_symbols(&none));
	table = wcm__build_table(&none);
	CHECK(table != NULL);
	CHECK_EQ(table->count, 0);
	check_at(table, 0, NULL, 0, 0);
	free(table);
}

/* Ascending: the first is the best name of an offset. */
static const struct wcm_raw_symbol aliases[] = {
	{ .name = "global_sized", .size = 8, .rank = 0 },
	{ .name = "global_untyped", .size = 8, .rank = WCM_RANK_UNTYPED },
	{ .name = "global_unsized", .rank = WCM_RANK_UNSIZED },
	{ .name = "weak_sized", .size = 8, .rank = WCM_RANK_WEAK },
	{ .name = "weak_unsized", .rank = WCM_RANK_WEAK | WCM_RANK_UNSIZED },
	{ .name = "local_aaa", .size = 8, .rank = WCM_RANK_LOCAL },
	{ .name = "local_bbb", .size = 8, .rank = WCM_RANK_LOCAL },
	{ .name = "_local_aaa", .size = 8, .rank = WCM_RANK_LOCAL },
	{ .name = "__local_aaa", .size = 8, .rank = WCM_RANK_LOCAL },
	{ .name = "local_unsized", .rank = WCM_RANK_LOCAL | WCM_RANK_UNSIZED },
	{ .name = "stub@plt", .rank = WCM_RANK_PLT | WCM_RANK_UNSIZED },
};
enum { ALIASES = sizeof(aliases) / sizeof(*aliases) };

static void shuffle(struct wcm_raw_symbol *symbol, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = (size_t)rand() % i;
		struct wcm_raw_symbol swap = symbol[i - 1];

		symbol[i - 1] = symbol[other];
		symbol[other] = swap;
	}
}

TEST(aliases_come_in_the_documented_order)
{
	srand(1);
	for (int round = 0; round < 100; round++) {
		struct wcm_raw_symbols symbols = raw(aliases, ALIASES);

		shuffle(symbols.symbol, ALIASES);
		CHECK(wcm__sort_symbols(&symbols));
		for (size_t i = 0; i < ALIASES; i++)
			CHECK_STR(symbols.symbol[i].name, aliases[i].name);
		free(symbols.symbol);
	}
}

TEST(every_alias_loses_to_those_before_it)
{
	for (size_t i = 0; i + 1 < ALIASES; i++) {
		struct wcm_raw_symbol two[] = { aliases[i + 1], aliases[i] };
		struct wcm_function_table *table;

		two[0].limit = two[1].limit = 8;
		table = build(two, 2);
		check_at(table, 0, aliases[i].name, 0, 8);
		free(table);
	}
}

TEST(unsized_reaches_to_the_next_symbol_or_the_end_of_its_section)
{
	struct wcm_function_table *table = BUILD(
		{ .name = "to_the_next", .offset = 0x10, .limit = 0xff0 },
		{ .name = "next", .offset = 0x20, .size = 4, .limit = 0xfe0 },
		{ .name = "to_the_end", .offset = 0x30, .limit = 0x10 },
		{ .name = "other_section", .offset = 0x80, .size = 8,
		  .limit = 8 },
		{ .name = "at_the_end", .offset = 0x90, .limit = 0 });

	check_at(table, 0x0f, NULL, 0, 0);
	check_at(table, 0x10, "to_the_next", 0x10, 0x10);
	check_at(table, 0x1f, "to_the_next", 0x10, 0x10);
	check_at(table, 0x23, "next", 0x20, 4);
	check_at(table, 0x24, NULL, 0, 0);
	check_at(table, 0x3f, "to_the_end", 0x30, 0x10);
	check_at(table, 0x40, NULL, 0, 0);
	check_at(table, 0x87, "other_section", 0x80, 8);
	check_at(table, 0x88, NULL, 0, 0);
	check_at(table, 0x90, NULL, 0, 0);
	free(table);
}

TEST(the_last_symbol_may_have_no_size)
{
	struct wcm_function_table *table =
		BUILD({ .name = "last", .offset = 4, .limit = 0x1000 });

	check_at(table, 3, NULL, 0, 0);
	check_at(table, 0x1003, "last", 4, 0x1000);
	check_at(table, 0x1004, NULL, 0, 0);
	free(table);
}

TEST(a_label_inside_a_function_does_not_divide_it)
{
	struct wcm_function_table *table = BUILD(
		{ .name = "function", .offset = 0, .size = 100, .limit = 200 },
		{ .name = "label", .offset = 40, .limit = 160,
		  .rank = WCM_RANK_UNTYPED | WCM_RANK_UNSIZED });

	check_at(table, 40, "function", 0, 100);
	check_at(table, 99, "function", 0, 100);
	check_at(table, 100, NULL, 0, 0);
	free(table);
}

TEST(an_outer_function_goes_on_after_inner_ones)
{
	struct wcm_function_table *table = BUILD(
		{ .name = "outer", .offset = 0, .size = 100, .limit = 100 },
		{ .name = "inner", .offset = 10, .size = 50, .limit = 90 },
		{ .name = "innermost", .offset = 20, .size = 10, .limit = 80 });

	check_at(table, 9, "outer", 0, 100);
	check_at(table, 10, "inner", 10, 50);
	check_at(table, 29, "innermost", 20, 10);
	check_at(table, 30, "inner", 10, 50);
	check_at(table, 60, "outer", 0, 100);
	check_at(table, 99, "outer", 0, 100);
	check_at(table, 100, NULL, 0, 0);
	free(table);
}

TEST(versions_are_cut_off)
{
	struct wcm_function_table *table = BUILD(
		{ .name = "memcpy@@GLIBC_2.14", .offset = 0, .size = 4,
		  .limit = 99 },
		{ .name = "old@GLIBC_2.2.5", .offset = 4, .size = 4,
		  .limit = 99 },
		{ .name = "puts@plt", .offset = 8, .limit = 4,
		  .flags = WCM_SYMBOL_PLT | WCM_SYMBOL_UNSIZED },
		{ .name = "@odd", .offset = 12, .size = 4, .limit = 99 });

	check_at(table, 0, "memcpy", 0, 4);
	check_at(table, 4, "old", 4, 4);
	check_at(table, 8, "puts@plt", 8, 4);
	check_at(table, 12, "@odd", 12, 4);
	free(table);
}

/* The suffix that the table keeps behind the name of a part. */
static void check_part(const char *symbol, const char *parent,
		       const char *suffix)
{
	struct wcm_function_table *table =
		BUILD({ .name = symbol, .offset = 0, .size = 4, .limit = 4 });
	struct wcm_found_function found;

	CHECK(wcm__function_table_find(table, 0, &found));
	CHECK_STR(found.name, parent);
	CHECK_EQ(found.flags, !suffix ? 0 : strstr(suffix, "cold") ? WCM_SYMBOL_COLD
								   : WCM_SYMBOL_PART);
	if (suffix)
		CHECK_STR(found.name + strlen(found.name) + 1, suffix);
	free(table);
}

TEST(a_part_is_named_after_its_parent)
{
	check_part("parse.cold", "parse", ".cold");
	check_part("parse.cold.7", "parse", ".cold.7");
	check_part("parse.isra.0.cold", "parse.isra.0", ".cold");
	check_part("parse.isra.0", "parse.isra.0", NULL);
	check_part("parse.colder", "parse.colder", NULL);
	check_part(".cold", ".cold", NULL);
	check_part("parse.cold@@V1", "parse", ".cold");
	check_part("parse.__part.12", "parse", ".__part.12");
	check_part("parse.isra.0.__part.1", "parse.isra.0", ".__part.1");
	check_part("parse.eh", "parse", ".eh");
	check_part("parse.part.1", "parse.part.1", NULL);
	check_part("parse.ehx", "parse.ehx", NULL);
}

TEST(name_lengths)
{
	CHECK_EQ(wcm__name_length("memcpy@@GLIBC_2.14", 0), 6);
	CHECK_EQ(wcm__name_length("memcpy", 0), 6);
	CHECK_EQ(wcm__name_length("memcpy@plt", WCM_SYMBOL_PLT), 10);
	CHECK_EQ(wcm__name_length("@x", 0), 2);
	CHECK_EQ(wcm__name_length("", 0), 0);
}

enum { SYMBOLS = 60, EXTENT = 400, ROUNDS = 3000 };

static int compare_by_rule(const struct wcm_raw_symbol *a,
			   const struct wcm_raw_symbol *b)
{
	size_t under_a = strspn(a->name, "_"), under_b = strspn(b->name, "_");

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (under_a != under_b)
		return under_a < under_b ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Whether SYMBOL is the best of its offset. */
static bool is_best(const struct wcm_raw_symbol *symbol,
		    const struct wcm_raw_symbol *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].offset == symbol->offset &&
		    compare_by_rule(&all[i], symbol) < 0)
			return false;
	return true;
}

static uint32_t next_offset(const struct wcm_raw_symbol *all, size_t count,
			   uint32_t offset)
{
	uint32_t next = UINT32_MAX;

	for (size_t i = 0; i < count; i++)
		if (all[i].offset > offset && all[i].offset < next)
			next = all[i].offset;
	return next;
}

static bool is_inside_another(const struct wcm_raw_symbol *symbol,
			      const struct wcm_raw_symbol *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].size && all[i].offset < symbol->offset &&
		    symbol->offset - all[i].offset < all[i].size &&
		    is_best(&all[i], all, count))
			return true;
	return false;
}

/* The extent of SYMBOL by the documented rules; 0: it names nothing. */
static uint32_t extent(const struct wcm_raw_symbol *symbol,
		       const struct wcm_raw_symbol *all, size_t count)
{
	uint32_t room = next_offset(all, count, symbol->offset) - symbol->offset;

	if (!is_best(symbol, all, count))
		return 0;
	if (symbol->size)
		return symbol->size;
	if (is_inside_another(symbol, all, count))
		return 0;
	return room < symbol->limit ? room : symbol->limit;
}

/* The innermost function that holds OFFSET, found by looking at all. */
static const struct wcm_raw_symbol *
find_slowly(const struct wcm_raw_symbol *all, const uint32_t *extents,
	    size_t count, uint32_t offset)
{
	const struct wcm_raw_symbol *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (offset >= all[i].offset &&
		    offset - all[i].offset < extents[i] &&
		    (!best || all[i].offset > best->offset))
			best = &all[i];
	return best;
}

static void random_symbols(struct wcm_raw_symbol *all, size_t count)
{
	static char names[SYMBOLS][16];
	static const uint8_t ranks[] = { 0, WCM_RANK_WEAK, WCM_RANK_LOCAL };

	for (size_t i = 0; i < count; i++) {
		uint32_t offset = (uint32_t)rand() % EXTENT;
		uint32_t limit = EXTENT - offset;
		uint32_t size = rand() % 3 ? 1 + (uint32_t)rand() % 60 : 0;

		snprintf(names[i], sizeof(names[i]), "%.*sf%zu", rand() % 3,
			 "__", i);
		all[i] = (struct wcm_raw_symbol){
			.name = names[i],
			.offset = offset,
			.size = size < limit ? size : limit,
			.limit = limit,
			.rank = (uint8_t)(ranks[rand() % 3] |
					  (size ? 0 : WCM_RANK_UNSIZED)),
		};
	}
}

TEST(agrees_with_the_rules_applied_slowly)
{
	struct wcm_raw_symbol all[SYMBOLS];
	uint32_t extents[SYMBOLS];

	srand(20240301);
	for (int round = 0; round < ROUNDS; round++) {
		size_t count = 1 + (size_t)rand() % SYMBOLS;
		struct wcm_function_table *table;

		random_symbols(all, count);
		table = build(all, count);
		for (size_t i = 0; i < count; i++)
			extents[i] = extent(&all[i], all, count);
		for (uint32_t at = 0; at < EXTENT + 10; at++) {
			const struct wcm_raw_symbol *best =
				find_slowly(all, extents, count, at);

			check_at(table, at, best ? best->name : NULL,
				 best ? best->offset : 0,
				 best ? extents[best - all] : 0);
		}
		free(table);
	}
}

/* A million symbols in an order that hurts a naive sort or scan: descending,
 * all at one offset, or one inside the other.  Quadratic work would need hours
 * here. */
enum { MANY = 1000000 };

static struct wcm_function_table *build_many(uint32_t (*offset)(uint32_t),
					     uint32_t (*size)(uint32_t))
{
	struct wcm_raw_symbol *symbol = calloc(MANY, sizeof(*symbol));
	struct wcm_raw_symbols symbols = { .symbol = symbol, .count = MANY,
					   .room = MANY, .is_whole = true };
	char *names = malloc((size_t)MANY * 8);
	struct wcm_function_table *table;

	CHECK(symbol && names);
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(names + i * 8, 8, "%07u", MANY - i);
		symbol[i] = (struct wcm_raw_symbol){
			.name = names + i * 8,
			.offset = offset(i),
			.size = size(i),
			.limit = INT32_MAX,
		};
	}
	CHECK(wcm__sort_symbols(&symbols));
	table = wcm__build_table(&symbols);
	CHECK(table != NULL);
	free(symbols.symbol);
	free(names);
	return table;
}

static uint32_t descending(uint32_t i)
{
	return (MANY - i) * 4;
}

static uint32_t one_offset(uint32_t i)
{
	(void)i;
	return 4;
}

static uint32_t four_bytes(uint32_t i)
{
	(void)i;
	return 4;
}

static uint32_t up_to_the_middle(uint32_t i)
{
	return 8 * MANY + 4 - 2 * descending(i);
}

TEST(takes_a_million_descending_symbols)
{
	struct wcm_function_table *table = build_many(descending, four_bytes);

	CHECK_EQ(table->count, MANY);
	check_at(table, 4, "0000001", 4, 4);
	check_at(table, 4 * MANY, "1000000", 4 * MANY, 4);
	free(table);
}

TEST(takes_a_million_names_of_one_offset)
{
	struct wcm_function_table *table = build_many(one_offset, four_bytes);

	CHECK_EQ(table->count, 1);
	check_at(table, 7, "0000001", 4, 4);
	free(table);
}

TEST(takes_a_million_ranges_one_inside_the_other)
{
	struct wcm_function_table *table =
		build_many(descending, up_to_the_middle);

	check_at(table, 4 * MANY, "1000000", 4 * MANY, 4);
	check_at(table, 4 * MANY + 4, "0999999", 4 * MANY - 4, 12);
	check_at(table, 8 * MANY - 1, "0000001", 4, 8 * MANY - 4);
	check_at(table, 8 * MANY, NULL, 0, 0);
	free(table);
}

RUN(nothing_makes_an_empty_table, aliases_come_in_the_documented_order,
    every_alias_loses_to_those_before_it,
    unsized_reaches_to_the_next_symbol_or_the_end_of_its_section,
    the_last_symbol_may_have_no_size,
    a_label_inside_a_function_does_not_divide_it,
    an_outer_function_goes_on_after_inner_ones, versions_are_cut_off,
    a_part_is_named_after_its_parent, name_lengths,
    agrees_with_the_rules_applied_slowly, takes_a_million_descending_symbols,
    takes_a_million_names_of_one_offset,
    takes_a_million_ranges_one_inside_the_other)
