/* SPDX-License-Identifier: MIT */
/* test_words.c - values as words, by what C and printf() make of them. */
#include "trace/values/words_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/os/read.h"
#include "crash/files/report_file.h"
#include "support/check.h"
#include "trace/log/open_words.h"

enum { ROOM = 1024 };

static char room[ROOM + 1];
static struct wcm_words words;

static void begin(void)
{
	wcm__words_init(&words, room, ROOM);
}

/* What was put since begin(). */
static const char *put(void)
{
	*words.at = '\0';
	return room;
}

#define CHECK_PUT(call, text)          \
	do {                           \
		begin();               \
		call;                  \
		CHECK_STR(put(), text); \
	} while (0)

TEST(numbers_are_grouped)
{
	CHECK_PUT(wcm__words_signed(&words, 0), "0");
	CHECK_PUT(wcm__words_signed(&words, 999), "999");
	CHECK_PUT(wcm__words_signed(&words, 131072), "131'072");
	CHECK_PUT(wcm__words_signed(&words, -1000), "-1'000");
	CHECK_PUT(wcm__words_signed(&words, INT64_MIN), "-9'223'372'036'854'775'808");
	CHECK_PUT(wcm__words_unsigned(&words, UINT64_MAX), "18'446'744'073'709'551'615");
	CHECK_PUT(wcm__words_id(&words, 4194304), "4194304");
	CHECK_PUT(wcm__words_id(&words, -1), "-1");
	CHECK_PUT(wcm__words_hex(&words, 0), "0x0");
	CHECK_PUT(wcm__words_hex(&words, UINT64_MAX), "0xffffffffffffffff");
	CHECK_PUT(wcm__words_octal(&words, 0), "0");
	CHECK_PUT(wcm__words_octal(&words, 0644), "0644");
	CHECK_PUT(wcm__words_address(&words, 0), "NULL");
	CHECK_PUT(wcm__words_address(&words, 0x7000), "0x7000");
}

TEST(characters_are_as_in_c)
{
	CHECK_PUT(wcm__words_character(&words, 'a'), "'a'");
	CHECK_PUT(wcm__words_character(&words, '\n'), "'\\n'");
	CHECK_PUT(wcm__words_character(&words, '\''), "'\\''");
	CHECK_PUT(wcm__words_character(&words, 0), "'\\000'");
	CHECK_PUT(wcm__words_character(&words, 0377), "'\\377'");
}

TEST(nothing_is_put_past_the_end)
{
	for (size_t size = 0; size < 40; size++) {
		memset(room, '#', sizeof(room));
		wcm__words_init(&words, room, size);
		wcm__words_text(&words, "mmap(");
		wcm__words_hex(&words, 0x7000);
		wcm__words_text(&words, "…, ");
		wcm__words_signed(&words, 131072);
		wcm__words_text(&words, ")");
		CHECK(wcm__words_length(&words) <= size);
		CHECK_EQ(words.is_cut, size < 24);
		CHECK(memcmp(room, "mmap(0x7000…, 131'072)", wcm__words_length(&words)) == 0);
		for (size_t i = wcm__words_length(&words); i < sizeof(room); i++)
			CHECK_EQ(room[i], '#');
	}
}

TEST(a_cut_is_behind_a_whole_character_and_final)
{
	wcm__words_init(&words, room, 4);
	wcm__words_text(&words, "ab…");
	wcm__words_text(&words, "c");
	CHECK_STR(put(), "ab");
	CHECK(words.is_cut);
	for (size_t size = 0; size < 3; size++) {
		wcm__words_init(&words, room, size);
		wcm__words_text(&words, "…");
		CHECK_EQ(wcm__words_length(&words), 0);
		CHECK(words.is_cut);
	}
}

static void put_string(const char *text)
{
	wcm__words_string(&words, (uintptr_t)text);
}

