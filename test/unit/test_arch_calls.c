/* SPDX-License-Identifier: MIT */
/* test_arch_calls.c - what code bytes tell: calls, linkage stubs, trampolines,
 * divisions.  The bytes end or begin at the edge of a page, next to which nothing is mapped:
 * code that is made at run time has no other code in front of it. */
#include "support/code_page.h"

#include <sys/mman.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

/* Whether what stands behind the instruction TEXT, which begins at OFFSET of the
 * page among FILLER, is taken for a return address. */
static bool follows(const char *text, size_t offset, int filler)
{
	unsigned char code[LONGEST];
	size_t size = decode(code, text);

	memset(page, filler, WCM_PAGE);
	memcpy(page + offset, code, size);
	return wcm__arch_follows_call((uintptr_t)page + offset + size, wcm__read_memory);
}

/* As objdump -d prints them. */
static const char *const calls[] = {
	"e8 00 00 00 00",             /* call rel32 */
	"66 66 48 e8 11 22 33 44",    /* data16 data16 rex.W call, of TLS */
	"67 e8 11 22 33 44",          /* addr32 call, of relaxed GOT calls */
	"f2 e8 11 22 33 44",          /* bnd call */
	"ff d0", "ff d7",             /* call *%rax, *%rdi */
	"41 ff d3", "41 ff d7",       /* call *%r11, *%r15 */
	"3e ff d0", "f2 ff d0",       /* notrack, bnd call *%rax */
	"ff 10", "41 ff 13",          /* call *(%rax), *(%r11) */
	"ff 50 08", "41 ff 52 f8",    /* call *8(%rax), *-8(%r10) */
	"ff 90 00 01 00 00",          /* call *256(%rax) */
	"41 ff 97 00 01 00 00",       /* call *256(%r15) */
	"ff 15 11 22 33 44",          /* call *x(%rip) */
	"ff 14 24", "41 ff 14 24",    /* call *(%rsp), *(%r12) */
	"ff 54 24 08",                /* call *8(%rsp) */
	"ff 94 24 00 01 00 00",       /* call *256(%rsp) */
	"41 ff 94 24 00 01 00 00",    /* call *256(%r12) */
	"ff 14 c5 11 22 33 44",       /* call *x(,%rax,8) */
	"42 ff 14 e5 11 22 33 44",    /* call *x(,%r12,8) */
	"ff 14 25 11 22 33 44",       /* call *x */
	"64 ff 14 25 10 00 00 00",    /* call *%fs:16 */
	"ff 14 d0", "43 ff 14 dc",    /* call *(%rax,%rdx,8), *(%r12,%r11,8) */
	"ff 54 d0 10",                /* call *16(%rax,%rdx,8) */
	"ff 94 d0 00 01 00 00",       /* call *256(%rax,%rdx,8) */
	"ff 55 00", "ff 54 05 00",    /* call *0(%rbp), *0(%rbp,%rax) */
	"65 ff 15 11 22 33 44",       /* call *%gs:x(%rip) */
};

