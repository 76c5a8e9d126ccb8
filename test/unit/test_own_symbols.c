/* SPDX-License-Identifier: MIT */
/* test_own_symbols.c - this program's functions, read without BFD, are those that BFD reads. */
#include "load/objects/raw_symbols.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/objects/build_table.h"
#include "load/objects/debug_file.h"
#include "support/check.h"
#include "whocallme/symbol.h"

/* Aliases, a cold part, a label that nobody gave a type or a size, data between code. */
__asm__(".text\n"
	".globl __alias\n"
	".type __alias, @function\n"
	".type alias, @function\n"
	".type weak_alias, @function\n"
	".weak weak_alias\n"
	"__alias: alias: weak_alias: .skip 16, 0x90\n"
	".size __alias, 16\n"
	".size alias, 16\n"
	".type split.cold, @function\n"
	"split.cold: .skip 16, 0x90\n"
	".size split.cold, . - split.cold\n"
	"label: .skip 16, 0x90\n"
	".type in_front, @function\n"
	"in_front: .skip 16, 0x90\n"
	".type between, @object\n"
	"between: .skip 64, 1\n"
	".size between, . - between\n");

static struct wcm_own_symbols own;
static struct wcm_file_symbols bfds;
static struct wcm_function_table *own_table, *bfd_table;

static void read_both(void)
{
	struct wcm_module self;
	struct wcm_objfile *objfile;

	if (own_table)
		return;
	CHECK(wcm__module_find_live(&self, (uintptr_t)read_both));
	CHECK(wcm__own_symbols_read(&own, &self, true));
	CHECK(wcm__sort_symbols(&own.raw));
	own_table = wcm__build_table(&own.raw);
	CHECK_EQ(wcm__objfile_open(&objfile, "/proc/self/exe", -1), WCM_OK);
	CHECK_EQ(own.layout.base, wcm__objfile_layout(objfile)->base);
	CHECK_EQ(wcm__file_symbols_init(&bfds, objfile, "/proc/self/exe"), WCM_OK);
	bfd_table = wcm__build_table(&bfds.raw);
	CHECK(own_table && bfd_table && own_table->is_whole);
}

/* PLT stubs are left out. */
TEST(the_same_functions)
{
	uint32_t at = 0;

	read_both();
	for (uint32_t i = 0; i < bfd_table->count; i++) {
		const struct wcm_function_entry *bfd = &bfd_table->entry[i];
		const struct wcm_function_entry *mine = &own_table->entry[at];

		if (bfd_table->flags[i] & WCM_SYMBOL_PLT)
			continue;
		CHECK(at++ < own_table->count);
		CHECK_EQ(mine->start, bfd->start);
		CHECK_EQ(own_table->flags[at - 1], bfd_table->flags[i]);
		CHECK_STR(own_table->names + mine->name, bfd_table->names + bfd->name);
		/* One without a size goes on to the next, which may be a stub. */
		if (!(bfd_table->flags[i] & WCM_SYMBOL_UNSIZED) &&
		    !((mine->size | bfd->size) & WCM_ENTRY_PART_OF))
			CHECK_EQ(mine->size, bfd->size);
	}
	CHECK_EQ(at, own_table->count);
}

static const char *name_of(const char *symbol)
{
	for (size_t i = 0; i < own.raw.count; i++) {
		struct wcm_found_function found;

		if (strcmp(own.raw.symbol[i].name, symbol) == 0)
			return wcm__function_table_find(own_table, own.raw.symbol[i].offset,
							&found) ? found.name : "nothing";
	}
	return "none";
}

TEST(the_best_alias)
{
	read_both();
	CHECK_STR(name_of("alias"), "__alias");
	CHECK_STR(name_of("weak_alias"), "__alias");
	CHECK_STR(name_of("split.cold"), "split");
	CHECK_STR(name_of("in_front"), "in_front");
	CHECK_STR(name_of("between"), "none");
}

TEST(none_of_another_file)
{
	struct wcm_own_symbols none;
	struct wcm_module self;

	CHECK(wcm__module_find_live(&self, (uintptr_t)read_both));
	self.path = "/bin/sh";
	CHECK(!wcm__own_symbols_read(&none, &self, false));
	wcm__own_symbols_free(&none);
	self.path = "/dev/null";
	CHECK(!wcm__own_symbols_read(&none, &self, false));
	wcm__own_symbols_free(&none);
}

/* Room that is asked for later does not take names back that are there already. */
TEST(the_sum_of_names_is_bounded_whatever_follows)
{
	enum { MANY = 1000, MOST = (MANY + 8) * 1024 + (1 << 20) };
	struct wcm_laid_section section = { .size = 1 << 20, .code = true };
	const struct wcm_section_layout layout = { .count = 1, .section = &section };
	char *const name = calloc(1, MOST);
	const struct wcm_sized_name function = { .name = name, .size = 1 };
	struct wcm_raw_symbols symbols = { 0 };

	CHECK(name);
	memset(name, 'a', MOST - 1);
	CHECK(wcm__raw_symbols_reserve(&symbols, MANY));
	wcm__raw_symbols_add(&symbols, &layout, 0, 0, &function);
	CHECK_EQ(symbols.count, 0);
	name[1 << 20 | 1 << 19] = '\0';
	wcm__raw_symbols_fini(&symbols);
	CHECK(wcm__raw_symbols_reserve(&symbols, MANY));
	wcm__raw_symbols_add(&symbols, &layout, 0, 0, &function);
	CHECK_EQ(symbols.count, 1);
	for (int i = 0; i < 8; i++) {
		CHECK(wcm__raw_symbols_reserve(&symbols, 1));
		wcm__raw_symbols_add(&symbols, &layout, 0, 0, &function);
	}
	CHECK_EQ(symbols.count, 1);
	CHECK(symbols.names <= symbols.most_names);
	wcm__raw_symbols_fini(&symbols);
	free(name);
}

RUN(the_same_functions, the_best_alias, none_of_another_file,
    the_sum_of_names_is_bounded_whatever_follows)