TEST(strings_are_escaped_and_cut)
{
	CHECK_PUT(put_string(NULL), "NULL");
	CHECK_PUT(put_string(""), "\"\"");
	CHECK_PUT(put_string("a\tb\n"), "\"a\\tb\\n\"");
	CHECK_PUT(put_string("say \"\\\""), "\"say \\\"\\\\\\\"\"");
	CHECK_PUT(put_string("\033[1m2"), "\"\\033[1m2\"");
	CHECK_PUT(put_string("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
	CHECK_PUT(put_string("\xff\xc3("), "\"\\377\\303(\"");
	/* A right-to-left override would turn the line around. */
	CHECK_PUT(put_string("a\xe2\x80\xae"), "\"a\\342\\200\\256\"");
	CHECK_PUT(put_string("12345678901234567890123456789012"),
		  "\"12345678901234567890123456789012\"");
	CHECK_PUT(put_string("123456789012345678901234567890123"),
		  "\"12345678901234567890123456789012\"...");
	CHECK_PUT(put_string("1234567890123456789012345678901\xc3\xbc."),
		  "\"1234567890123456789012345678901\"...");
	begin();
	words.hides_data = true;
	wcm__words_string(&words, 0x1234);
	wcm__words_data(&words, 0x1234, 7);
	CHECK_STR(put(), "0x12340x1234");
}

TEST(paths_are_cut_later)
{
	char path[600], expected[640];

	memset(path, 'p', sizeof(path));
	path[512] = '\0';
	snprintf(expected, sizeof(expected), "\"%s\"", path);
	CHECK_PUT(wcm__words_path(&words, (uintptr_t)path), expected);
	path[512] = 'p';
	path[599] = '\0';
	snprintf(expected, sizeof(expected), "\"%.512s\"...", path);
	CHECK_PUT(wcm__words_path(&words, (uintptr_t)path), expected);
}

/* A string that runs into memory that is not there is no string. */
TEST(what_cannot_be_read_is_an_address)
{
	char *pages = mmap(NULL, 2 * WCM_PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *last = pages + WCM_PAGE - 4, expected[32];

	CHECK(pages != MAP_FAILED);
	memset(pages, 'x', WCM_PAGE);
	CHECK_EQ(munmap(pages + WCM_PAGE, WCM_PAGE), 0);
	snprintf(expected, sizeof(expected), "%#" PRIxPTR, (uintptr_t)last);
	CHECK_PUT(put_string(last), expected);
	CHECK_PUT(wcm__words_data(&words, (uintptr_t)last, 5), expected);
	CHECK_PUT(wcm__words_data(&words, (uintptr_t)last, UINT64_MAX), expected);
	CHECK_PUT(wcm__words_data(&words, (uintptr_t)last, 4), "\"xxxx\"");
	last[3] = '\0';
	CHECK_PUT(put_string(last), "\"xxx\"");
	CHECK_PUT(wcm__words_string(&words, UINTPTR_MAX), sizeof(long) == 8 ?
		  "0xffffffffffffffff" : "0xffffffff");
	CHECK_EQ(munmap(pages, WCM_PAGE), 0);
}

TEST(data_that_are_no_text_are_in_the_screen_s_characters)
{
	static const char elf[] = "\x7f" "ELF\2\1\1\t\0\0\0\0\0\0\0\0\2\0>\0\1\0\0\0\v!@\0\0\0\0\0"
				  "\0\0\0\0\0\0\0\0";

	CHECK_PUT(wcm__words_data(&words, (uintptr_t)elf, 131072),
		  "u\"⌂ELF☻☺☺○        ☻ > ☺   ♂!@     \"...");
	CHECK_PUT(wcm__words_data(&words, (uintptr_t)elf, 8), "u\"⌂ELF☻☺☺○\"");
	CHECK_PUT(wcm__words_data(&words, (uintptr_t) "hello\n", 6), "\"hello\\n\"");
	CHECK_PUT(wcm__words_data(&words, (uintptr_t) "hello\n", 7), "u\"hello◙ \"");
	CHECK_PUT(wcm__words_data(&words, (uintptr_t) "\xe2\x80", 2), "u\"ΓÇ\"");
	CHECK_PUT(wcm__words_data(&words, (uintptr_t) "\"\\\1", 3), "u\"\\\"\\\\☺\"");
	CHECK_PUT(wcm__words_data(&words, (uintptr_t)elf, 0), "\"\"");
	CHECK_PUT(wcm__words_data(&words, 0, 10), "NULL");
	CHECK_PUT(wcm__words_quoted(&words, "ab\xc3", 3, false), "\"ab\"...");
	CHECK_PUT(wcm__words_quoted(&words, "ab\xc3", 3, true), "\"ab\\303\"");
	CHECK_PUT(wcm__words_quoted(&words, "ab\xe2z", 4, false), "\"ab\\342z\"...");
}

TEST(functions_have_names)
{
	char expected[32];

	CHECK_PUT(wcm__words_function(&words, 0), "NULL");
	CHECK_PUT(wcm__words_function(&words, 1), "0x1");
	CHECK_PUT(wcm__words_function(&words, (uintptr_t)&getenv), "&getenv");
	snprintf(expected, sizeof(expected), "%#" PRIxPTR, (uintptr_t)&getenv + 1);
	CHECK_PUT(wcm__words_function(&words, (uintptr_t)&getenv + 1), expected);
	CHECK_PUT(wcm__words_name(&words, "a\\b\x1b"), "a\\x5cb\\x1b");
}

static void put_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	wcm__words_double(&words, bits);
}

static void put_float(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	wcm__words_float(&words, bits);
}

TEST(floating_point_is_short_and_exact)
{
	CHECK_PUT(put_double(0.0), "0");
	CHECK_PUT(put_double(-0.0), "-0");
	CHECK_PUT(put_double(0.1), "0.1");
	CHECK_PUT(put_double(-1.5), "-1.5");
	CHECK_PUT(put_double(100), "100");
	CHECK_PUT(put_double(123456789), "123456789");
	CHECK_PUT(put_double(1e16), "10000000000000000");
	CHECK_PUT(put_double(1e17), "1e+17");
	CHECK_PUT(put_double(0.0001), "0.0001");
	CHECK_PUT(put_double(0.00001), "1e-05");
	CHECK_PUT(put_double(1.5e300), "1.5e+300");
	CHECK_PUT(put_double(1.7976931348623157e308), "1.7976931348623157e+308");
	CHECK_PUT(put_double(4.9406564584124654e-324), "5e-324");
	CHECK_PUT(put_double(9007199254740993.0), "9007199254740992");
	CHECK_PUT(wcm__words_double(&words, 0x7ff0000000000000), "inf");
	CHECK_PUT(wcm__words_double(&words, 0xfff0000000000000), "-inf");
	CHECK_PUT(wcm__words_double(&words, 0x7ff8000000000000), "nan");
	CHECK_PUT(put_float(0.1f), "0.1");
	CHECK_PUT(put_float(16777216.0f), "16777216");
	CHECK_PUT(put_float(1e-45f), "1e-45");
}

static uint64_t random_state = 88172645463325252;

static uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* The digits and the exponent of TEXT, whatever its form. */
static double significant(const char *text, char *digits)
{
	const double value = strtod(text, NULL);
	size_t used = 0;

	for (; *text && *text != 'e'; text++)
		if (*text >= '0' && *text <= '9' && (used > 0 || *text != '0'))
			digits[used++] = *text;
	while (used > 0 && digits[used - 1] == '0')
		used--;
	digits[used] = '\0';
	return value;
}

/* The fewest digits of printf() that strtod() reads as VALUE. */
static void shortest(double value, char *text, size_t size)
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, size, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			return;
	}
}

