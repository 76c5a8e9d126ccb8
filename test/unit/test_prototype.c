/* SPDX-License-Identifier: MIT */
/* test_prototype.c - values of a call, by their codes: what is above them in a register or on the
 * stack, where the registers end, and codes that are none.
 */
#include "trace/values/prototype.h"

#include "core/os/read.h"
#include "support/check.h"
#include "trace/values/enumeration.h"
#include "trace/values/value_data.h"
#include "trace/values/value_words.h"

enum { WORDS = 64, MIDDLE = 32, REGISTERS = 6, VECTORS = 8, ROOM = 512 };

static uintptr_t words[WORDS];
static _Alignas(16) uint64_t stack[WORDS];
static char room[ROOM];

static void begin(void)
{
	memset(words, 0, sizeof(words));
	memset(stack, 0, sizeof(stack));
	if (!WCM_PASSED_IS_KNOWN)
		SKIP("this CPU's are not known");
}

static void give(unsigned number, uint64_t word)
{
	words[MIDDLE + wcm__arch_passed_place(false, number)] = (uintptr_t)word;
}

/* With all vector registers taken, whose values the unit tests do not have. */
static struct wcm_passed passed(void)
{
	struct wcm_passed all = wcm__arch_passed_arguments(words + MIDDLE, (uintptr_t)stack,
							   wcm__read_memory);

	all.vector = VECTORS;
	return all;
}

static const char *given(const char *codes)
{
	struct wcm_words to;

	wcm__words_init(&to, room, ROOM - 1);
	wcm__value_words_arguments(&to, codes, passed());
	*to.at = '\0';
	return room;
}

static uint64_t taken(char code, bool from_stack)
{
	struct wcm_passed all = passed();
	const char codes[] = { code, '\0' };
	struct wcm_value value;

	if (from_stack)
		all.general = REGISTERS;
	CHECK(wcm__prototype_next(codes, &all, &value) == codes + 1);
	CHECK_EQ(value.code, code);
	CHECK_EQ(value.words, 1);
	return value.word[0];
}

/* Bits of the value, then what they are as a word, with and without a sign. */
TEST(what_is_above_a_value_is_no_part_of_it)
{
	static const struct {
		const char *codes;
		uint64_t low;
		unsigned size;
		bool is_negative;
	} known[] = {
		{ "aAbc", 0, 1, false },       { "ac", 0x80, 1, true },
		{ "Ab", 0x80, 1, false },      { "aAbc", 0x7f, 1, false },
		{ "ac", 0xff, 1, true },       { "Ab", 0xff, 1, false },
		{ "hH", 0, 2, false },         { "hH", 0x7fff, 2, false },
		{ "h", 0x8000, 2, true },      { "H", 0x8000, 2, false },
		{ "h", 0xffff, 2, true },      { "H", 0xffff, 2, false },
		{ "iIof", 0, 4, false },       { "iIof", 0x7fffffff, 4, false },
		{ "i", 0x80000000, 4, true },  { "Iof", 0x80000000, 4, false },
		{ "i", 0xffffffff, 4, true },  { "Iof", 0xffffffff, 4, false },
		{ "lLspFd", 0, 8, false },     { "lLspFd", UINT64_MAX, 8, false },
		{ "lLspFd", UINT64_C(1) << 63, 8, false },
	};
	static const uint64_t rubbish[] = { 0, UINT64_MAX, UINT64_C(0x5aa55aa55aa55aa5) };

	begin();
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const uint64_t above = known[i].size < 8 ? UINT64_MAX << 8 * known[i].size : 0;
		const uint64_t word = known[i].low | (known[i].is_negative ? above : 0);

		for (const char *code = known[i].codes; *code; code++)
			for (unsigned j = 0; j < 3; j++) {
				give(0, known[i].low | (rubbish[j] & above));
				stack[0] = known[i].low | (rubbish[j] & above);
				if (*code != 'f' && *code != 'd')
					CHECK_EQ(taken(*code, false), word);
				CHECK_EQ(taken(*code, true), word);
			}
	}
}

