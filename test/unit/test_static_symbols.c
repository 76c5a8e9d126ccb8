/* SPDX-License-Identifier: MIT */
/* test_static_symbols.c - variables in what the values of probes are, of texts of any length. */
#include "trace/probes/static_module.h"

#include <stdlib.h>

#include "core/arch/arch.h"
#include "core/modules/modules.h"
#include "format/probe_note.h"
#include "support/check.h"

enum { BLOCK = 1 << 16 /* that texts share */, MOST_KEPT = 4096 };

/* Values stay where they are for as long as what is made of them. */
static char *kept[MOST_KEPT];
static size_t kept_count;

__attribute__((used)) int test_variable;
static struct wcm_module here;
static struct wcm_static_texts texts;

static void begin(void)
{
	struct wcm_probe_symbol symbol;

	if (!wcm__arch_probe_symbol(&symbol, "a", 1))
		SKIP("this CPU has no probes");
	CHECK(wcm__module_find_live(&here, (uintptr_t)begin));
	texts = (struct wcm_static_texts){ .map = &here };
}

static void end(void)
{
	wcm__static_texts_end(&texts);
	while (kept_count > 0)
		free(kept[--kept_count]);
}

/* PLAIN bytes of values without a symbol, then one with NAME, then TAIL: what is made of them, or
 * NULL where they stay as they are. */
static const char *resolved(size_t plain, const char *name, const char *tail)
{
	char *values = malloc(plain + strlen(name) + strlen(tail) + 8);
	char *expected = malloc(plain + 64);
	const char *made;

	CHECK(values && expected && kept_count < MOST_KEPT);
	kept[kept_count++] = values;
	memset(values, ' ', plain);
	for (size_t at = 0; at + 5 <= plain; at += 5)
		memcpy(values + at, "4@$1 ", 5);
	sprintf(values + plain, "4@%s%s", name, tail);
	made = wcm__static_resolve(&texts, values);
	if (strncmp(name, "test_variable", 13) == 0) {
		memcpy(expected, values, plain);
		sprintf(expected + plain, "4@0x%lx%s",
			(unsigned long)(uintptr_t)&test_variable + (name[13] ? 4 : 0), tail);
		CHECK_STR(made, expected);
	} else {
		CHECK_STR(made, values);
	}
	if (made == values)
		made = NULL;
	free(expected);
	return made;
}

TEST(texts_have_addresses)
{
	begin();
	resolved(0, "test_variable", "");
	resolved(0, "test_variable+4(%rip)", " 8@%rax");
	resolved(0, "%rax", "");
	CHECK(texts.left > 0 && texts.left < BLOCK);
	end();
}

/* Each fills its room to the last byte where it can. */
TEST(texts_of_any_length)
{
	static const size_t about[] = { BLOCK - 64, BLOCK - 8, BLOCK, BLOCK + 8, 2 * BLOCK,
					3 * BLOCK, 20 * BLOCK };

	begin();
	for (size_t i = 0; i < sizeof(about) / sizeof(*about); i++)
		for (size_t less = 0; less < 64; less += 1 + 6 * (i > 2)) {
			texts.left = 0;
			resolved((about[i] - less) / 5 * 5, "test_variable", "");
			CHECK(texts.left < about[i] + BLOCK);
		}
	end();
}

/* None is put over the end of another. */
TEST(texts_share_a_block)
{
	const char *made[3000];
	char first[64];

	begin();
	for (size_t i = 0; i < 3000; i++)
		made[i] = resolved(i % 40 / 5 * 5, "test_variable", " 1@%al");
	snprintf(first, sizeof(first), "4@0x%lx 1@%%al", (unsigned long)(uintptr_t)&test_variable);
	for (size_t i = 0; i < 3000; i++)
		CHECK_STR(made[i] + i % 40 / 5 * 5, first);
	end();
}

/* As long as an address is, and longer; names that a variable's name begins. */
TEST(names_are_whole)
{
	char longest[600];

	begin();
	resolved(0, "test_variabl", "");
	resolved(0, "test_", "");
	for (size_t length = 508; length < 516; length++) {
		memset(longest, 'n', length);
		longest[length] = '\0';
		resolved(0, longest, "");
	}
	end();
}

RUN(texts_have_addresses, texts_of_any_length, texts_share_a_block, names_are_whole)
