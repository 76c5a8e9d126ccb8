/* SPDX-License-Identifier: MIT */
/* test_arch_aarch64.c - what instructions tell: calls, linkage stubs, returns, prologues; and
 * what the kernel's exception syndrome says of a fault.  The assembler writes them. */
#include <signal.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/os/read.h"
#include "support/check.h"

enum { W = sizeof(uintptr_t), INSTRUCTION = 4 };

__asm__(".arch armv8.5-a");

#define HIDDEN __attribute__((visibility("hidden")))

/* NAME[] and where it ends. */
#define CODE(name, text)                                                       \
	extern const uint32_t name[] HIDDEN, name##_end[] HIDDEN;              \
	__asm__(".pushsection .text\n\t.p2align 4\n\tnop\n" #name ":\n\t" text \
		"\n" #name "_end:\n\tnop\n\t.popsection")

CODE(calls, "bl calls\n\tblr x0\n\tblr x17\n\tblraaz x1\n\tblrabz x2\n\tblraa x3, x4\n\t"
	    "blrab x5, sp");
CODE(others, "b others\n\tbr x0\n\tbraaz x1\n\tbraa x1, x2\n\tret\n\tretaa\n\tret x1\n\tnop\n\t"
	     "brk #0\n\tsvc #0\n\tcbz x0, others\n\ttbz x0, #1, others\n\tb.eq others\n\t"
	     "adr x0, others\n\tldr x0, others\n\tmov x0, sp\n\tudf #0\n\tbti c");

TEST(calls_and_nothing_else)
{
	for (const uint32_t *at = calls; at < calls_end; at++)
		CHECK(wcm__arch_follows_call((uintptr_t)(at + 1), wcm__read_memory));
	for (const uint32_t *at = others; at < others_end; at++)
		CHECK(!wcm__arch_follows_call((uintptr_t)(at + 1), wcm__read_memory));
	CHECK(!wcm__arch_follows_call((uintptr_t)calls + 6, wcm__read_memory));
	CHECK(!wcm__arch_follows_call(0, wcm__read_memory));
	CHECK(!wcm__arch_follows_call(3, wcm__read_memory));
	CHECK(!wcm__arch_follows_call(UINTPTR_MAX, wcm__read_memory));
}

CODE(returns, "ret\n\tretaa\n\tretab");

TEST(returns_by_the_link_register)
{
	int count = 0;

	for (const uint32_t *at = returns; at < returns_end; at++)
		CHECK(wcm__arch_is_return((uintptr_t)at, wcm__read_memory));
	for (const uint32_t *at = others; at < others_end; at++)
		count += wcm__arch_is_return((uintptr_t)at, wcm__read_memory);
	CHECK_EQ(count, 2); /* ret x1 is none */
}

/* As ld writes them; how far the frame ends above the stack pointer, -1: no stub. */
CODE(stub, "adrp x16, others\n\tldr x17, [x16, #8]\n\tadd x16, x16, #8\n\tbr x17");
CODE(stub_with_bti, "bti c\n\tadrp x16, others\n\tldr x17, [x16, #8]\n\tadd x16, x16, #8\n\t"
		    "autia1716\n\tbr x17");
CODE(first_stub, "bti c\n\tstp x16, x30, [sp, #-16]!\n\tadrp x16, others\n\t"
		 "ldr x17, [x16, #8]\n\tadd x16, x16, #8\n\tbr x17");
CODE(no_stub, "adrp x16, others\n\tldr x18, [x16, #8]\n\tbr x18");

static int stub_at(const uint32_t *at)
{
	struct wcm_rule rule;

	if (!wcm__arch_stub_rule(&rule, (uintptr_t)at, wcm__read_memory))
		return -1;
	CHECK_EQ(rule.base, WCM_BASE_SP);
	CHECK_EQ(rule.ra_saved, rule.cfa_off != 0);
	CHECK(!rule.ra_saved || rule.ra_off == -W);
	return rule.cfa_off;
}

TEST(stubs)
{
	for (const uint32_t *at = stub; at < stub_end; at++)
		CHECK_EQ(stub_at(at), 0);
	for (const uint32_t *at = stub_with_bti; at < stub_with_bti_end; at++)
		CHECK_EQ(stub_at(at), 0);
	for (const uint32_t *at = first_stub; at < first_stub_end; at++)
		CHECK_EQ(stub_at(at), at < first_stub + 2 ? 0 : 2 * W);
	for (const uint32_t *at = no_stub; at < no_stub_end; at++)
		CHECK_EQ(stub_at(at), -1);
}

CODE(trampoline, "mov x8, #139\n\tsvc #0");
CODE(no_trampoline, "mov x8, #138\n\tsvc #0");

TEST(the_trampoline)
{
	CHECK(wcm__arch_is_sigreturn((uintptr_t)trampoline, wcm__read_memory));
	CHECK(!wcm__arch_is_sigreturn((uintptr_t)trampoline + INSTRUCTION, wcm__read_memory));
	CHECK(!wcm__arch_is_sigreturn((uintptr_t)no_trampoline, wcm__read_memory));
}

CODE(with_pair, "paciasp\n\tstp x29, x30, [sp, #-48]!\n\tstp x19, x20, [sp, #16]\n\t"
		"mov x29, sp\n\tsub sp, sp, #256\n\tsub sp, sp, x0");
CODE(with_pair_above, "sub sp, sp, #0x1, lsl #12\n\tsub sp, sp, #48\n\tmov w9, #1\n\t"
		      "stp x29, x30, [sp, #32]\n\tadd x29, sp, #32\n\tnop");
CODE(without, "bti c\n\tstr x30, [sp, #-32]!\n\tstp d8, d9, [sp, #16]\n\tcmp x0, #3\n\t"
	      "cbz x0, others\n\tnop");
CODE(a_leaf, "ldr w0, [x0]\n\tadd w0, w0, w1\n\tret");

static struct wcm_rule rule_at(const uint32_t *start, int count)
{
	struct wcm_rule rule = { .cfa_off = -1 };

	wcm__arch_prologue_rule(&rule, (uintptr_t)start, (uintptr_t)(start + count),
				wcm__read_memory);
	return rule;
}

#define CHECK_RULE(rule_, ...)                                   \
	do {                                                     \
		const struct wcm_rule is = rule_, to_be = { __VA_ARGS__ }; \
		CHECK_EQ(is.base, to_be.base);                   \
		CHECK_EQ(is.cfa_off, to_be.cfa_off);             \
		CHECK_EQ(is.ra_saved, to_be.ra_off != 0);        \
		CHECK_EQ(is.ra_off, to_be.ra_off);               \
		CHECK_EQ(is.fp_saved, to_be.fp_off != 0);        \
		CHECK_EQ(is.fp_off, to_be.fp_off);               \
	} while (0)

/* What CFI says of the same code. */
TEST(prologues)
{
	CHECK_RULE(rule_at(with_pair, 0), .base = WCM_BASE_SP);
	CHECK_RULE(rule_at(with_pair, 1), .base = WCM_BASE_SP);
	CHECK_RULE(rule_at(with_pair, 2), .base = WCM_BASE_SP, .cfa_off = 48, .ra_off = -40,
		   .fp_off = -48);
	CHECK_RULE(rule_at(with_pair, 6), .base = WCM_BASE_FP, .cfa_off = 48, .ra_off = -40,
		   .fp_off = -48);
	CHECK_RULE(rule_at(with_pair_above, 2), .base = WCM_BASE_SP, .cfa_off = 4096 + 48);
	CHECK_RULE(rule_at(with_pair_above, 4), .base = WCM_BASE_SP, .cfa_off = 4096 + 48,
		   .ra_off = -4096 - 8, .fp_off = -4096 - 16);
	CHECK_RULE(rule_at(with_pair_above, 6), .base = WCM_BASE_FP, .cfa_off = 4096 + 16,
		   .ra_off = -4096 - 8, .fp_off = -4096 - 16);
	CHECK_RULE(rule_at(without, 6), .base = WCM_BASE_SP, .cfa_off = 32, .ra_off = -32);
	CHECK_RULE(rule_at(a_leaf, 2), .base = WCM_BASE_SP);
	CHECK_EQ(rule_at(a_leaf, 3).cfa_off, -1);
}

CODE(callers, "bl callee\n\tnop\n\tbl veneer\n\tnop\n\tbl others\n\tnop\n\tblr x3\n\tnop");
CODE(callee, "nop\n\tret");
CODE(veneer, "bti c\n\tb callee");

static bool can_have_called(int call, uintptr_t sp)
{
	const struct wcm_regs caller = { .pc = (uintptr_t)(callers + call + 1), .sp = sp };

	return wcm__arch_can_have_called(&caller, (uintptr_t)callee, wcm__read_memory);
}

TEST(who_can_have_called)
{
	struct wcm_registers registers = { .pc = (uintptr_t)callee };

	CHECK(can_have_called(0, 0x7008));
	CHECK(!can_have_called(1, 0x7000));
	CHECK(can_have_called(2, 0x7000));
	CHECK(!can_have_called(4, 0x7000));
	CHECK(can_have_called(6, 0x7000));
	CHECK(!can_have_called(6, 0x7008)); /* of a stack not aligned */
	CHECK(!wcm__arch_has_called((uintptr_t)(callers + 7), &registers, 0, wcm__read_memory));
	wcm__register_set(&registers, 3, (uintptr_t)veneer);
	CHECK(wcm__arch_has_called((uintptr_t)(callers + 7), &registers, 0, wcm__read_memory));
	registers.pc += INSTRUCTION;
	CHECK(!wcm__arch_has_called((uintptr_t)(callers + 7), &registers, 0, wcm__read_memory));
	CHECK(wcm__arch_has_called((uintptr_t)(callers + 7), &registers, 4, wcm__read_memory));
}

/* As the kernel lays it out: the state of vectors, then the exception syndrome. */
static enum wcm_access access_of(uint64_t syndrome, uint32_t first_size, bool *is_fetch)
{
	ucontext_t context = { 0 };
	struct {
		uint32_t magic, size;
		uint64_t word;
	} *record = (void *)context.uc_mcontext.__reserved;

	context.uc_mcontext.pc = context.uc_mcontext.fault_address = 0x1234000;
	record[0].magic = 0x46508001; /* FPSIMD_MAGIC */
	record[0].size = first_size;
	record[33].magic = 0x45535201; /* ESR_MAGIC */
	record[33].size = 16;
	record[33].word = syndrome;
	*is_fetch = wcm__arch_fetch_failed(&context, wcm__read_memory);
	return wcm__arch_access(&context, wcm__read_memory);
}

TEST(what_a_fault_wanted)
{
	const uint32_t size = 33 * 16;
	bool is_fetch;

	CHECK_EQ(access_of(0x92000006, size, &is_fetch), WCM_ACCESS_READ);
	CHECK(!is_fetch);
	CHECK_EQ(access_of(0x92000046, size, &is_fetch), WCM_ACCESS_WRITE);
	CHECK_EQ(access_of(0x92000146, size, &is_fetch), WCM_ACCESS_READ); /* dc civac */
	CHECK_EQ(access_of(0x82000006, size, &is_fetch), WCM_ACCESS_EXECUTE);
	CHECK(is_fetch);
	CHECK_EQ(access_of(0xf2000000, size, &is_fetch), WCM_ACCESS_UNKNOWN); /* brk */
	/* A record without a size: nothing is known but the address. */
	CHECK_EQ(access_of(0x92000006, 0, &is_fetch), WCM_ACCESS_EXECUTE);
	CHECK(is_fetch);
}

CODE(loads, "ldr x0, [x1]\n\tldr w0, [x1, #4]!\n\tldrb w0, [x1], #1\n\t"
	    "ldrsw x0, [x1, x2, lsl #2]\n\t"
	    "ldur q0, [x1, #-16]\n\tldr q3, [x1, #32]\n\tldr b0, [x1]\n\tldp x0, x2, [x1]\n\t"
	    "ldp q0, q1, [x2], #32\n\tldnp d0, d1, [x2]\n\tldpsw x0, x2, [x1]\n\tldxr x0, [x1]\n\t"
	    "ldaxp x0, x2, [x1]\n\tldar w0, [x1]\n\tldapr x0, [x1]\n\tldapur x0, [x1, #8]\n\t"
	    "ldr x0, loads\n\tldrsw x0, loads\n\tldr q0, loads\n\tldtr x0, [x1]\n\t"
	    "ldrsb w0, [x1]\n\tldrsh x0, [x1]\n\tldraa x0, [x1, #-8]\n\t"
	    "ld1 {v0.16b}, [x1]\n\tld4 {v0.8h-v3.8h}, [x1], #64\n\tld1r {v0.4s}, [x1]");
CODE(stores, "str x0, [x1]\n\tstr w0, [x1, #4]!\n\tstrb w0, [x1], #1\n\t"
	     "str x0, [x1, x2, lsl #3]\n\t"
	     "stur q0, [x1, #-16]\n\tstr q3, [x1, #32]\n\tstr b0, [x1]\n\tstp x0, x2, [x1]\n\t"
	     "stp q0, q1, [sp, #-32]!\n\tstnp d0, d1, [x2]\n\tstxr w3, x0, [x1]\n\t"
	     "stlxp w3, x0, x2, [x1]\n\tstlr w0, [x1]\n\tstlur x0, [x1, #8]\n\tsttr x0, [x1]\n\t"
	     "ldadd x0, x2, [x1]\n\tswpal w0, w2, [x1]\n\tcas x0, x2, [x1]\n\t"
	     "caspal x0, x1, x2, x3, [x4]\n\tst1 {v0.16b}, [x1]\n\tst4 {v0.8h-v3.8h}, [x1], #64\n\t"
	     "dc zva, x0");
CODE(neither, "add x0, x1, x2\n\tmov sp, x1\n\tfadd d0, d1, d2\n\tbr x0\n\tudf #0\n\tnop\n\t"
	      "adrp x0, neither\n\tmrs x0, tpidr_el0\n\tmul v0.4s, v1.4s, v2.4s");
__asm__(".arch armv8.5-a+sve");
CODE(wide_loads, "ld1b {z0.b}, p0/z, [x0]\n\tldr z0, [x0, #1, mul vl]\n\tldr p0, [x1]\n\t"
		 "ld1d {z0.d}, p0/z, [x0, z1.d]\n\tldff1w {z1.s}, p1/z, [x2, x3, lsl #2]");
CODE(wide_stores, "st1b {z0.b}, p0, [x0]\n\tstr z0, [x0, #1, mul vl]\n\tstr p0, [x1]\n\t"
		  "st1d {z0.d}, p0, [x0, z1.d]");

/* Without a syndrome, the instruction at the pc tells. */
static void check_accesses(const uint32_t *code, const uint32_t *end, enum wcm_access wanted)
{
	ucontext_t context = { 0 };

	for (; code < end; code++) {
		context.uc_mcontext.pc = (uintptr_t)code;
		CHECK_EQ(wcm__arch_access(&context, wcm__read_memory), wanted);
	}
}

TEST(what_an_instruction_wants)
{
	check_accesses(loads, loads_end, WCM_ACCESS_READ);
	check_accesses(stores, stores_end, WCM_ACCESS_WRITE);
	check_accesses(neither, neither_end, WCM_ACCESS_UNKNOWN);
	check_accesses(wide_loads, wide_loads_end, WCM_ACCESS_READ);
	check_accesses(wide_stores, wide_stores_end, WCM_ACCESS_WRITE);
}

TEST(addresses_that_can_be_formed)
{
	CHECK(wcm__arch_is_canonical(0));
	CHECK(wcm__arch_is_canonical(0xffffffffffff));
	CHECK(wcm__arch_is_canonical(UINTPTR_MAX));
	CHECK(wcm__arch_is_canonical(UINT64_C(0xab00ffff12345678))); /* with a tag */
	CHECK(!wcm__arch_is_canonical(UINT64_C(0x4141414141414141)));
}

RUN(calls_and_nothing_else, returns_by_the_link_register, stubs, the_trampoline, prologues,
    who_can_have_called, what_a_fault_wanted, what_an_instruction_wants,
    addresses_that_can_be_formed)
