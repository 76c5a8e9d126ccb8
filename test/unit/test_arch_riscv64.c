/* SPDX-License-Identifier: MIT */
/* test_arch_riscv64.c - what instructions tell: calls, linkage stubs, returns, prologues, and
 * what one that has faulted wanted.  The assembler writes them, in lists of one length. */
#include <signal.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/os/read.h"
#include "support/check.h"

enum { W = sizeof(uintptr_t), LONG = 4, SHORT = 2 };

#define HIDDEN __attribute__((visibility("hidden")))

/* NAME[] and where it ends. */
#define CODE(name, text)                                                               \
	extern const unsigned char name[] HIDDEN, name##_end[] HIDDEN;                 \
	__asm__(".pushsection .text\n\t.option push\n\t.option norelax\n\t.option norvc\n\t" \
		".option arch, +v\n\t.p2align 4\n\tnop\n" #name ":\n\t" text           \
		"\n" #name "_end:\n\tnop\n\t.option pop\n\t.popsection")

CODE(calls, "jal ra, calls\n\tjal t0, calls\n\tjalr ra, a0\n\tjalr ra, -8(t1)\n\tjalr t0, 4(t0)");
CODE(short_calls, ".option rvc\n\tc.jalr a0\n\tc.jalr t6");
CODE(others, "j others\n\tjr a0\n\tjr t0\n\tret\n\tnop\n\tebreak\n\tecall\n\tbeq a0, a1, others\n\t"
	     "auipc ra, 1\n\tlui ra, 1\n\tld ra, 8(sp)\n\tmv sp, s0\n\tadd ra, a0, a1\n\t"
	     "jal t1, others\n\tsd ra, 8(sp)");
CODE(short_others, ".option rvc\n\tc.j short_others\n\tc.jr a0\n\tc.jr ra\n\tc.nop\n\tc.ebreak\n\t"
		   "c.beqz a0, short_others\n\tc.ldsp ra, 8(sp)\n\tc.mv ra, a0\n\tc.add ra, a1\n\t"
		   "c.li ra, 1\n\tc.addi16sp sp, -32\n\tc.sdsp ra, 8(sp)\n\tc.slli ra, 3");

static int count_calls(const unsigned char *at, const unsigned char *end, int size)
{
	int count = 0;

	for (; at < end; at += size)
		count += wcm__arch_follows_call((uintptr_t)at + (unsigned)size, wcm__read_memory);
	return count;
}

TEST(calls_and_nothing_else)
{
	CHECK_EQ(count_calls(calls, calls_end, LONG), 5);
	CHECK_EQ(count_calls(short_calls, short_calls_end, SHORT), 2);
	CHECK_EQ(count_calls(others, others_end, LONG), 0);
	CHECK_EQ(count_calls(short_others, short_others_end, SHORT), 0);
	CHECK(!wcm__arch_follows_call((uintptr_t)calls + 5, wcm__read_memory));
	CHECK(!wcm__arch_follows_call(0, wcm__read_memory));
	CHECK(!wcm__arch_follows_call(2, wcm__read_memory));
	CHECK(!wcm__arch_follows_call(UINTPTR_MAX, wcm__read_memory));
}

static int count_returns(const unsigned char *at, const unsigned char *end, int size)
{
	int count = 0;

	for (; at < end; at += size)
		count += wcm__arch_is_return((uintptr_t)at, wcm__read_memory);
	return count;
}

TEST(returns_by_the_link_register)
{
	CHECK_EQ(count_returns(others, others_end, LONG), 1); /* jr t0 is millicode's */
	CHECK_EQ(count_returns(short_others, short_others_end, SHORT), 1);
	CHECK_EQ(count_returns(calls, calls_end, LONG), 0);
	CHECK_EQ(count_returns(short_calls, short_calls_end, SHORT), 0);
}

/* As ld writes them. */
CODE(stub, "auipc t3, 2\n\tld t3, 24(t3)\n\tjalr t1, t3");
CODE(first_stub, "auipc t2, 2\n\tsub t1, t1, t3\n\tld t3, 16(t2)\n\taddi t1, t1, -44\n\t"
		 "addi t0, t2, 16\n\tsrli t1, t1, 1\n\tld t0, 8(t0)\n\tjr t3");
CODE(no_stub, "auipc t3, 2\n\tld a0, 24(t3)\n\tjalr t1, t3");

static int count_stubs(const unsigned char *at, const unsigned char *end)
{
	struct wcm_rule rule;
	int count = 0;

	for (; at < end; at += LONG)
		if (wcm__arch_stub_rule(&rule, (uintptr_t)at, wcm__read_memory)) {
			CHECK_EQ(rule.base, WCM_BASE_SP);
			CHECK_EQ(rule.cfa_off, 0);
			CHECK(!rule.ra_saved);
			count++;
		}
	return count;
}

TEST(stubs)
{
	CHECK_EQ(count_stubs(stub, stub_end), 3);
	CHECK_EQ(count_stubs(first_stub, first_stub_end), 8);
	CHECK_EQ(count_stubs(no_stub, no_stub + 2 * LONG), 0);
	CHECK_EQ(count_stubs(calls, calls_end), 0);
}

CODE(trampoline, "li a7, 139\n\tecall");
CODE(no_trampoline, "li a7, 138\n\tecall");

TEST(the_trampoline)
{
	CHECK(wcm__arch_is_sigreturn((uintptr_t)trampoline, wcm__read_memory));
	CHECK(!wcm__arch_is_sigreturn((uintptr_t)trampoline + LONG, wcm__read_memory));
	CHECK(!wcm__arch_is_sigreturn((uintptr_t)no_trampoline, wcm__read_memory));
}

CODE(with_chain, "addi sp, sp, -48\n\tsd ra, 40(sp)\n\tsd s0, 32(sp)\n\tsd s1, 24(sp)\n\t"
		 "addi s0, sp, 48\n\tsub sp, sp, a0\n\tnop");
CODE(without, ".option rvc\n\tc.addi16sp sp, -32\n\tc.sdsp ra, 24(sp)\n\tc.sdsp s0, 16(sp)\n\t"
	      "c.li s0, 3\n\tc.beqz a0, without\n\tc.nop");
CODE(large, "addi sp, sp, -2032\n\tsd ra, 2024(sp)\n\tlui t0, 0xfffff\n\taddi t0, t0, -32\n\t"
	    "add sp, sp, t0\n\tnop");
CODE(among_others, "lui a4, 1\n\taddi sp, sp, -48\n\tlui t0, 0xfffff\n\taddi a5, a4, 16\n\t"
		   "lui a3, 0xfffff\n\tsd ra, 40(sp)\n\taddi t0, t0, -32\n\tadd a5, a5, a3\n\t"
		   "add sp, sp, t0\n\tadd a5, a5, sp\n\tlw t0, 0(a0)\n\tadd sp, sp, t0\n\tnop");
CODE(gives_back, ".option rvc\n\tc.addi16sp sp, -32\n\tc.sdsp ra, 24(sp)\n\tc.beqz a0, 1f\n\t"
		 "c.jalr a1\n1:\tc.ldsp ra, 24(sp)\n\tc.addi16sp sp, 32\n\tc.jr t1");
CODE(gives_some_back, "addi sp, sp, -48\n\tsd ra, 40(sp)\n\tbeqz a0, gives_some_back\n\t"
		      "addi sp, sp, 32\n\tnop\n\taddi sp, sp, 48\n\tnop");
CODE(a_leaf, "lw a0, 0(a0)\n\tadd a0, a0, a1\n\tret");

static struct wcm_rule rule_at(const unsigned char *start, int bytes)
{
	struct wcm_rule rule = { .cfa_off = -1 };

	wcm__arch_prologue_rule(&rule, (uintptr_t)start, (uintptr_t)start + (unsigned)bytes,
				wcm__read_memory);
	return rule;
}

static void check_rule(struct wcm_rule is, int cfa_off, int ra_off, int fp_off)
{
	CHECK_EQ(is.base, WCM_BASE_SP);
	CHECK_EQ(is.cfa_off, cfa_off);
	CHECK_EQ(is.ra_saved, ra_off != 0);
	CHECK_EQ(is.ra_off, ra_off);
	CHECK_EQ(is.fp_saved, fp_off != 0);
	CHECK_EQ(is.fp_off, fp_off);
}

/* What CFI says of the same code. */
TEST(prologues)
{
	check_rule(rule_at(with_chain, 0), 0, 0, 0);
	check_rule(rule_at(with_chain, 1 * LONG), 48, 0, 0);
	check_rule(rule_at(with_chain, 2 * LONG), 48, -8, 0);
	check_rule(rule_at(with_chain, 4 * LONG), 48, -8, -16);
	CHECK_EQ(rule_at(with_chain, 5 * LONG).cfa_off, -1); /* s0 tells */
	CHECK_EQ(rule_at(with_chain, 6 * LONG).cfa_off, -1);
	check_rule(rule_at(without, 1 * SHORT), 32, 0, 0);
	check_rule(rule_at(without, 5 * SHORT), 32, -8, -16);
	check_rule(rule_at(large, 2 * LONG), 2032, -8, 0);
	check_rule(rule_at(large, 4 * LONG), 2032, -8, 0);
	check_rule(rule_at(large, 5 * LONG), 2032 + 4096 + 32, -8, 0);
	check_rule(rule_at(among_others, 8 * LONG), 48, -8, 0);
	check_rule(rule_at(among_others, 9 * LONG), 48 + 4096 + 32, -8, 0);
	check_rule(rule_at(among_others, 11 * LONG), 48 + 4096 + 32, -8, 0);
	/* The row ends where what is taken is not known. */
	check_rule(rule_at(among_others, 13 * LONG), 48 + 4096 + 32, -8, 0);
	check_rule(rule_at(gives_back, 5 * SHORT), 32, -8, 0);
	check_rule(rule_at(gives_back, 6 * SHORT), 0, 0, 0);
	check_rule(rule_at(gives_some_back, 4 * LONG), 48, -8, 0);
	check_rule(rule_at(gives_some_back, 6 * LONG), 0, 0, 0);
	check_rule(rule_at(a_leaf, 2 * LONG), 0, 0, 0);
	CHECK_EQ(rule_at(a_leaf, 3 * LONG).cfa_off, -1);
}

CODE(callers, "jal callee\n\tnop\n\tjal veneer\n\tnop\n\tjal others\n\tnop\n\tjalr a3\n\tnop\n"
	      "1:\tauipc ra, %pcrel_hi(callee)\n\tjalr ra, %pcrel_lo(1b)(ra)\n\tnop");
CODE(callee, "nop\n\tret");
CODE(veneer, "j callee");

static uintptr_t behind(int instruction)
{
	return (uintptr_t)callers + (unsigned)(instruction + 1) * LONG;
}

static bool can_have_called(int instruction, uintptr_t sp)
{
	const struct wcm_regs caller = { .pc = behind(instruction), .sp = sp };

	return wcm__arch_can_have_called(&caller, (uintptr_t)callee, wcm__read_memory);
}

TEST(who_can_have_called)
{
	enum { A3 = 13 };
	struct wcm_registers registers = { .pc = (uintptr_t)callee };

	CHECK(can_have_called(0, 0x7008));
	CHECK(!can_have_called(1, 0x7000));
	CHECK(can_have_called(2, 0x7000));
	CHECK(!can_have_called(4, 0x7000));
	CHECK(can_have_called(6, 0x7000));
	CHECK(!can_have_called(6, 0x7008)); /* of a stack not aligned */
	CHECK(can_have_called(9, 0x7000));
	CHECK(!wcm__arch_has_called(behind(6), &registers, 0, wcm__read_memory));
	wcm__register_set(&registers, A3, (uintptr_t)veneer);
	CHECK(wcm__arch_has_called(behind(6), &registers, 0, wcm__read_memory));
	registers.pc += LONG;
	CHECK(!wcm__arch_has_called(behind(6), &registers, 0, wcm__read_memory));
	CHECK(wcm__arch_has_called(behind(6), &registers, LONG, wcm__read_memory));
}

/* As the kernel lays it out. */
enum { A1 = 11, BASE = 0x1234000 };
static struct {
	siginfo_t info;
	ucontext_t context;
} frame;

static enum wcm_access access_at(uintptr_t pc, uintptr_t address)
{
	frame.info.si_signo = SIGSEGV;
	frame.info.si_code = SEGV_MAPERR;
	frame.info.si_addr = (void *)address;
	frame.context.uc_mcontext.__gregs[REG_PC] = pc;
	frame.context.uc_mcontext.__gregs[REG_SP] = BASE;
	frame.context.uc_mcontext.__gregs[A1] = BASE;
	CHECK_EQ(wcm__arch_fetch_failed(&frame.context, wcm__read_memory), pc == address);
	return wcm__arch_access(&frame.context, wcm__read_memory);
}

/* Instructions that begin with AT are ACCESS of WIDTHS bytes, each a digit, at OFFSET. */
static void check_accesses(const unsigned char *at, int size, const char *widths, int offset,
			   enum wcm_access access)
{
	for (; *widths; widths++, at += size) {
		const uintptr_t pc = (uintptr_t)at, first = BASE + (unsigned)offset;
		const unsigned width = (unsigned)(*widths - '0');

		CHECK_EQ(access_at(pc, first), access);
		CHECK_EQ(access_at(pc, first + width - 1), access);
		CHECK_EQ(access_at(pc, first - 1), WCM_ACCESS_UNKNOWN);
		CHECK_EQ(access_at(pc, first + width), WCM_ACCESS_UNKNOWN);
		CHECK_EQ(access_at(pc, pc), WCM_ACCESS_EXECUTE);
	}
}

CODE(loads, "lb a0, 24(a1)\n\tlbu a0, 24(a1)\n\tlh a0, 24(sp)\n\tlhu a0, 24(a1)\n\t"
	    "lw a0, 24(a1)\n\tlwu a0, 24(a1)\n\tld a0, 24(sp)\n\t"
	    "flw fa0, 24(a1)\n\tfld fa0, 24(a1)");
CODE(short_loads, ".option rvc\n\tc.lw a0, 24(a1)\n\tc.lwsp a0, 24(sp)\n\tc.ld a0, 24(a1)\n\t"
		  "c.ldsp a0, 24(sp)\n\tc.fld fa0, 24(a1)\n\tc.fldsp fa0, 24(sp)");
CODE(stores, "sb a0, 24(a1)\n\tsh a0, 24(sp)\n\tsw a0, 24(a1)\n\tsd a0, 24(sp)\n\t"
	     "fsw fa0, 24(a1)\n\tfsd fa0, 24(a1)");
CODE(short_stores, ".option rvc\n\tc.sw a0, 24(a1)\n\tc.swsp a0, 24(sp)\n\tc.sd a0, 24(a1)\n\t"
		   "c.sdsp a0, 24(sp)\n\tc.fsd fa0, 24(a1)\n\tc.fsdsp fa0, 24(sp)");
CODE(below, "ld a0, -2048(a1)\n\tsd a0, -2048(a1)");
CODE(atomic_loads, "lr.w a0, (a1)\n\tlr.d.aq a0, (a1)");
CODE(atomic_stores, "sc.w a0, a2, (a1)\n\tsc.d a0, a2, (a1)\n\tamoadd.w a0, a2, (a1)\n\t"
		    "amoswap.d.aqrl a0, a2, (a1)");
CODE(vectors, "vle64.v v0, (a1)\n\tvlse32.v v0, (a1), a2\n\tvse8.v v0, (a1)\n\t"
	      "vsse16.v v0, (a1), a2");

TEST(what_a_fault_wanted)
{
	check_accesses(loads, LONG, "112244848", 24, WCM_ACCESS_READ);
	check_accesses(short_loads, SHORT, "448888", 24, WCM_ACCESS_READ);
	check_accesses(stores, LONG, "124848", 24, WCM_ACCESS_WRITE);
	check_accesses(short_stores, SHORT, "448888", 24, WCM_ACCESS_WRITE);
	check_accesses(below, LONG, "8", -2048, WCM_ACCESS_READ);
	check_accesses(below + LONG, LONG, "8", -2048, WCM_ACCESS_WRITE);
	check_accesses(atomic_loads, LONG, "48", 0, WCM_ACCESS_READ);
	check_accesses(atomic_stores, LONG, "4848", 0, WCM_ACCESS_WRITE);
	for (unsigned i = 0; i < 4; i++)
		CHECK_EQ(access_at((uintptr_t)vectors + i * LONG, BASE + 64 * i),
			 i < 2 ? WCM_ACCESS_READ : WCM_ACCESS_WRITE);
	for (const unsigned char *at = calls; at < calls_end; at += LONG)
		CHECK_EQ(access_at((uintptr_t)at, BASE), WCM_ACCESS_UNKNOWN);
}

RUN(calls_and_nothing_else, returns_by_the_link_register, stubs, the_trampoline, prologues,
    who_can_have_called, what_a_fault_wanted)