TEST(doubles_are_what_printf_and_strtod_agree_on)
{
	char expected[64], ours[64], theirs[64];

	for (int i = 0; i < 10000; i++) {
		const uint64_t bits = random_bits() & ~((i & 1 ? UINT64_C(0x3c) : 0) << 58);
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (value != value || value - value != 0)
			continue;
		begin();
		wcm__words_double(&words, bits);
		shortest(value, expected, sizeof(expected));
		CHECK(significant(put(), ours) == value);
		CHECK(significant(expected, theirs) == value);
		CHECK_EQ(strlen(ours), strlen(theirs));
	}
}

/* As where a handler has jumped out of what kept some: they are not to be believed. */
TEST(open_words_that_were_left_half_written_are_forgotten)
{
	static _Alignas(8) char left[256 << 10];
	struct wcm_open_words open = { left, 4096 };
	const struct wcm_call call = { .cfa = 16, .begin = 7 };
	const char *text = NULL;

	/* A truth value of another byte is what a sanitizer stops at. */
	for (unsigned byte = 1; byte < (HAVE_ASAN ? 2 : 256); byte++) {
		memset(left, (int)byte, sizeof(left));
		open.used = 4096;
		wcm__open_words_keep(&open, &call, "word", 4);
		CHECK_EQ(wcm__open_words_take(&open, &call, &text), 4);
		CHECK(memcmp(text, "word", 4) == 0);
		CHECK(open.used <= 4096);
		CHECK_EQ(wcm__open_words_take(&open, &call, &text), 0);
	}
}

