/* SPDX-License-Identifier: MIT */
/* test_dynsym.c - how many dynamic symbols has an object, by tables made by hand. */
#include "core/modules/dynsym.h"
#include "core/modules/module.h"

#include "support/check.h"

enum { SYMBOLS = 4, HOOK = 1, OTHER = 6, NAMES = 12 };

/* An object as it is mapped, its tables in GNU ld's order. */
struct image {
	uint32_t hash[2 + 1 + SYMBOLS];
	struct {
		uint32_t buckets, first, bloom_words, bloom_shift;
		ElfW(Addr) bloom;
		uint32_t bucket[1], chain[3];
	} gnu_hash;
	ElfW(Sym) symbol[SYMBOLS], beyond[2];
	char strings[NAMES];
	ElfW(Dyn) dynamic[6];
};

static struct image image;
static struct wcm_module module;

/* The null symbol, and three that another object is to have, as in an executable that
 * is linked by a GNU ld with -no-pie. */
static void begin(void)
{
	image = (struct image){
		.hash = { 1, SYMBOLS },
		.gnu_hash = { .buckets = 1, .first = 1, .bloom_words = 1 },
		.symbol = { { 0 }, { .st_name = OTHER }, { .st_name = HOOK },
			    { .st_name = OTHER } },
		.strings = "\0hook\0other",
	};
	memset(image.beyond, 'X', sizeof(image.beyond));
}

static ElfW(Dyn) table(ElfW(Sxword) tag, const void *at)
{
	return (ElfW(Dyn)){ .d_tag = tag, .d_un.d_ptr = (uintptr_t)at };
}

/* Describe it, HASH and STRINGS being what its dynamic section names. */
static size_t count(ElfW(Dyn) hash, const char *strings)
{
	const ElfW(Phdr) phdr[] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R, .p_memsz = sizeof(image),
		  .p_filesz = sizeof(image) },
		{ .p_type = PT_DYNAMIC, .p_flags = PF_R,
		  .p_vaddr = offsetof(struct image, dynamic),
		  .p_memsz = sizeof(image.dynamic) },
	};

	image.dynamic[0] = hash;
	image.dynamic[1] = table(DT_SYMTAB, image.symbol);
	image.dynamic[2] = table(DT_STRTAB, strings);
	image.dynamic[3] = (ElfW(Dyn)){ .d_tag = DT_STRSZ, .d_un.d_val = NAMES };
	CHECK(wcm__module_identify_held(&module, (uintptr_t)&image, phdr, 2, ""));
	return module.dynsym.count;
}

TEST(a_hash_table_counts_them)
{
	begin();
	CHECK_EQ(count(table(DT_HASH, image.hash), image.strings), SYMBOLS);
	image.hash[1] = 3;
	CHECK_EQ(count(table(DT_HASH, image.hash), image.strings), 3);
}

TEST(a_gnu_hash_table_ends_with_the_last)
{
	begin();
	image.gnu_hash.bucket[0] = 1;
	image.gnu_hash.chain[1] = 1;
	CHECK_EQ(count(table(DT_GNU_HASH, &image.gnu_hash), image.strings), 3);
}

TEST(an_empty_one_says_nothing_and_names_end_them)
{
	begin();
	CHECK_EQ(count(table(DT_GNU_HASH, &image.gnu_hash), image.strings), SYMBOLS);
	CHECK(wcm__dynsym_wants(&module.dynsym, "hook"));
	CHECK(wcm__dynsym_wants(&module.dynsym, "other"));
	CHECK(!wcm__dynsym_wants(&module.dynsym, "hoo"));
	CHECK(!wcm__dynsym_wants(&module.dynsym, "hooks"));
	image.symbol[2].st_shndx = 1;
	CHECK(!wcm__dynsym_wants(&module.dynsym, "hook"));
}

TEST(without_a_hash_table_the_next_table_ends_them)
{
	begin();
	memset(image.beyond, 0, sizeof(image.beyond));
	CHECK_EQ(count((ElfW(Dyn)){ .d_tag = DT_DEBUG }, image.strings),
		 SYMBOLS + 2);
	CHECK_EQ(count(table(DT_VERSYM, image.beyond), image.strings), SYMBOLS);
}

TEST(hostile_tables_count_no_more_than_there_is_room_for)
{
	static const uint32_t values[] = { 0, 1, 2, 7, 1000, UINT32_MAX / 8,
					   UINT32_MAX - 1, UINT32_MAX };
	uint32_t *word = &image.gnu_hash.buckets;

	for (int at = 0; at < 10; at++)
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			begin();
			word[at] = values[i];
			image.hash[1] = values[i];
			CHECK(count(table(DT_GNU_HASH, word), image.strings) <=
			      SYMBOLS + 2);
			CHECK(count(table(DT_HASH, image.hash), image.strings) <=
			      SYMBOLS + 2);
		}
	begin();
	CHECK(count(table(DT_HASH, &image + 1), image.strings) <= SYMBOLS + 2);
	CHECK_EQ(count(table(DT_HASH, image.hash), (const char *)(&image + 1)),
		 SYMBOLS);
	CHECK(!wcm__dynsym_wants(&module.dynsym, "hook"));
}

TEST(a_name_that_the_strings_cut_short_is_none)
{
	begin();
	image.symbol[2].st_name = NAMES - 2;
	memcpy(image.strings + NAMES - 2, "ho", 2);
	count(table(DT_HASH, image.hash), image.strings);
	CHECK(!wcm__dynsym_wants(&module.dynsym, "hook"));
}

TEST(a_value_is_found_by_a_name_of_63_characters_at_most)
{
	static const char strings[] =
		"\0" "a_name_of_sixty_three_characters_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"\0" "short";
	static const ElfW(Sym) symbols[] = {
		{ 0 }, { .st_name = 65, .st_value = 3 },
		{ .st_name = 65, .st_shndx = 1, .st_value = 5 },
		{ .st_name = 1, .st_shndx = 1, .st_value = 7 },
	};
	const struct wcm_dynsym dynsym = { .symbols = symbols, .strings = strings,
					   .count = 4, .strings_size = sizeof(strings) };
	uint64_t value = 0;

	CHECK_EQ(strlen(strings + 1), 63);
	CHECK(wcm__dynsym_value(&dynsym, "short", &value));
	CHECK_EQ(value, 5);
	CHECK(wcm__dynsym_value(&dynsym, strings + 1, &value));
	CHECK_EQ(value, 7);
	CHECK(!wcm__dynsym_value(&dynsym, "shor", &value));
	CHECK(!wcm__dynsym_value(&dynsym, "none", &value));
}

RUN(a_hash_table_counts_them, a_gnu_hash_table_ends_with_the_last,
    an_empty_one_says_nothing_and_names_end_them,
    without_a_hash_table_the_next_table_ends_them,
    hostile_tables_count_no_more_than_there_is_room_for,
    a_name_that_the_strings_cut_short_is_none,
    a_value_is_found_by_a_name_of_63_characters_at_most)
