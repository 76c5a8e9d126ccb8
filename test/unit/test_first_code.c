/* SPDX-License-Identifier: MIT */
/* test_first_code.c - the frame that the code of a function tells: what it begins with, and, where
 * arguments are pushed, what is ahead; and who can have called it. */
#include "support/code_page.h"

/* Instructions, with a semicolon between them, to CODE. */
static size_t decode_all(unsigned char *code, const char *text)
{
	size_t size = 0;

	for (; *text; text += strcspn(text, ";"), text += *text == ';') {
		char part[64] = "";

		memcpy(part, text, strcspn(text, ";"));
		size += decode(code + size, part);
	}
	return size;
}

/* Where a function of TEXT stands that goes on with MORE and AHEAD. */
static uintptr_t function_of(const char *text, size_t more, const char *ahead)
{
	size_t size;

	memset(page, 0x90, WCM_PAGE);
	size = decode_all(page + 100, text) + more;
	decode_all(page + 100 + size, ahead);
	return (uintptr_t)page + 100 + size;
}

/* Where the return address ends, off the stack pointer, in a function that begins with
 * TEXT and stands behind it, and MORE bytes, before AHEAD; 0: that is not known.  *FP_OFF is
 * where its caller's frame pointer is, off that; 0: in the register. */
static int frame_between(const char *text, size_t more, const char *ahead, int *fp_off)
{
	const uintptr_t pc = function_of(text, more, ahead);
	struct wcm_rule rule;

	if (!wcm__arch_prologue_rule(&rule, (uintptr_t)page + 100, pc, wcm__read_memory))
		return 0;
	CHECK_EQ(rule.base, WCM_BASE_SP);
	CHECK(rule.ra_saved && rule.ra_off == -W);
	*fp_off = rule.fp_saved ? rule.fp_off : 0;
	return rule.cfa_off;
}

static int frame_of(const char *text, size_t more, int *fp_off)
{
	return frame_between(text, more, "", fp_off);
}

static bool lacks_frame_pointer(const char *text, size_t more)
{
	const uintptr_t pc = function_of(text, more, "");

	return wcm__arch_lacks_frame_pointer((uintptr_t)page + 100, pc, wcm__read_memory);
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

/* Behind a call for which arguments were pushed. */
TEST(arguments_are_taken_off_ahead)
{
	/* push %ebx; sub $24,%esp; sub $12,%esp; push %eax; call */
	static const char pushed[] = "53;83 ec 18;83 ec 0c;50;e8 11 22 33 44";
	int fp;

	need(IS_I386);
	/* add $16,%esp; jmp over 2 bytes; add $24,%esp; pop %ebx; ret */
	CHECK_EQ(frame_between(pushed, 0, "83 c4 10;eb 02;ff ff;83 c4 18;5b;c3", &fp), 48);
	CHECK_EQ(fp, 0);
	/* mov %eax,%ebx; add $40,%esp; pop %ebx; ret */
	CHECK_EQ(frame_between(pushed, 0, "89 c3;83 c4 28;5b;c3", &fp), 48);
	/* test %eax,%eax; je; movzbl (%eax),%eax; add $32,%esp; pop %ebx, %esi, %ebp; ret */
	CHECK_EQ(frame_between("55;56;53;83 ec 14;50;e8 11 22 33 44", 0,
			       "85 c0;74 05;0f b6 00;83 c4 18;5b;5e;5d;c3", &fp), 40);
	CHECK_EQ(fp, -8);
	/* push %eax; push $1; call; add $24,%esp; pop %ebx; ret: of another call as well */
	CHECK_EQ(frame_between("53;50;e8 11 22 33 44", 0,
			       "50;6a 01;e8 11 22 33 44;83 c4 0c;5b;c3", &fp), 12);
	/* pop %ecx: as short code takes one off */
	CHECK_EQ(frame_between("53;50;e8 11 22 33 44", 0, "59;5b;c3", &fp), 12);
}

TEST(functions_without_a_frame_pointer)
{
	need(IS_X86_64 || IS_I386);
	CHECK(lacks_frame_pointer("", 0));
	CHECK(lacks_frame_pointer(IS_I386 ? "53;83 ec 0c" : "53;48 83 ec 10", 30));
	CHECK(lacks_frame_pointer(IS_I386 ? "55;83 ec 0c" : "55;48 83 ec 10", 30));
	CHECK(lacks_frame_pointer(IS_I386 ? "29 c4" : "48 29 c4", 30)); /* sub %eax,%esp */
	CHECK(!lacks_frame_pointer("55", 0));
	CHECK(!lacks_frame_pointer(IS_I386 ? "55;89 e5" : "55;48 89 e5", 30));
	CHECK(!lacks_frame_pointer(IS_I386 ? "29 c3" : "48 29 c3", 30)); /* sub %eax,%ebx */
	CHECK(!lacks_frame_pointer("85 c0;74 05", 30)); /* it may come yet */
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

RUN(prologues, arguments_are_taken_off_ahead, functions_without_a_frame_pointer, no_prologues,
    who_can_have_called)