/* TEXT is escaped to EXPECTED, in one piece and in buffers that are too small for it. */
static void check_escaped(enum wcm_escape how, const char *text, const char *expected)
{
	CHECK_PUT(wcm__words_escaped(&words, how, text, strlen(text)), expected);
	for (size_t size = 0; size < strlen(expected); size++) {
		wcm__words_init(&words, room, size);
		wcm__words_escaped(&words, how, text, strlen(text));
		CHECK(words.is_cut && words.at <= room + size);
		CHECK(memcmp(room, expected, wcm__words_length(&words)) == 0);
	}
}

TEST(each_reader_has_its_escapes)
{
	/* A tab, both marks, a character, one that is not seen, one of UTF-16's pairs, no UTF-8. */
	static const char text[] = "a\t\"\\\u00e9\u200b\U000e0041\xe9";

	check_escaped(WCM_ESCAPE_NAME, text,
		      "a\\x09\"\\x5c\u00e9\\xe2\\x80\\x8b\\xf3\\xa0\\x81\\x81\\xe9");
	check_escaped(WCM_ESCAPE_QUOTED, text,
		      "a\\x09\\x22\\x5c\u00e9\\xe2\\x80\\x8b\\xf3\\xa0\\x81\\x81\\xe9");
	check_escaped(WCM_ESCAPE_TEXT, text,
		      "a\\x09\"\\\u00e9\\xe2\\x80\\x8b\\xf3\\xa0\\x81\\x81\\xe9");
	check_escaped(WCM_ESCAPE_SOURCE, text,
		      "a\t\"\\\u00e9\\xe2\\x80\\x8b\\xf3\\xa0\\x81\\x81\\xe9");
	check_escaped(WCM_ESCAPE_JSON, text,
		      "a\\u0009\\\"\\\\\u00e9\\u200b\\udb40\\udc41\\ufffd");
	check_escaped(WCM_ESCAPE_JSON_TEXT, text,
		      "a\\u0009\"\\\u00e9\\u200b\\udb40\\udc41\\ufffd");
	check_escaped(WCM_ESCAPE_JSON_NAME, text,
		      "a\\\\x09\\\"\\\\x5c\u00e9\\\\xe2\\\\x80\\\\x8b"
		      "\\\\xf3\\\\xa0\\\\x81\\\\x81\\\\xe9");
	check_escaped(WCM_ESCAPE_DOT, text,
		      "a\\\\x09\\\"\\\\\u00e9\\\\xe2\\\\x80\\\\x8b"
		      "\\\\xf3\\\\xa0\\\\x81\\\\x81\\\\xe9");
	check_escaped(WCM_ESCAPE_C, text,
		      "a\\t\\\"\\\\\u00e9\\342\\200\\213\\363\\240\\201\\201\\351");
}

static char taken[ROOM];
static size_t taken_size;

static void take_out(struct wcm_words *full)
{
	memcpy(taken + taken_size, full->begin, wcm__words_length(full));
	taken_size += wcm__words_length(full);
	full->at = full->begin;
	full->is_cut = taken_size > 20;
}

