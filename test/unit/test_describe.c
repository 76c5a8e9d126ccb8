/* SPDX-License-Identifier: MIT */
/* test_describe.c - signals and their causes in words. */
#include "crash/report/signal_words.h"

#include "support/check.h"

/* What the report is for; the names are those of signal(7). */
static const struct {
	int number;
	const char *name;
} fatal[] = {
	{ SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },
	{ SIGILL, "SIGILL" },   { SIGABRT, "SIGABRT" }, { SIGTRAP, "SIGTRAP" },
	{ SIGSYS, "SIGSYS" },   { SIGQUIT, "SIGQUIT" }, { SIGXCPU, "SIGXCPU" },
	{ SIGXFSZ, "SIGXFSZ" },
};
enum { FATAL = sizeof(fatal) / sizeof(*fatal) };

static struct wcm_signal_cause cause_of(const siginfo_t *info, enum wcm_fault fault)
{
	return wcm__signal_cause(info, &(struct wcm_fault_found){ .fault = fault, .number = 7 });
}

static const char *cause(int number, int code)
{
	const siginfo_t info = { .si_signo = number, .si_code = code };

	return cause_of(&info, WCM_FAULT_UNKNOWN).text;
}

static bool is_fault(int number, int code)
{
	const siginfo_t info = { .si_signo = number, .si_code = code };

	return wcm__signal_is_fault(&info);
}

TEST(every_fatal_signal_has_its_name_and_words_of_its_own)
{
	for (size_t i = 0; i < FATAL; i++) {
		CHECK_STR(wcm__signal_name(fatal[i].number), fatal[i].name);
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(wcm__signal_text(fatal[i].number),
				     wcm__signal_text(fatal[j].number)) != 0);
	}
}

TEST(any_other_signal_is_a_signal)
{
	CHECK_STR(wcm__signal_name(SIGUSR1), "signal");
	CHECK_STR(wcm__signal_text(SIGUSR1), "fatal signal");
	CHECK_STR(wcm__signal_name(-1), "signal");
	CHECK_STR(wcm__signal_name(0), "signal");
}

TEST(codes_mean_what_their_signal_makes_of_them)
{
	CHECK_STR(cause(SIGSEGV, SEGV_MAPERR), "address not mapped");
	CHECK_STR(cause(SIGSEGV, SEGV_ACCERR), "access not permitted");
	CHECK_STR(cause(SIGFPE, FPE_INTDIV), "integer division by zero, or overflow of one");
	CHECK_STR(cause(SIGILL, ILL_ILLOPC), "illegal opcode");
	CHECK_STR(cause(SIGBUS, BUS_ADRERR), "no storage at the address");
	CHECK_STR(cause(SIGTRAP, TRAP_BRKPT), "breakpoint");
	CHECK_STR(cause(SIGSYS, 1), "forbidden by seccomp: system call ");
	CHECK_STR(cause(SIGQUIT, SI_KERNEL), "sent by the terminal");
	/* One number, three meanings. */
	CHECK_EQ(SEGV_MAPERR, FPE_INTDIV);
	CHECK_EQ(SEGV_MAPERR, ILL_ILLOPC);
}

TEST(an_instruction_tells_more_than_the_code)
{
	const siginfo_t info = { .si_signo = SIGSEGV, .si_code = SI_KERNEL };
	struct wcm_signal_cause found = cause_of(&info, WCM_FAULT_MISALIGNED);

	CHECK_STR(found.text, "misaligned address, not a multiple of ");
	CHECK_STR(found.then, "");
	CHECK_EQ(found.number, 7);
	CHECK_STR(cause(SIGSEGV, SI_KERNEL), "sent by the kernel");
	/* What does not belong to the code is not said. */
	found = cause_of(&(siginfo_t){ .si_signo = SIGSEGV, .si_code = SEGV_MAPERR },
			 WCM_FAULT_MISALIGNED);
	CHECK_STR(found.text, "address not mapped");
	CHECK(!found.then);
}

TEST(a_signal_that_was_sent_says_how)
{
	for (size_t i = 0; i < FATAL; i++) {
		CHECK_STR(cause(fatal[i].number, SI_USER), "sent by kill");
		CHECK_STR(cause(fatal[i].number, SI_TKILL), "sent by tgkill");
		CHECK_STR(cause(fatal[i].number, SI_QUEUE), "sent by sigqueue");
	}
	CHECK_STR(cause(SIGABRT, SI_KERNEL), "sent by the kernel");
}

TEST(every_code_has_an_answer)
{
	for (size_t i = 0; i < FATAL; i++)
		for (int code = -100; code <= 300; code++)
			CHECK(*cause(fatal[i].number, code) != '\0');
	CHECK_STR(cause(SIGSEGV, 99), "for an unknown reason");
}

TEST(an_address_means_something_only_after_a_fault)
{
	CHECK(is_fault(SIGSEGV, SEGV_MAPERR));
	CHECK(is_fault(SIGBUS, BUS_ADRALN));
	CHECK(is_fault(SIGFPE, FPE_INTDIV));
	CHECK(is_fault(SIGILL, ILL_ILLOPN));
	CHECK(!is_fault(SIGSEGV, SI_USER));
	CHECK(!is_fault(SIGSEGV, SI_TKILL));
	CHECK(!is_fault(SIGSEGV, SI_KERNEL));
	CHECK(!is_fault(SIGABRT, SI_TKILL));
	CHECK(!is_fault(SIGSYS, 1));
	CHECK(!is_fault(SIGXCPU, SI_KERNEL));
	CHECK(!is_fault(SIGQUIT, 1)); /* a descriptor's, F_SETSIG */
}

RUN(every_fatal_signal_has_its_name_and_words_of_its_own,
    any_other_signal_is_a_signal, codes_mean_what_their_signal_makes_of_them,
    an_instruction_tells_more_than_the_code, a_signal_that_was_sent_says_how,
    every_code_has_an_answer,
    an_address_means_something_only_after_a_fault)