TEST(what_is_above_a_value_is_not_shown)
{
	begin();
	for (unsigned i = 0; i < REGISTERS; i++)
		give(i, UINT64_C(0xfedcba9876543200));
	CHECK_STR(given("vbcAHo"), "(false, '\\000', 0, 12'800, 016625031000)");
	CHECK_STR(given("vahiI"), "(0, 12'800, 1'985'229'312, 1'985'229'312)");
	give(0, UINT64_C(0xfedcba9876543201));
	CHECK_STR(given("vb"), "(true)");
	give(0, UINT64_C(0xfedcba98ffffff80));
	CHECK_STR(given("va"), "(-128)");
	CHECK_STR(given("vi"), "(-128)");
	CHECK_STR(given("vE0i"), "(-128)");
	CHECK_STR(given("vE0a"), "(-128)");
	CHECK_STR(given("vE0A"), "(128)");
}

/* A value of a byte as data of a recording, where four begin with it. */
TEST(what_is_above_a_value_is_not_recorded)
{
	struct wcm_value_data data;

	begin();
	for (unsigned i = 0; i < REGISTERS; i++)
		give(i, UINT64_C(0xfedcba9876543280));
	memset(&data, 0xee, sizeof(data));
	wcm__value_data_arguments(&data, "vbcAHhI", passed());
	CHECK_EQ(data.count, 3);
	CHECK_EQ(data.word[0], UINT64_C(0x8000000080));
	CHECK_EQ(data.word[1], UINT64_C(0x328000000080));
	CHECK_EQ(data.word[2], UINT64_C(0x7654328000003280));
	memset(&data, 0xee, sizeof(data));
	wcm__value_data_arguments(&data, "vb", passed());
	CHECK_EQ(data.count, 1);
	CHECK_EQ(data.word[0], 0x80);
}

/* The last register, and the first of the stack; a struct is in registers or all on the stack,
 * which leaves the registers to others. */
TEST(registers_end)
{
	begin();
	for (unsigned i = 0; i < REGISTERS; i++)
		give(i, i + 1);
	for (unsigned i = 0; i < WORDS; i++)
		stack[i] = 100 + i;
	CHECK_STR(given("vllllll"), "(1, 2, 3, 4, 5, 6)");
	CHECK_STR(given("vlllllll"), "(1, 2, 3, 4, 5, 6, 100)");
	CHECK_STR(given("vllll{ll}l"), "(1, 2, 3, 4, {0x5, 0x6}, 100)");
	CHECK_STR(given("vlllll{ll}l"), "(1, 2, 3, 4, 5, {0x64, 0x65}, 6)");
	CHECK_STR(given("vlllllll{ll}l"), "(1, 2, 3, 4, 5, 6, 100, {0x65, 0x66}, 103)");
	CHECK_STR(given("vlllllll[ll]l"), "(1, 2, 3, 4, 5, 6, 100, {0x66, 0x67}, 104)");
	CHECK_STR(given("vllllllql"), "(1, 2, 3, 4, 5, 6, 0x650000000000000064, 102)");
	CHECK_STR(given("vlllllqQ"), "(1, 2, 3, 4, 5, 0x650000000000000064, "
				    "0x670000000000000066)");
	CHECK_STR(given("vlm3l"), "(1, {...}, 2)");
	CHECK_STR(given("vllllllm3l"), "(1, 2, 3, 4, 5, 6, {...}, 103)");
	CHECK_STR(given("vlllllllM3l"), "(1, 2, 3, 4, 5, 6, 100, {...}, 105)");
	CHECK_STR(given("v{}l"), "({}, 1)");
	CHECK_STR(given("v{l}l"), "({0x1}, 2)");
	CHECK_STR(given("m3lllllll"), "(2, 3, 4, 5, 6, 100, 101)");
}

TEST(what_is_not_known_ends_the_arguments)
{
	begin();
	give(0, 7);
	CHECK_STR(given("v"), "()");
	CHECK_STR(given("v."), "(...)");
	CHECK_STR(given("vi."), "(7, ...)");
	CHECK_STR(given("vix"), "(7, ...)");
	CHECK_STR(given("vi{lll}"), "(7, ...)");
	CHECK_STR(given("vim0"), "(7, ...)");
	CHECK_STR(given("vim"), "(7, ...)");
}

