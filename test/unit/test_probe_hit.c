/* SPDX-License-Identifier: MIT */
/* test_probe_hit.c - the values of a probe, of each size and sign, and all bits around. */
#include "trace/probes/probe_hit.h"

#include "core/arch/registers.h"
#include "support/check.h"

static char room[256];
static struct wcm_registers registers;

static const char *shown(const char *values)
{
	const struct wcm_probe_hit hit = { values, &registers };
	struct wcm_words words;

	wcm__words_init(&words, room, sizeof(room) - 1);
	wcm__probe_words(&words, &hit);
	*words.at = '\0';
	return room;
}

static void begin(void)
{
	struct wcm_probe_symbol symbol;

	if (!wcm__arch_probe_symbol(&symbol, "a", 1) || sizeof(void *) < 8)
		SKIP("this CPU has no probes");
}

/* rax, which is column 0. */
static void give(uint64_t word)
{
	begin();
	registers = (struct wcm_registers){ 0 };
	wcm__register_set(&registers, 0, (uintptr_t)word);
}

TEST(values_are_as_wide_as_they_are)
{
	give(UINT64_C(0xfedcba9876543280));
	CHECK_STR(shown("-1@%al 1@%al"), "(-128, 128)");
	CHECK_STR(shown("-1@%ah 1@%ah"), "(50, 50)");
	CHECK_STR(shown("-2@%ax 2@%ax"), "(12'928, 12'928)");
	CHECK_STR(shown("-4@%eax 4@%eax"), "(1'985'229'440, 1'985'229'440)");
	CHECK_STR(shown("-8@%rax 8@%rax"), "(-81'985'529'216'486'784, 0xfedcba9876543280)");
	give(UINT64_C(0x12345678ffffffff));
	CHECK_STR(shown("-1@%al 1@%al -1@%ah 1@%ah"), "(-1, 255, -1, 255)");
	CHECK_STR(shown("-2@%ax 2@%ax -4@%eax 4@%eax"), "(-1, 65'535, -1, 4'294'967'295)");
	give(UINT64_C(0x1234567800000000));
	CHECK_STR(shown("-1@%al 1@%al -2@%ax 2@%ax -4@%eax 4@%eax"), "(0, 0, 0, 0, 0, 0)");
	give(UINT64_C(0x8000));
	CHECK_STR(shown("-2@%ax 2@%ax -4@%eax -1@%ah 1@%al"), "(-32'768, 32'768, 32'768, -128, 0)");
}

TEST(constants_and_memory)
{
	static const uint8_t bytes[] = { 0x80, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x80 };

	give((uintptr_t)bytes);
	CHECK_STR(shown("-4@$-1 4@$-1 1@$-1 -1@$255 8@$-1 -8@$0"),
		  "(-1, 4'294'967'295, 255, -1, 0xffffffffffffffff, 0)");
	CHECK_STR(shown("-1@(%rax) 1@(%rax) -1@8(%rax) -1@4(%rax)"), "(-128, 128, -128, 127)");
	CHECK_STR(shown("-2@(%rax) 2@(%rax) -4@(%rax) 4@(%rax)"),
		  "(-128, 65'408, -128, 4'294'967'168)");
	CHECK_STR(shown("-8@1(%rax)"), "(-9'151'314'444'964'331'521)");
	CHECK_STR(shown("4f@$0x3f800000 8f@$0x3ff8000000000000"), "(1, 1.5)");
	registers = (struct wcm_registers){ 0 };
	CHECK_STR(shown("4@(%rax) 4@%rax 4@8"), "(?, ?, ?)");
	CHECK_STR(shown("3@$1 16@$1 -16@$1"), "(?, ?, ?)");
}

/* One less than are shown, as many, and one more. */
TEST(twelve_are_shown)
{
	begin();
	CHECK_STR(shown(""), "()");
	CHECK_STR(shown("4@$1 4@$2 4@$3 4@$4 4@$5 4@$6 4@$7 4@$8 4@$9 4@$10 4@$11"),
		  "(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)");
	CHECK_STR(shown("4@$1 4@$2 4@$3 4@$4 4@$5 4@$6 4@$7 4@$8 4@$9 4@$10 4@$11 4@$12"),
		  "(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)");
	CHECK_STR(shown("4@$1 4@$2 4@$3 4@$4 4@$5 4@$6 4@$7 4@$8 4@$9 4@$10 4@$11 4@$12 4@$13"),
		  "(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12...)");
}

RUN(values_are_as_wide_as_they_are, constants_and_memory, twelve_are_shown)