TEST(a_buffer_that_is_written_out_takes_text_of_any_length)
{
	for (size_t size = 1; size < 9; size++) {
		wcm__words_init(&words, room, size);
		words.full = take_out;
		taken_size = 0;
		wcm__words_text(&words, "a \u00e9 b ");
		wcm__words_unsigned(&words, 1234567);
		wcm__words_byte(&words, '.');
		words.full(&words);
		CHECK(taken_size == 17 && memcmp(taken, "a \u00e9 b 1'234'567.", 17) == 0);
		wcm__words_text(&words, "some more than is taken");
		CHECK(words.is_cut && taken_size > 20 && taken_size <= 20 + size);
	}
}

TEST(text_ends_where_its_room_does)
{
	CHECK_EQ(wcm__format_numbered(room, 12, "fd/", -12, ".x"), 8);
	CHECK_STR(room, "fd/-12.x");
	CHECK_EQ(wcm__format_numbered(room, 9, "fd/", -12, ".x"), 8);
	CHECK_STR(room, "fd/-12.x");
	CHECK_EQ(wcm__format_numbered(room, 8, "fd/", -12, ".x"), 7);
	CHECK_STR(room, "fd/-12.");
	wcm__words_init(&words, room, 8);
	wcm__words_text(&words, "eighteen");
	CHECK(!wcm__words_finish(&words));
	wcm__words_init(&words, room, 9);
	wcm__words_text(&words, "eighteen");
	CHECK(wcm__words_finish(&words));
}

TEST(times_and_digits_keep_their_zeros)
{
	CHECK_PUT(wcm__words_duration(&words, 0), "0.000 us");
	CHECK_PUT(wcm__words_duration(&words, 999999), "999.999 us");
	CHECK_PUT(wcm__words_duration(&words, 1000000), "1.000 ms");
	CHECK_PUT(wcm__words_duration(&words, 1002003), "1.002 ms");
	CHECK_PUT(wcm__words_duration(&words, 999999999), "999.999 ms");
	CHECK_PUT(wcm__words_duration(&words, 1000000000), "1.000 s");
	CHECK_PUT(wcm__words_duration(&words, UINT64_MAX), "18'446'744'073.709 s");
	CHECK_PUT(wcm__words_seconds(&words, 1), "0.000000001");
	CHECK_PUT(wcm__words_seconds(&words, UINT64_MAX), "18446744073.709551615");
	CHECK_PUT(wcm__words_digits(&words, 7, 10, 20), "00000000000000000007");
	CHECK_PUT(wcm__words_digits(&words, 0x123, 16, 2), "123");
	CHECK_PUT(wcm__words_digits(&words, UINT64_MAX, 8, 1), "1777777777777777777777");
	CHECK_PUT(wcm__words_wide_hex(&words, 1, 0), "0x10000000000000000");
	CHECK_PUT(wcm__words_hex_bytes(&words, (const uint8_t *)"\x00\x0f\xf0", 3), "000ff0");
}

TEST(a_pattern_names_a_path)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "/tmp/%%t.%d%%", (int)getpid());
	begin();
	CHECK(wcm__path_of_pattern(&words, "/tmp/%t.%p%", false));
	CHECK_STR(put(), expected);
	begin();
	CHECK(!wcm__path_of_pattern(&words, "%%p", true));
	CHECK_STR(put(), "%p");
	wcm__words_init(&words, room, 6);
	CHECK(wcm__path_of_pattern(&words, "/tmp/%p", false));
	CHECK(!wcm__words_finish(&words));
	CHECK_STR(room, "/tmp/");
}

RUN(numbers_are_grouped, characters_are_as_in_c, nothing_is_put_past_the_end,
    a_cut_is_behind_a_whole_character_and_final, strings_are_escaped_and_cut,
    paths_are_cut_later, what_cannot_be_read_is_an_address,
    data_that_are_no_text_are_in_the_screen_s_characters, functions_have_names,
    floating_point_is_short_and_exact, doubles_are_what_printf_and_strtod_agree_on,
    open_words_that_were_left_half_written_are_forgotten, each_reader_has_its_escapes,
    a_buffer_that_is_written_out_takes_text_of_any_length, text_ends_where_its_room_does,
    times_and_digits_keep_their_zeros, a_pattern_names_a_path)
