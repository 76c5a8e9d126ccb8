/* SPDX-License-Identifier: MIT */
/* test_first_code.c - the frame that a function's first code tells, and who can have called it. */
#include "support/code_page.h"

/* Where the return address ends, off the stack pointer, in a function that begins with
 * TEXT and stands behind it, and MORE bytes; 0: that is not known.  *FP_OFF is where its
 * caller's frame pointer is, off that; 0: in the register. */
static int frame_of(const char *text, size_t more, int *fp_off)
{
	unsigned char code[8 * LONGEST];
	size_t size = 0;
	struct wcm_rule rule;

	for (; *text; text += strcspn(text, ";"), text += *text == ';') {
		char part[64] = "";

		memcpy(part, text, strcspn(text, ";"));
		size += decode(code + size, part);
	}
	memset(page, 0x90, WCM_PAGE);
	memcpy(page + 100, code, size);
	if (!wcm__arch_prologue_rule(&rule, (uintptr_t)page + 100,
				     (uintptr_t)page + 100 + size + more, wcm__read_memory))
		return 0;
	CHECK_EQ(rule.base, WCM_BASE_SP);
	CHECK(rule.ra_saved && rule.ra_off == -W);
	*fp_off = rule.fp_saved ? rule.fp_off : 0;
	return rule.cfa_off;
}

static void check_prologues_of_i386(void)
{
	int fp;

	/* endbr32; push %ebx; sub $0x90,%esp */
	CHECK_EQ(frame_of("f3 0f 1e fa;53;81 ec 90 00 00 00", 30, &fp), 152);
	CHECK_EQ(fp, 0);
	CHECK_EQ(frame_of("83 ec 0c", 30, &fp), 16);
	CHECK_EQ(frame_of("83 c4 80", 30, &fp), 132); /* add $-128,%esp */
	/* push %edi; mov $1,%edi; push %esi; push %ebp; nop */
	CHECK_EQ(frame_of("57;bf 01 00 00 00;56;55", 30, &fp), 16);
	CHECK_EQ(fp, -16);
	/* push %ebx; call the thunk; add $x,%ebx; sub $24,%esp */
	CHECK_EQ(frame_of("53;e8 11 22 33 44;81 c3 11 22 33 44;83 ec 18", 30, &fp), 32);
	CHECK_EQ(frame_of("85 c0;74 05;83 ec 08", 30, &fp), 0); /* test; je; sub */
	CHECK_EQ(frame_of("55;89 e5", 30, &fp), 0);             /* push %ebp; mov %esp,%ebp */
	CHECK_EQ(frame_of("55;8b ec", 30, &fp), 0);
	CHECK_EQ(frame_of("83 c4 08", 30, &fp), 0);             /* add $8,%esp */
	CHECK_EQ(frame_of("83 ec f8", 30, &fp), 0);             /* sub $-8,%esp */
	CHECK_EQ(frame_of("89 fc", 0, &fp), 0);                 /* mov %edi,%esp */
}

/* As gcc and clang write them; what CFI says of them in .debug_frame. */
TEST(prologues)
{
	int fp;

	need(IS_X86_64 || IS_I386);
	CHECK_EQ(frame_of("", 0, &fp), W);
	CHECK_EQ(frame_of("f3 0f 1e fa", 0, &fp), W);
	/* call; all of the code is known, and takes nothing */
	CHECK_EQ(frame_of("e8 11 22 33 44", 0, &fp), W);
	if (IS_I386) {
		check_prologues_of_i386();
		return;
	}
	/* endbr64; push %rbx; sub $0x90,%rsp */
	CHECK_EQ(frame_of("f3 0f 1e fa;53;48 81 ec 90 00 00 00", 30, &fp), 160);
	CHECK_EQ(fp, 0);
	CHECK_EQ(frame_of("48 83 ec 08", 30, &fp), 16);
	CHECK_EQ(frame_of("48 83 c4 80", 30, &fp), 136); /* add $-128,%rsp */
	/* push %r15; mov $1,%edi; mov %edx,%r15d; push %rbp; push %rbx; sub $40,%rsp */
	CHECK_EQ(frame_of("41 57;bf 01 00 00 00;41 89 d7;55;53;48 83 ec 28", 30, &fp), 72);
	CHECK_EQ(fp, -24);
	/* push %rbp; push %rbx; mov 8(%rdi,%rsi,4),%rbx; lea x(%rip),%rax; push %rcx */
	CHECK_EQ(frame_of("55;53;48 8b 5c b7 08;48 8d 05 11 22 33 44;51", 30, &fp), 32);
	CHECK_EQ(fp, -16);
}

TEST(no_prologues)
{
	int fp;

	need(IS_X86_64 || IS_I386);
	CHECK_EQ(frame_of("", 30, &fp), 0);                 /* nop */
	if (IS_I386) /* among its prologues */
		return;
	CHECK_EQ(frame_of("85 ff;74 05;48 83 ec 08", 30, &fp), 0); /* test; je; sub */
	CHECK_EQ(frame_of("55;48 89 e5", 30, &fp), 0);      /* push %rbp; mov %rsp,%rbp */
	CHECK_EQ(frame_of("55;48 8b ec", 30, &fp), 0);
	CHECK_EQ(frame_of("4c 8d 5c 24 08;48 29 fc", 0, &fp), 0); /* sub %rdi,%rsp */
	CHECK_EQ(frame_of("48 83 c4 08", 30, &fp), 0);      /* add $8,%rsp */
	CHECK_EQ(frame_of("48 83 ec f8", 30, &fp), 0);      /* sub $-8,%rsp */
	CHECK_EQ(frame_of("48 89 fc", 0, &fp), 0);          /* mov %rdi,%rsp */
}

/* Whether the function at offset 2000 can have been called by the code of TEXT. */
static bool can_have_called(const char *text, uintptr_t sp)
{
	unsigned char code[LONGEST];
	size_t size = decode(code, text);
	const struct wcm_regs caller = { .pc = (uintptr_t)page + 1000, .sp = sp };

	memset(page, 0x90, WCM_PAGE);
	memcpy(page + 1000 - size, code, size);
	memcpy(page + 3000, "\xf3\x0f\x1e\xfa\xe9\x17\xfc\xff\xff", 9); /* jmp 2008 */
	memcpy(page + 3100, "\xe9\xaf\xfb\xff\xff", 5);                 /* jmp 2000 */
	return wcm__arch_can_have_called(&caller, (uintptr_t)page + 2000,
					 wcm__read_memory);
}

TEST(who_can_have_called)
{
	need(IS_X86_64 || IS_I386);
	CHECK(can_have_called("e8 e8 03 00 00", 0x7008));   /* call 2000 */
	CHECK(!can_have_called("e8 f0 03 00 00", 0x7000));  /* call 2008 */
	CHECK(can_have_called("e8 34 08 00 00", 0x7000));   /* call 3100, a stub */
	CHECK(!can_have_called("e8 d0 07 00 00", 0x7000));  /* call 3000, another's */
	CHECK(can_have_called("ff d0", 0x7000));            /* call *%rax */
	CHECK(can_have_called("ff d0", 0x7008) == IS_I386); /* of a stack aligned to 4 */
	CHECK(!can_have_called("ff d0", 0x7002));
	CHECK(!can_have_called("ff 15 00 00 00 00", 0x7000)); /* call *(%rip): not there */
	CHECK(!can_have_called("90", 0x7000));
}

RUN(prologues, no_prologues, who_can_have_called)
