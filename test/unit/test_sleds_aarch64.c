/* SPDX-License-Identifier: MIT */
/* test_sleds_aarch64.c - the code that is written over NOPs, word by word as the assembler writes
 * it; and that functions get, and give back, all registers through it. */
#include <string.h>

#include "core/arch/arch.h"
#include "core/os/read.h"
#include "support/check.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* NAME[] and where it ends. */
#define CODE(name, text)                                                       \
	extern const uint8_t name[] HIDDEN, name##_end[] HIDDEN;               \
	__asm__(".pushsection .text\n\t.p2align 4\n" #name ":\n\t" text        \
		"\n" #name "_end:\n\tnop\n\t.popsection")

/* As gcc and clang have them, with -mbranch-protection=standard and without. */
CODE(signing, "hint #34\n\tnop\n\tnop\n\tpaciasp\n\tret");
CODE(plain, "nop\n\tnop\n\tmov x0, x1\n\tret");
CODE(five, "nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tret");
CODE(one, "nop\n\tstp x29, x30, [sp, #-16]!\n\tret");
CODE(none, "paciasp\n\tnop\n\tnop\n\tret");

static bool is_found(const uint8_t *code, size_t wanted, size_t size)
{
	bool at_entry = false;
	size_t at;

	return wcm__arch_sled_find(code, 16, &at, &at_entry) && at == wanted && at_entry &&
	       wcm__arch_sled_size(code + at, 24) == size;
}

TEST(sleds_are_two_nops_in_front_of_what_signs)
{
	CHECK(is_found(signing, 4, 8));
	CHECK(is_found(plain, 0, 8));
	CHECK(is_found(five, 0, 20));
	CHECK(!is_found(one, 0, 4));
	CHECK(!is_found(none, 0, 8));
	CHECK_EQ(wcm__arch_sled_size(one, 16), 4); /* where the compiler lists it */
	CHECK_EQ(wcm__arch_sled_size(none, 16), 0);
	CHECK_EQ(wcm__arch_sled_size(one, 3), 0);
	CHECK_EQ(wcm__arch_landing_size(signing, 16), 4);
	CHECK_EQ(wcm__arch_landing_size(none, 16), 0);
}

CODE(jump_ahead, "b none_end");
CODE(jump_back, "b signing");
CODE(a_stub, "adr x16, 1f\n\tb signing\n1:\tb none_end");
CODE(far, "ldr x17, 1f\n\tbr x17\n1:\t.quad 0x123456789abcdef0");

static bool is_jump(const uint8_t *as, const uint8_t *to)
{
	uint8_t code[8] = { 0 };

	return wcm__arch_sled_call(code, 8, (uintptr_t)as, (uintptr_t)to) &&
	       memcmp(code, as, 4) == 0 && code[4] == 0;
}

TEST(jumps_and_stubs_are_the_assemblers)
{
	uint8_t code[WCM_FAR_JUMP_MOST];

	CHECK(is_jump(jump_ahead, none_end));
	CHECK(is_jump(jump_back, signing));
	CHECK(wcm__arch_sled_stub(code, (uintptr_t)a_stub, (uintptr_t)none_end,
				  (uintptr_t)signing));
	CHECK(memcmp(code, a_stub, WCM_SLED_STUB) == 0);
	CHECK_EQ(wcm__arch_far_jump(code, 0x123456789abcdef0), 16);
	CHECK(memcmp(code, far, 16) == 0);
}

/* objdump -d of the words: b .-0x8000000, b .+0x7fffffc. */
TEST(a_jump_reaches_128_mib)
{
	static const uint8_t back[] = { 0, 0, 0, 0x16 }, ahead[] = { 0xff, 0xff, 0xff, 0x15 };
	const uintptr_t at = 0x5500000000, most = 128 << 20;
	uint8_t code[4];

	CHECK(wcm__arch_jump(code, at, at - most) && memcmp(code, back, 4) == 0);
	CHECK(wcm__arch_jump(code, at, at + most - 4) && memcmp(code, ahead, 4) == 0);
	CHECK(!wcm__arch_jump(code, at, at - most - 4));
	CHECK(!wcm__arch_jump(code, at, at + most));
	CHECK(!wcm__arch_jump(code, at + 2, at));
	CHECK(wcm__arch_sled_reaches(at, at - most) && !wcm__arch_sled_reaches(at, at + most));
}

/* The return address is in x30 until the entry has it. */
TEST(a_stub_is_walked_through)
{
	struct wcm_rule rule;

	for (int at = 0; at < 12; at += 4) {
		rule = (struct wcm_rule){ .base = WCM_BASE_NONE };
		CHECK(wcm__arch_stub_rule(&rule, (uintptr_t)a_stub + (uintptr_t)at,
					  wcm__read_memory));
		CHECK_EQ(rule.base, WCM_BASE_SP);
		CHECK_EQ(rule.cfa_off, 0);
		CHECK(!rule.ra_saved);
	}
	CHECK(wcm__arch_stub_rule(&rule, (uintptr_t)far, wcm__read_memory));
	CHECK(wcm__arch_stub_rule(&rule, (uintptr_t)far + 4, wcm__read_memory));
	CHECK(!wcm__arch_stub_rule(&rule, (uintptr_t)jump_back, wcm__read_memory));
}

CODE(empty, "hint #34\n\tret");
CODE(full, "mov x0, x1\n\tret");

TEST(what_does_nothing_is_a_return)
{
	size_t at;

	CHECK(wcm__arch_empty_function(empty, 8, &at) && at == 4);
	CHECK(wcm__arch_empty_function(empty + 4, 4, &at) && at == 0);
	CHECK(!wcm__arch_empty_function(empty, 4, &at));
	CHECK(!wcm__arch_empty_function(full, 8, &at));
}

/* General registers but x16, x17, the frame pointer and what has the address, and vectors. */
struct state {
	uint64_t general[32];
	__uint128_t vector[32];
};

#define EACH_GENERAL(instruction) \
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21, 22, 23, " \
	"24, 25, 26, 27\n\t" instruction "\n\t.endr\n\t"
#define EACH_VECTOR(instruction) \
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, " \
	"22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t" instruction "\n\t.endr\n\t"

/* run(given, got, function): have FUNCTION called with what is GIVEN; what it GOT then. */
void run(const struct state *given, struct state *got, const void *function) HIDDEN;
__asm__(".pushsection .text\n"
	"run:\n\t"
	"stp x29, x30, [sp, #-176]!\n\t"
	"mov x29, sp\n\t"
	"stp x19, x20, [sp, #16]\n\t"
	"stp x21, x22, [sp, #32]\n\t"
	"stp x23, x24, [sp, #48]\n\t"
	"stp x25, x26, [sp, #64]\n\t"
	"stp x27, x28, [sp, #80]\n\t"
	"stp d8, d9, [sp, #96]\n\t"
	"stp d10, d11, [sp, #112]\n\t"
	"stp d12, d13, [sp, #128]\n\t"
	"stp d14, d15, [sp, #144]\n\t"
	"str x1, [sp, #160]\n\t"
	"mov x16, x2\n\t"
	"mov x28, x0\n\t"
	"add x17, x28, #256\n\t"
	EACH_VECTOR("ldr q\\n, [x17, #16*\\n]")
	EACH_GENERAL("ldr x\\n, [x28, #8*\\n]")
	"blr x16\n\t"
	"ldr x28, [sp, #160]\n\t"
	"add x17, x28, #256\n\t"
	EACH_VECTOR("str q\\n, [x17, #16*\\n]")
	EACH_GENERAL("str x\\n, [x28, #8*\\n]")
	"ldp d14, d15, [sp, #144]\n\t"
	"ldp d12, d13, [sp, #128]\n\t"
	"ldp d10, d11, [sp, #112]\n\t"
	"ldp d8, d9, [sp, #96]\n\t"
	"ldp x27, x28, [sp, #80]\n\t"
	"ldp x25, x26, [sp, #64]\n\t"
	"ldp x23, x24, [sp, #48]\n\t"
	"ldp x21, x22, [sp, #32]\n\t"
	"ldp x19, x20, [sp, #16]\n\t"
	"ldp x29, x30, [sp], #176\n\t"
	"ret\n\t"
	".popsection");

/* A function with the call of a sled in place of its first NOP, and its stub. */
CODE(patched, "b 1f\n\tnop\n2:\tret\n1:\tadr x16, 3f\n\tb wcm__arch_sled_entry\n3:\tb 2b");

/* What a callee may spoil, and what is lost of the vectors that it must not. */
static void spoil_general(void)
{
	__asm__ volatile(".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, "
			 "18\n\tmov x\\n, #\\n\n\t.endr"
			 ::: "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
			     "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "memory");
}

static void spoil_vectors(void)
{
	__asm__ volatile(EACH_VECTOR("mov v\\n\\().d[1], xzr")
			 ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, "
			 "25, 26, 27, 28, 29, 30, 31\n\t"
			 "movi v\\n\\().16b, #\\n\n\t.endr"
			 ::: "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18",
			     "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
			     "v29", "v30", "v31", "memory");
}

static bool is_all;        /* the first stage does all */
static unsigned seen;      /* hooks that were called */
static uintptr_t expected; /* the pc that they have to be told */
static uintptr_t true_return;

static void look(uintptr_t *frame)
{
	const struct wcm_regs at = wcm__arch_sled_caller(frame);

	seen++;
	CHECK_EQ(at.pc, expected);
	CHECK_EQ(at.fp, (uintptr_t)at.sp); /* run() keeps a frame there */
	spoil_general();
}

static bool first(uintptr_t *frame)
{
	look(frame);
	return is_all;
}

static uintptr_t returned(uintptr_t *frame)
{
	look(frame);
	return is_all ? true_return : 0;
}

static void hook(uintptr_t *frame)
{
	look(frame);
	spoil_vectors();
	if (wcm__arch_trampoline_number(expected) >= 0)
		wcm__arch_sled_go_on(frame, true_return);
}

/* The trampoline 3 in place of where run() is to go on. */
CODE(returning, "adrp x16, true_return_of_run\n\tstr x30, [x16, #:lo12:true_return_of_run]\n\t"
		"adrp x30, wcm__arch_trampolines + 24\n\t"
		"add x30, x30, #:lo12:wcm__arch_trampolines + 24\n\tret");
extern uintptr_t true_return_of_run HIDDEN;
uintptr_t true_return_of_run;

/* Nothing but x16 and x17 changes. */
static void check_kept(const uint8_t *function)
{
	struct state given, got = { { 0 }, { 0 } };
	uint64_t value = 0x123456789abcdef;

	for (size_t i = 0; i < sizeof(given) / sizeof(value); i++) {
		value = value * 6364136223846793005 + 1442695040888963407;
		memcpy((char *)&given + i * sizeof(value), &value, sizeof(value));
	}
	for (int i = 16; i < 32; i++)
		if (i < 18 || i > 27)
			given.general[i] = 0;
	run(&given, &got, function);
	for (int i = 0; i < 32; i++)
		if (got.general[i] != given.general[i] || got.vector[i] != given.vector[i])
			fail_msg("register %d", i);
}

TEST(an_entry_keeps_all_registers)
{
	wcm__arch_sled_prepare(first, returned, hook);
	expected = (uintptr_t)patched + 8;
	for (int all = 0; all < 2; all++) {
		is_all = all;
		seen = 0;
		check_kept(patched);
		CHECK_EQ(seen, all ? 1 : 2);
	}
}

static uintptr_t returned_to_run(uintptr_t *frame)
{
	true_return = true_return_of_run;
	return returned(frame);
}

TEST(a_trampoline_keeps_all_registers)
{
	wcm__arch_sled_prepare(first, returned_to_run, hook);
	expected = wcm__arch_trampoline(3) + 4;
	CHECK_EQ(wcm__arch_trampoline_number(expected), 3);
	CHECK_EQ(wcm__arch_trampoline_number(expected - 4), 3);
	CHECK_EQ(wcm__arch_trampoline_number(expected + 1), -1);
	for (int all = 0; all < 2; all++) {
		is_all = all;
		seen = 0;
		check_kept(returning);
		CHECK_EQ(seen, all ? 1 : 2);
	}
}

RUN(sleds_are_two_nops_in_front_of_what_signs, jumps_and_stubs_are_the_assemblers,
    a_jump_reaches_128_mib, a_stub_is_walked_through, what_does_nothing_is_a_return,
    an_entry_keeps_all_registers, a_trampoline_keeps_all_registers)