static const char *const others[] = {
	"90", "c3", "5d c3", "c9 c3", "0f 1f 44 00 00", "0f 05", "cc", "0f 0b",
	"e9 11 22 33 44",          /* jmp rel32 */
	"eb fe", "75 10", "ff e0", "41 ff e3", /* jmp, jne rel8; jmp *%rax, *%r11 */
	"ff 25 11 22 33 44",       /* jmp *x(%rip) */
	"ff 24 c5 11 22 33 44",    /* jmp *x(,%rax,8) */
	"ff 30", "ff 75 08",       /* push (%rax), 8(%rbp) */
	"ff 35 11 22 33 44",       /* push x(%rip) */
	"ff 18",                   /* lcall *(%rax) */
	"ff c0", "ff 00", "ff c8", /* inc %eax, (%rax); dec %eax */
	"48 89 e5", "55", "53", "48 83 ec 08", "31 c0",
	"48 8b 05 11 22 33 44",    /* mov x(%rip),%rax */
	"b8 0f 00 00 00",          /* mov $15,%eax */
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

TEST(every_near_call)
{
	need(IS_X86_64 || IS_I386);
	for (size_t i = 0; i < COUNT(calls); i++)
		if (!follows(calls[i], 100, 0x90) || !follows(calls[i], 100, 0xcc))
			fail_msg("%s is a call", calls[i]);
}

TEST(of_a_page_without_neighbours)
{
	unsigned char code[LONGEST];

	need(IS_X86_64 || IS_I386);
	for (size_t i = 0; i < COUNT(calls); i++) {
		size_t size = decode(code, calls[i]);

		/* the call ends the page, begins it, or nearly so */
		if (!follows(calls[i], WCM_PAGE - size, 0x90))
			fail_msg("%s, at the end, is a call", calls[i]);
		for (size_t offset = 0; offset < LONGEST; offset++)
			if (!follows(calls[i], offset, 0x90))
				fail_msg("%s, at %zu, is a call", calls[i], offset);
	}
	CHECK(!wcm__arch_follows_call((uintptr_t)page, wcm__read_memory));
	CHECK(!wcm__arch_follows_call((uintptr_t)page + WCM_PAGE + 1, wcm__read_memory));
}

TEST(nothing_else)
{
	need(IS_X86_64 || IS_I386);
	for (size_t i = 0; i < COUNT(others); i++)
		for (size_t offset = 0; offset < 100; offset += 20)
			if (follows(others[i], offset, 0x90))
				fail_msg("%s, at %zu, is no call", others[i], offset);
	memset(page, 0, WCM_PAGE);
	for (size_t offset = 0; offset < LONGEST; offset++)
		CHECK(!wcm__arch_follows_call((uintptr_t)page + offset, wcm__read_memory));
	CHECK(!wcm__arch_follows_call(0, wcm__read_memory));
	CHECK(!wcm__arch_follows_call(3, wcm__read_memory));
	CHECK(!wcm__arch_follows_call(UINTPTR_MAX, wcm__read_memory));
}

typedef bool question(uintptr_t pc, wcm_reader *read);

/* The answer for TEXT at the very end of what can be read. */
static bool ask_at_end(question *is, const char *text)
{
	unsigned char code[LONGEST];
	size_t size = decode(code, text);

	memset(page, 0x90, WCM_PAGE);
	memcpy(page + WCM_PAGE - size, code, size);
	return is((uintptr_t)page + WCM_PAGE - size, wcm__read_memory);
}

static bool is_stub(uintptr_t pc, wcm_reader *read)
{
	struct wcm_rule rule;

	return wcm__arch_stub_rule(&rule, pc, read) && rule.cfa_off == W && rule.ra_saved;
}

TEST(stubs)
{
	need(IS_X86_64 || IS_I386);
	CHECK(ask_at_end(is_stub, "ff 25 11 22 33 44"));
	CHECK(ask_at_end(is_stub, "f2 ff 25 11 22 33 44"));
	CHECK(ask_at_end(is_stub, "f3 0f 1e fa ff 25 11 22 33 44"));
	CHECK(ask_at_end(is_stub, "f3 0f 1e fa f2 ff 25 11 22 33 44"));
	/* where the name is not bound yet */
	CHECK(ask_at_end(is_stub, "68 01 00 00 00 e9 11 22 33 44"));
	CHECK(ask_at_end(is_stub, "f3 0f 1e fa 68 01 00 00 00 f2 e9 11 22 33 44"));
	CHECK(!ask_at_end(is_stub, "68 01 00 00 00 e8 11 22 33 44"));
	CHECK(!ask_at_end(is_stub, "68 01 00 00 00"));
	CHECK(!ask_at_end(is_stub, "ff 15 11 22 33 44"));
	CHECK(!ask_at_end(is_stub, "f3 0f 1e fa 55 48 89 e5"));
	CHECK(!ask_at_end(is_stub, "ff") && !ask_at_end(is_stub, "f2"));
}

TEST(returns)
{
	need(IS_X86_64 || IS_I386);
	CHECK(ask_at_end(wcm__arch_is_return, "c3"));
	CHECK(ask_at_end(wcm__arch_is_return, "f3 c3"));
	CHECK(ask_at_end(wcm__arch_is_return, "f2 c3"));
	CHECK(ask_at_end(wcm__arch_is_return, "c2 08 00"));
	CHECK(!ask_at_end(wcm__arch_is_return, "f3"));
	CHECK(!ask_at_end(wcm__arch_is_return, "f3 0f 1e fa c3"));
	CHECK(!ask_at_end(wcm__arch_is_return, "cb") && !ask_at_end(wcm__arch_is_return, "5d c3"));
}

TEST(the_trampoline)
{
	need(IS_X86_64 || IS_I386);
	if (IS_I386) {
		/* pop %eax; mov $119,%eax; int $0x80, and mov $173,%eax; int $0x80 */
		CHECK(ask_at_end(wcm__arch_is_sigreturn, "58 b8 77 00 00 00 cd 80"));
		CHECK(ask_at_end(wcm__arch_is_sigreturn, "b8 ad 00 00 00 cd 80"));
		CHECK(!ask_at_end(wcm__arch_is_sigreturn, "b8 ad 00 00 00 cd"));
		return;
	}
	CHECK(ask_at_end(wcm__arch_is_sigreturn, "48 c7 c0 0f 00 00 00 0f 05"));
	CHECK(!ask_at_end(wcm__arch_is_sigreturn, "48 c7 c0 0f 00 00 00 0f"));
	CHECK(!ask_at_end(wcm__arch_is_sigreturn, "48 c7 c0 0e 00 00 00 0f 05"));
}

/* Whether SIGFPE would come again of TEXT, at which no fault has been kept. */
static bool divides(const char *text)
{
	ucontext_t context = { 0 };
	unsigned char code[LONGEST];

	memset(page, 0x90, WCM_PAGE);
	memcpy(page + 100, code, decode(code, text));
#if defined(__x86_64__) || defined(__i386__)
	context.uc_mcontext.gregs[PC] = (greg_t)(uintptr_t)(page + 100);
#endif
	return wcm__arch_fault_again(SIGFPE, &context, wcm__read_memory);
}

TEST(divisions)
{
	need(IS_X86_64 || IS_I386);
	CHECK(divides("f7 f9"));             /* idiv %ecx */
	CHECK(divides("f6 75 08"));          /* divb 8(%rbp) */
	CHECK(divides("41 f7 f0") == IS_X86_64); /* div %r8d, or inc %ecx */
	CHECK(divides("66 f7 f1"));          /* div %cx */
	CHECK(divides("64 67 49 f7 38") == IS_X86_64); /* idivq %fs:(%r8d) */
	CHECK(!divides("f7 d9"));            /* neg %ecx */
	CHECK(!divides("99 f7 f9"));         /* cltd, and then idiv %ecx */
	CHECK(!divides("48 99 48 f7 f9"));   /* cqto, and then idiv %rcx */
	CHECK(!divides("89 c8 31 d2 f7 f1")); /* mov, xor, and then div */
}

/* NOPs that have room for a call, as assemblers write them. */
static const char *const sleds[] = {
	"90 90 90 90 90",
	"0f 1f 44 00 00",                /* nopl 0(%rax,%rax) */
	"66 0f 1f 44 00 00",
	"66 90 90 90 90",
	"0f 1f 40 00 66 90",             /* nopl 0(%rax) */
	"0f 1f 00 90 90",                /* nopl (%rax) */
	"0f 1f 05 11 22 33 44",          /* nopl x(%rip) */
	"0f 1f 80 00 00 00 00",          /* nopl 0(%rax), of 4 bytes */
	"0f 1f 84 00 00 00 00 00",
	"0f 1f 04 25 11 22 33 44",       /* nopl x */
	"0f 1f 45 00 90",                /* nopl 0(%rbp) */
	"66 2e 0f 1f 84 00 00 00 00 00", /* cs nopw 0(%rax,%rax) */
};

TEST(sleds_have_room_for_a_call)
{
	unsigned char code[LONGEST];

	need(IS_X86_64);
	for (size_t i = 0; i < COUNT(sleds); i++) {
		const size_t size = decode(code, sleds[i]);

		if (wcm__arch_sled_size(code, size) != size ||
		    wcm__arch_sled_size(code, size - 1) != 0)
			fail_msg("%s is a sled", sleds[i]);
	}
	for (size_t i = 0; i < COUNT(others); i++)
		if (strcmp(others[i], "0f 1f 44 00 00") != 0 &&
		    wcm__arch_sled_size(code, decode(code, others[i])) != 0)
			fail_msg("%s is no sled", others[i]);
}

TEST(the_call_ends_where_its_sled_does)
{
	const uintptr_t at = 0x401000, to = 0x301000;
	unsigned char code[WCM_SLED_MOST];
	int32_t distance;

	need(IS_X86_64);
	for (size_t size = 5; size <= WCM_SLED_MOST; size++) {
		memset(code, 0xcc, sizeof(code));
		CHECK(wcm__arch_sled_call(code, size, at, to));
		memcpy(&distance, code + size - 4, sizeof(distance));
		CHECK(code[size - 5] == 0xe8 && at + size + (uintptr_t)distance == to);
		/* addr32 call behind 66 90, which are one instruction each. */
		for (size_t i = 0; i < size - 5; i++)
			CHECK(code[i] == (i % 2 ? 0x90 :
					  i == size - 6 ? 0x67 : 0x66));
	}
	CHECK(!wcm__arch_sled_call(code, 5, at, at + (UINT64_C(1) << 31) + 5));
	CHECK(wcm__arch_sled_call(code, 5, at, at + (UINT64_C(1) << 31) + 4));
}

static const struct {
	const char *code;
	size_t at, size;
	intptr_t to;
	bool is_slot;
} first_calls[] = {
	{ "e8 00 01 00 00", 0, 5, 0x105, false },
	{ "f3 0f 1e fa 67 e8 00 01 00 00", 4, 6, 0x106, false },
	{ "ff 15 fa ff ff ff", 0, 6, 0, true },
	{ "55 48 89 e5 41 57 53 48 81 ec 38 01 00 00 ff 15 00 00 00 00", 14, 6, 6, true },
	/* lea 8(%rsp),%r10; and $-32,%rsp; push -8(%r10); push %rbp; mov %rsp,%rbp; call */
	{ "4c 8d 54 24 08 48 83 e4 e0 41 ff 72 f8 55 48 89 e5 e8 01 00 00 00", 17, 5, 6, false },
	/* push %rbp; mov %rsp,%rbp; movss %xmm0,-4(%rbp); movl $1,-8(%rbp); mov %edi,%ebx; call */
	{ "55 48 89 e5 f3 0f 11 45 fc c7 45 f8 01 00 00 00 89 fb e8 00 00 00 00", 18, 5, 5, false },
};

static const char *const no_first_calls[] = {
	"55 48 89 e5 74 02 e8 00 00 00 00", /* je */
	"55 48 89 e5 ff d0 e8 00 00 00 00", /* call *%rax */
	"c3 e8 00 00 00 00",
	"55 90 e8 00 00 00 00",
};

TEST(the_first_call_of_a_function)
{
	unsigned char code[96];
	intptr_t to;
	size_t at;
	bool is_slot;

	need(IS_X86_64);
	memset(code, 0xcc, sizeof(code));
	for (size_t i = 0; i < COUNT(first_calls); i++) {
		decode(code, first_calls[i].code);
		if (wcm__arch_first_call(code, sizeof(code), &at) != first_calls[i].size ||
		    at != first_calls[i].at ||
		    wcm__arch_call_size(code + at, 16, &to, &is_slot) != first_calls[i].size ||
		    to != first_calls[i].to || is_slot != first_calls[i].is_slot)
			fail_msg("%s has a first call", first_calls[i].code);
		CHECK_EQ(wcm__arch_first_call(code, at + first_calls[i].size - 1, &at), 0);
	}
	for (size_t i = 0; i < COUNT(no_first_calls); i++) {
		decode(code, no_first_calls[i]);
		if (wcm__arch_first_call(code, sizeof(code), &at) != 0)
			fail_msg("%s has no first call", no_first_calls[i]);
	}
}

static const struct {
	const char *code;
	intptr_t slot;
} stubs_with_slot[] = {
	{ "ff 25 00 01 00 00", 0x106 },
	{ "f3 0f 1e fa f2 ff 25 00 01 00 00", 0x10b },
	{ "f3 0f 1e fa 41 bb 07 00 00 00 ff 25 fa ff ff ff", 10 },
};

TEST(the_slot_of_a_stub)
{
	unsigned char code[LONGEST];
	intptr_t slot;

	need(IS_X86_64);
	for (size_t i = 0; i < COUNT(stubs_with_slot); i++) {
		const size_t size = decode(code, stubs_with_slot[i].code);

		CHECK(wcm__arch_stub_slot(code, size, &slot));
		CHECK_EQ(slot, stubs_with_slot[i].slot);
		for (size_t less = 0; less < size; less++)
			CHECK(!wcm__arch_stub_slot(code, less, &slot));
	}
	CHECK(!wcm__arch_stub_slot(code, decode(code, "ff 24 25 00 00 00 00"), &slot));
}

/* The CPU's word by <cpuid.h>, and the kernel's: it maps what it has page tables for. */
TEST(addresses_of_57_bits_are_canonical_where_there_may_be_five_levels)
{
#ifdef __x86_64__
	void *const high = (void *)(UINT64_C(1) << 50);
	const bool maps = mmap(high, 1, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == high;
	unsigned a, b, c = 0, d;
	const bool may = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & 1u << 16);

	CHECK(wcm__arch_is_canonical(UINT64_C(0x7fffffffffff)));
	CHECK(wcm__arch_is_canonical(UINT64_C(0xffff800000000000)));
	CHECK_EQ(wcm__arch_is_canonical((uintptr_t)high), may);
	CHECK_EQ(wcm__arch_is_canonical(UINT64_C(0xff80000000000000)), may);
	CHECK(may || !maps);
	CHECK(!wcm__arch_is_canonical(UINT64_C(1) << 57));
	CHECK(!wcm__arch_is_canonical(UINT64_C(0x4141414141414141)));
	if (maps)
		munmap(high, 1);
#else
	CHECK(wcm__arch_is_canonical(UINT32_MAX));
#endif
}

RUN(sleds_have_room_for_a_call, the_call_ends_where_its_sled_does,
    the_first_call_of_a_function, the_slot_of_a_stub,
    every_near_call, of_a_page_without_neighbours, nothing_else, returns,
    stubs, the_trampoline, divisions,
    addresses_of_57_bits_are_canonical_where_there_may_be_five_levels)
