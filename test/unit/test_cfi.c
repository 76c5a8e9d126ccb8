/* SPDX-License-Identifier: MIT */
/* test_cfi.c - call frame instructions and expressions that compilers seldom
 * write, run by hand-made programs on hand-made registers. */
#include "core/cfi/cfi.h"

#include "support/check.h"

/* Of the CPUs that there are ports for, the registers BX and OTHER are a callee's to keep,
 * LOST is not. */
enum {
	CODE = 0x1000, W = sizeof(uintptr_t), WORDS = 16,
	FP = WCM_COLUMN_FP, SP = WCM_COLUMN_SP, RA = WCM_COLUMN_RA,
	BX = WCM_HAS_LINK_REGISTER ? 19 : 3, OTHER = WCM_HAS_LINK_REGISTER ? 20 : RA - 1,
	LOST = WCM_HAS_LINK_REGISTER ? 10 : 0, BREG = 0x70,
};

#define BYTES(...) (const unsigned char[]){ __VA_ARGS__ }, \
	sizeof((const unsigned char[]){ __VA_ARGS__ })

static const struct wcm_span nowhere = { 0, 0 };
static uintptr_t stack[WORDS];

static void need_this_cpu(void)
{
	if (WCM_COLUMNS_PRESERVED == 0)
		SKIP("this CPU has no port");
}

/* The row at CODE + OFFSET of a program behind a CIE with CFA = sp + 8. */
static bool row_of(struct wcm_row *row, uintptr_t offset,
		   const unsigned char *program, size_t size)
{
	static const unsigned char common[] = { 0x0c, SP, 8, 0x80 | RA, 1 };
	const struct wcm_fde fde = {
		.start = CODE,
		.end = CODE + 0x1000,
		.common_at = (uintptr_t)common,
		.common_end = (uintptr_t)common + sizeof(common),
		.at = (uintptr_t)program,
		.instructions_end = (uintptr_t)program + size,
		.code_align = 2,
		.data_align = -W,
		.ra_column = RA,
	};

	return wcm__cfi_row(row, &fde, CODE + offset);
}