TEST(codes_are_whole)
{
	static const char *const are[] = { "v", "i", "vabchilAHILospFqQfde", "v.", "m1", "M9", "mz",
		"{}", "{l}", "{d}", "{ll}", "{ld}", "[dl]", "[dd]", "E0i", "E7A", "E123456789i",
		"vE1iE2L" };
	static const char *const none[] = { "", "x", "vx", "m", "m0", "M0", "m/", "{", "{l", "{ll",
		"{lll}", "{i}", "{ll]", "[ll}", "}", "]", "E", "Ei", "E7", "E7d", "E7v", "E7{}",
		"E1234567890i", "vi ", "v\n" };

	for (size_t i = 0; i < sizeof(are) / sizeof(*are); i++)
		CHECK(wcm__prototype_is_known(are[i]));
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		CHECK(!wcm__prototype_is_known(none[i]));
}

TEST(enumerations_have_numbers)
{
	struct wcm_value value;

	CHECK(wcm__prototype_skip("E0i", &value) != NULL);
	CHECK_EQ(value.number, 0);
	CHECK(wcm__prototype_skip("E999999999L", &value) != NULL);
	CHECK_EQ(value.number, 999999999);
	CHECK_EQ(value.plain, 'L');
	CHECK(wcm__prototype_skip("{}", &value) != NULL);
	CHECK_EQ(value.code, '}');
	CHECK(wcm__prototype_skip("[l]", &value) != NULL);
	CHECK_EQ(value.code, '{');
	CHECK_EQ(value.number, 1);
	CHECK(wcm__prototype_skip("M1", &value) != NULL);
	CHECK_EQ(value.code, 'm');
	CHECK(wcm__prototype_skip("v", &value) == NULL);
	CHECK(wcm__prototype_skip(".", &value) == NULL);
	CHECK(wcm__prototype_skip("", &value) == NULL);
}

/* One value, several bits, with some left over, and numbers of each size. */
TEST(enumerators_are_named)
{
	static const struct wcm_enumerator colours[] = { { -128, "LOW" }, { 0, "RED" },
							 { 127, "HIGH" } };
	static const struct wcm_enumerator flags[] = { { 0, "NONE" }, { 1, "A" }, { 2, "B" },
						       { 3, "BOTH" }, { 0x80, "TOP" } };
	static const struct wcm_enumeration both[] = {
		{ "colour", 3, false, colours }, { "flag", 5, true, flags },
	};
	static const struct wcm_enumerations all = { 2, both };

	begin();
	wcm__enumerations_set(&all);
	give(0, UINT64_C(0xfedcba9876543280));
	CHECK_STR(given("vE0a"), "(LOW)");
	CHECK_STR(given("vE0A"), "(128)");
	CHECK_STR(given("vE1A"), "(TOP)");
	CHECK_STR(given("vE1a"), "(TOP|0xffffffffffffff00)");
	CHECK_STR(given("vE2a"), "(-128)");
	give(0, UINT64_C(0xfedcba9876543200));
	CHECK_STR(given("vE0a"), "(RED)");
	CHECK_STR(given("vE1A"), "(NONE)");
	give(0, 0x83);
	CHECK_STR(given("vE1A"), "(A|B|TOP)");
	CHECK_STR(given("vE0A"), "(131)");
	give(0, 3);
	CHECK_STR(given("vE1A"), "(BOTH)");
	give(0, 0x47);
	CHECK_STR(given("vE1A"), "(A|B|0x44)");
	give(0, 0x44);
	CHECK_STR(given("vE1A"), "(68)");
	wcm__enumerations_set(NULL);
	CHECK_STR(given("vE1A"), "(68)");
}

RUN(what_is_above_a_value_is_no_part_of_it, what_is_above_a_value_is_not_shown,
    what_is_above_a_value_is_not_recorded, registers_end, what_is_not_known_ends_the_arguments,
    codes_are_whole, enumerations_have_numbers, enumerators_are_named)