static uint64_t random_bits(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Mostly operations that there are, with small operands; some bytes of any kind. */
static void random_program(unsigned char *program, size_t size)
{
	static const unsigned char operations[] = {
		0x00, 0x02, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0e, 0x0f,
		0x12, 0x13, 0x14, 0x2c, 0x2d, 0x2e, 0x41, 0x42, 0x80 | FP, 0x80 | RA, 0xc0 | FP,
	};

	for (size_t i = 0; i < size; i++) {
		const uint64_t bits = random_bits() >> 16;

		if (bits % 16 == 0)
			program[i] = (unsigned char)(bits >> 8);
		else if (bits % 2 == 0)
			program[i] = operations[(bits >> 8) % sizeof(operations)];
		else
			program[i] = (bits >> 8) % 17;
	}
}

static void check_same(const struct wcm_saved *a, const struct wcm_saved *b)
{
	CHECK_EQ(a->kind, b->kind);
	CHECK_EQ(a->column, b->column);
	CHECK_EQ(a->size, b->size);
	CHECK_EQ(a->offset, b->offset);
}

TEST(a_table_that_is_held_has_the_same_rows)
{
	enum { PROGRAMS = 200000, LONGEST = 24 };
	unsigned rows = 0;

	for (unsigned i = 0; i < PROGRAMS; i++) {
		unsigned char program[LONGEST];
		const size_t size = random_bits() % (LONGEST + 1);
		const uintptr_t at = (uintptr_t)program;
		struct wcm_fde fde = {
			.start = CODE, .end = CODE + 0x1000,
			.common_at = at, .common_end = at + size / 3,
			.at = at + size / 3, .instructions_end = at + size,
			.code_align = 1 + random_bits() % 2, .data_align = -W, .ra_column = RA,
		};
		const uintptr_t pc = CODE + random_bits() % 32;
		struct wcm_row copied, held;
		bool is_row;

		random_program(program, size);
		is_row = wcm__cfi_row(&copied, &fde, pc);
		fde.held = true;
		CHECK_EQ(wcm__cfi_row(&held, &fde, pc), is_row);
		if (!is_row)
			continue;
		rows++;
		check_same(&held.cfa, &copied.cfa);
		for (unsigned column = 0; column < WCM_COLUMNS; column++)
			check_same(&held.saved[column], &copied.saved[column]);
	}
	CHECK(rows > PROGRAMS / 4);
}

#define CHECK_SAVED(saved, wanted_kind, wanted_offset)       \
	do {                                                   \
		CHECK_EQ((saved).kind, WCM_REG_##wanted_kind);     \
		CHECK_EQ((saved).offset, (intptr_t)(wanted_offset)); \
	} while (0)

TEST(advances_by_the_code_alignment)
{
	/* by 1, 0x10, 0x100, 0x200 units of two bytes */
	static const unsigned char program[] = {
		0x41, 0x0e, 16, 0x02, 0x10, 0x0e, 24, 0x03, 0x00, 0x01, 0x0e, 32,
		0x04, 0x00, 0x02, 0x00, 0x00, 0x0e, 40,
	};
	static const struct {
		uintptr_t offset;
		int64_t cfa;
	} wanted[] = {
		{ 0, 8 }, { 1, 8 }, { 2, 16 }, { 0x21, 16 }, { 0x22, 24 },
		{ 0x221, 24 }, { 0x222, 32 }, { 0x621, 32 }, { 0x622, 40 },
	};
	struct wcm_row row;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		CHECK(row_of(&row, wanted[i].offset, program, sizeof(program)));
		CHECK_EQ(row.cfa.offset, wanted[i].cfa);
	}
}

TEST(sets_the_location)
{
	static const unsigned char program[] = { 0x01, 0x40, 0x10, 0, 0, 0, 0, 0,
						 0, 0x0e, 64 };
	struct wcm_row row;

	CHECK(row_of(&row, 0x3f, program, sizeof(program)));
	CHECK_EQ(row.cfa.offset, 8);
	CHECK(row_of(&row, 0x40, program, sizeof(program)));
	CHECK_EQ(row.cfa.offset, 64);
}

TEST(defines_the_cfa)
{
	struct wcm_row row;

	CHECK(row_of(&row, 0, BYTES(0x0c, FP, 0x90, 0x01)));
	CHECK_EQ(row.cfa.column, FP);
	CHECK_EQ(row.cfa.offset, 144);
	CHECK(row_of(&row, 0, BYTES(0x12, BX, 0x7e))); /* sf: -2 * -W */
	CHECK_EQ(row.cfa.column, BX);
	CHECK_EQ(row.cfa.offset, 2 * W);
	CHECK(row_of(&row, 0, BYTES(0x13, 0x7d))); /* offset_sf: -3 * -W */
	CHECK_EQ(row.cfa.column, SP);
	CHECK_EQ(row.cfa.offset, 3 * W);
	CHECK(row_of(&row, 0, BYTES(0x0d, OTHER)));
	CHECK_EQ(row.cfa.column, OTHER);
	CHECK_EQ(row.cfa.offset, 8);
	CHECK(row_of(&row, 0, BYTES(0x0f, 1, 0x77)));
	CHECK_EQ(row.cfa.kind, WCM_REG_VAL_EXPRESSION);
	CHECK_EQ(row.cfa.size, 1);
}

TEST(says_where_registers_are)
{
	struct wcm_row row;

	CHECK(row_of(&row, 0, BYTES(0x80 | FP, 2)));
	CHECK_SAVED(row.saved[FP], OFFSET, -2 * W);
	CHECK(row_of(&row, 0, BYTES(0x05, BX, 0x81, 0x01)));
	CHECK_SAVED(row.saved[BX], OFFSET, -129 * W);
	CHECK(row_of(&row, 0, BYTES(0x11, BX, 0x7f)));
	CHECK_SAVED(row.saved[BX], OFFSET, W);
	CHECK(row_of(&row, 0, BYTES(0x2f, BX, 2))); /* GNU, negative */
	CHECK_SAVED(row.saved[BX], OFFSET, 2 * W);
	CHECK(row_of(&row, 0, BYTES(0x14, SP, 2)));
	CHECK_SAVED(row.saved[SP], VAL_OFFSET, -2 * W);
	CHECK(row_of(&row, 0, BYTES(0x15, SP, 0x7e)));
	CHECK_SAVED(row.saved[SP], VAL_OFFSET, 2 * W);
	CHECK(row_of(&row, 0, BYTES(0x09, FP, OTHER)));
	CHECK_EQ(row.saved[FP].kind, WCM_REG_REGISTER);
	CHECK_EQ(row.saved[FP].column, OTHER);
	CHECK(row_of(&row, 0, BYTES(0x07, RA)));
	CHECK_EQ(row.saved[RA].kind, WCM_REG_UNDEFINED);
	CHECK(row_of(&row, 0, BYTES(0x80 | FP, 2, 0x08, FP)));
	CHECK_EQ(row.saved[FP].kind, WCM_REG_SAME_VALUE);
	CHECK(row_of(&row, 0, BYTES(0x80 | RA, 5, 0x06, RA)));
	CHECK_SAVED(row.saved[RA], OFFSET, -W);
	CHECK(row_of(&row, 0, BYTES(0x80 | RA, 5, 0xc0 | RA)));
	CHECK_SAVED(row.saved[RA], OFFSET, -W);
	CHECK(row_of(&row, 0, BYTES(0x10, BX, 2, 0x77, 8, 0x2e, 16, 0x2d, 0)));
	CHECK_EQ(row.saved[BX].kind, WCM_REG_EXPRESSION);
	/* Vector and x87 registers are nobody's business. */
	CHECK(row_of(&row, 0, BYTES(0x05, 60, 1, 0x10, 60, 1, 0x77, 0x06, 60)));
}

TEST(remembers_states_within_states)
{
	struct wcm_row row;
	unsigned char program[64];
	size_t size = 0;

	for (unsigned i = 1; i <= 8; i++) {
		program[size++] = 0x0a;
		program[size++] = 0x0e;
		program[size++] = (unsigned char)(8 + 8 * i);
	}
	for (unsigned left = 8; left > 0; left--) {
		program[size++] = 0x0b;
		CHECK(row_of(&row, 0, program, size));
		CHECK_EQ(row.cfa.offset, 8 * left);
	}
	program[size++] = 0x0b;
	CHECK(!row_of(&row, 0, program, size)); /* one too many */
}

/* What compilers write between a function's first instructions and before its last ones, and
 * libraries built by others, with the pc. */
TEST(signed_return_addresses_change_no_row)
{
	static const unsigned char signing[] = { 0x2d, 0x2c };
	struct wcm_row row;

	for (size_t i = 0; i < sizeof(signing); i++) {
		const unsigned char op = signing[i];
		const unsigned char program[] = { 0x41, op, 0x41, 0x0e, 32, 0x80 | RA, 2, 0x0a,
						  0x41, 0xc0 | RA, 0x0e, 0, 0x41, op, 0x41, 0x0b };

		for (unsigned offset = 0; offset < 12; offset++) {
			const bool is_made = offset >= 4 && offset < 6, is_again = offset >= 10;

			CHECK(row_of(&row, offset, program, sizeof(program)));
			CHECK_EQ(row.cfa.offset, is_made || is_again ? 32 : offset < 4 ? 8 : 0);
			CHECK_EQ(row.saved[RA].offset, is_made || is_again ? 2 * -W : -W);
		}
	}
}

TEST(refuses_what_it_does_not_know)
{
	struct wcm_row row;

	CHECK(!row_of(&row, 0, BYTES(0x17)));
	CHECK(!row_of(&row, 0, BYTES(0x3f)));
	CHECK(!row_of(&row, 0, BYTES(0x0e))); /* cut off */
	CHECK(!row_of(&row, 0, BYTES(0x10, BX, 9, 0x77)));
}

/* The value of an expression with BX = 40, SP = the stack, CFA = 7. */
static bool value_of(uintptr_t *value, const unsigned char *code, size_t size)
{
	const uintptr_t initial = 7;
	struct wcm_registers registers = { 0 };

	wcm__register_set(&registers, BX, 40);
	wcm__register_set(&registers, SP, (uintptr_t)stack);
	return wcm__expr_evaluate((uintptr_t)code, (uintptr_t)code + size,
				  &registers, &nowhere, &initial, value);
}

#define CHECK_VALUE(wanted, ...)                                 \
	do {                                                     \
		uintptr_t value;                                 \
		CHECK(value_of(&value, BYTES(__VA_ARGS__)));     \
		CHECK_EQ(value, (uintptr_t)(wanted));             \
	} while (0)
#define CHECK_NO_VALUE(...)                                      \
	do {                                                     \
		uintptr_t value;                                 \
		CHECK(!value_of(&value, BYTES(__VA_ARGS__)));    \
	} while (0)

TEST(computes)
{
	need_this_cpu();
	CHECK_VALUE(7, 0x96);                          /* nop */
	CHECK_VALUE(31, 0x4f);                         /* lit31 */
	CHECK_VALUE(-1, 0x09, 0xff);                   /* const1s */
	CHECK_VALUE(0xfedc, 0x0a, 0xdc, 0xfe);         /* const2u */
	CHECK_VALUE(-292, 0x0b, 0xdc, 0xfe);           /* const2s */
	CHECK_VALUE(-2, 0x0d, 0xfe, 0xff, 0xff, 0xff); /* const4s */
	CHECK_VALUE(128, 0x10, 0x80, 0x01);            /* constu */
	CHECK_VALUE(-128, 0x11, 0x80, 0x7f);           /* consts */
	CHECK_VALUE(36, BREG + BX, 0x7c);             /* breg BX -4 */
	CHECK_VALUE(41, 0x92, BX, 1);                 /* bregx */
	CHECK_VALUE(14, 0x12, 0x22);                   /* dup, plus */
	CHECK_VALUE(7, 0x33, 0x14, 0x13, 0x13);        /* lit3, over, drop, drop */
	CHECK_VALUE(-4, 0x33, 0x16, 0x1c);             /* lit3, swap, minus */
	CHECK_VALUE(7, 0x33, 0x34, 0x15, 2);           /* lit3, lit4, pick 2 */
	CHECK_VALUE(3, 0x33, 0x34, 0x17);              /* rot: 4 goes below 7 */
	CHECK_VALUE(4, 0x33, 0x34, 0x17, 0x13, 0x13);
	CHECK_VALUE(4, 0x09, 0xfc, 0x19);              /* abs */
	CHECK_VALUE(-3, 0x09, 0xf9, 0x32, 0x1b);       /* -7 / 2 */
	CHECK_VALUE(1, 0x32, 0x1d);                    /* mod */
	CHECK_VALUE(21, 0x33, 0x1e);                   /* mul */
	CHECK_VALUE(-7, 0x1f);                         /* neg */
	CHECK_VALUE(-8, 0x20);                         /* not */
	CHECK_VALUE(135, 0x23, 0x80, 0x01);            /* plus_uconst */
	CHECK_VALUE(56, 0x33, 0x24);                   /* shl */
	CHECK_VALUE(-2, 0x09, 0xf8, 0x32, 0x26);       /* shra */
	CHECK_VALUE(0, 0x08, 64, 0x24);                /* shl by the width */
	CHECK_VALUE(5, 0x32, 0x27);                    /* xor */
	CHECK_VALUE(1, 0x09, 0xff, 0x2a);              /* 7 >= -1 */
	CHECK_VALUE(0, 0x09, 0xff, 0x2d);              /* 7 < -1 */
	CHECK_VALUE(2, 0x28, 1, 0, 0x31, 0x32);        /* bra over lit1 */
	CHECK_VALUE(2, 0x2f, 1, 0, 0x31, 0x32);        /* skip over lit1 */
}

/* breg SP W, breg RA 0, lit15, and, lit11, ge, lit3 or lit2, shl, plus: one word more from
 * the stub's twelfth byte on */
TEST(computes_the_cfa_of_linkage_stubs)
{
	static const unsigned char code[] = { BREG + SP, W, BREG + RA, 0, 0x3f, 0x1a, 0x3b,
					      0x2a, W == 8 ? 0x33 : 0x32, 0x24, 0x22 };
	struct wcm_registers registers = { 0 };
	uintptr_t value;

	need_this_cpu();
	wcm__register_set(&registers, SP, 0x7000);
	for (uintptr_t pc = CODE; pc < CODE + 16; pc++) {
		wcm__register_set(&registers, RA, pc);
		CHECK(wcm__expr_evaluate((uintptr_t)code,
					 (uintptr_t)code + sizeof(code),
					 &registers, &nowhere, NULL, &value));
		CHECK_EQ(value, 0x7000 + (pc < CODE + 11 ? W : 2 * W));
	}
}

TEST(reads_memory)
{
	need_this_cpu();
	stack[0] = (uintptr_t)0x1122334455667788;
	stack[1] = 99;
	CHECK_VALUE(99, BREG + SP, W, 0x06);        /* breg SP W, deref */
	CHECK_VALUE(0x7788, BREG + SP, 0, 0x94, 2); /* deref_size */
	CHECK_VALUE(0x55667788, BREG + SP, 0, 0x94, 4);
	CHECK_NO_VALUE(0x31, 0x06);                 /* at address 1 */
	CHECK_NO_VALUE(BREG + SP, 0, 0x94, 9);
}

TEST(refuses_what_has_no_value)
{
	CHECK_NO_VALUE(0x13, 0x13);       /* the stack is empty */
	CHECK_NO_VALUE(0x13);             /* nothing is left */
	CHECK_NO_VALUE(0x30, 0x1b);       /* division by zero */
	CHECK_NO_VALUE(0x30, 0x1d);
	CHECK_NO_VALUE(0x70, 0);          /* was overwritten */
	CHECK_NO_VALUE(0x50);             /* reg0 is a location */
	CHECK_NO_VALUE(0x2f, 0xfd, 0xff); /* for ever */
	CHECK_NO_VALUE(0x2f, 9, 0);       /* out of it */
	CHECK_NO_VALUE(0x0e, 1, 2);       /* cut off */
}

TEST(steps_by_a_row_that_names_everything)
{
	/* CFA = BX + 2 words, sp = CFA - 2 words, fp in OTHER, RA at CFA - 3 words */
	struct wcm_registers registers = { .pc = CODE };
	struct wcm_row row;
	const struct wcm_fde fde = { .ra_column = RA };

	need_this_cpu();
	stack[1] = 0x777000;
	wcm__register_set(&registers, SP, (uintptr_t)stack);
	wcm__register_set(&registers, BX, (uintptr_t)&stack[2]);
	wcm__register_set(&registers, OTHER, 0x1234);
	wcm__register_set(&registers, LOST, 5);
	CHECK(row_of(&row, 0, BYTES(0x0c, BX, 2 * W, 0x14, SP, 2, 0x09, FP, OTHER,
				    0x80 | RA, 3)));
	CHECK_EQ(wcm__cfi_step(&registers, &row, &fde, &nowhere), WCM_STOP_NONE);
	CHECK_EQ(registers.pc, 0x777000);
	CHECK_EQ(registers.value[SP], (uintptr_t)&stack[2]);
	CHECK_EQ(registers.value[FP], 0x1234);
	CHECK_EQ(registers.value[BX], (uintptr_t)&stack[2]);
	CHECK_EQ(registers.known >> LOST & 1, 0); /* a callee may overwrite it */
}

/* As of i386's main(), interrupted in a thunk that it calls before it has a frame. */
TEST(a_cfa_may_be_relative_to_what_a_callee_has_left_alone)
{
	struct wcm_registers registers = { .pc = CODE };
	const struct wcm_fde fde = { .ra_column = RA };
	struct wcm_row callee, row;

	need_this_cpu();
	stack[0] = 0x777000;
	stack[4] = 0x888000;
	wcm__register_set(&registers, SP, (uintptr_t)stack);
	wcm__register_set(&registers, LOST, (uintptr_t)&stack[5]);
	CHECK(row_of(&callee, 0, BYTES(0x0c, SP, W, 0x80 | RA, 1)));
	CHECK(row_of(&row, 0, BYTES(0x0c, LOST, 0, 0x80 | RA, 1)));
	CHECK_EQ(wcm__cfi_step(&registers, &callee, &fde, &nowhere), WCM_STOP_NONE);
	CHECK_EQ(registers.pc, 0x777000);
	CHECK_EQ(wcm__cfi_step(&registers, &row, &fde, &nowhere), WCM_STOP_NONE);
	CHECK_EQ(registers.pc, 0x888000);
	CHECK_EQ(registers.value[SP], (uintptr_t)&stack[5]);
	/* Two calls are too many. */
	CHECK_EQ(wcm__cfi_step(&registers, &row, &fde, &nowhere), WCM_STOP_UNREADABLE);
}

TEST(leaves_what_was_pushed_in_front_of_the_description)
{
	/* CFA = sp, RA at CFA + 1 word */
	struct wcm_registers registers = { .pc = CODE };
	const struct wcm_fde fde = { .ra_column = RA };
	struct wcm_row row;
	struct wcm_rule rule;

	if (!WCM_HAS_LINK_REGISTER)
		SKIP("a call pushes its return address");
	stack[3] = 0x777000;
	wcm__register_set(&registers, SP, (uintptr_t)&stack[2]);
	CHECK(row_of(&row, 0, BYTES(0x0c, SP, 0, 0x11, RA, 0x7f)));
	CHECK(!wcm__cfi_compact(&rule, &row, &fde));
	CHECK_EQ(wcm__cfi_step(&registers, &row, &fde, &nowhere), WCM_STOP_NONE);
	CHECK_EQ(registers.pc, 0x777000);
	CHECK_EQ(registers.value[SP], (uintptr_t)&stack[4]);
	/* CFA = sp - 2 words: it has been popped, which can be so once. */
	CHECK(row_of(&row, 0, BYTES(0x13, 2, 0x11, RA, 0x7f)));
	wcm__register_set(&registers, RA, 0x777000);
	CHECK_EQ(wcm__cfi_step(&registers, &row, &fde, &nowhere), WCM_STOP_NONE);
	CHECK_EQ(registers.value[SP], (uintptr_t)&stack[4]);
	CHECK_EQ(wcm__cfi_step(&registers, &row, &fde, &nowhere), WCM_STOP_BAD_FRAME);
}

RUN(a_table_that_is_held_has_the_same_rows, advances_by_the_code_alignment,
    sets_the_location, defines_the_cfa,
    says_where_registers_are, remembers_states_within_states,
    signed_return_addresses_change_no_row,
    refuses_what_it_does_not_know, computes, computes_the_cfa_of_linkage_stubs,
    reads_memory, refuses_what_has_no_value, steps_by_a_row_that_names_everything,
    a_cfa_may_be_relative_to_what_a_callee_has_left_alone,
    leaves_what_was_pushed_in_front_of_the_description)
