/* SPDX-License-Identifier: MIT */
/* test_demangle_fault.c - a demangler that faults costs a name, not the report.
 *
 * The linker has libiberty's calls of xmalloc() come here (--wrap): with names of D.
 */
#include "core/os/attempt.h"
#include "core/report/demangle.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "whocallme.h"

#define NAME "_D3foo3barFiZv"
#define PLAIN "foo.bar(int)"

static enum { WELL, READS_NOWHERE, RECURSES } harm;
static volatile unsigned harms;

void *__real_wcm__demangler_xmalloc(size_t size);
void *__wrap_wcm__demangler_xmalloc(size_t size);

/* To the guard page, by less than that at a time. */
static unsigned recurse(unsigned depth)
{
	volatile char frame[1024];

	frame[depth % sizeof(frame)] = (char)depth;
	return depth < 1u << 20 ? recurse(depth + 1) + (unsigned)frame[0] : depth;
}

void *__wrap_wcm__demangler_xmalloc(size_t size)
{
	if (harm != WELL)
		harms++;
	if (harm == READS_NOWHERE)
		harms += *(volatile unsigned *)(uintptr_t)(harms * 8);
	if (harm == RECURSES)
		harms += recurse(0);
	return __real_wcm__demangler_xmalloc(size);
}

static void demangle(const char *expected)
{
	char room[64];

	CHECK_EQ(wcm__demangle(NAME, false, room, sizeof(room)), strlen(expected));
	CHECK_STR(room, expected);
}

static void demangle_harmed(int kind)
{
	const unsigned before = harms;

	CHECK_EQ(wcm_crash_install(NULL), WCM_OK);
	harm = kind;
	demangle("");
	CHECK(harms > before);
	demangle("");
	harm = WELL;
	demangle(PLAIN);
	CHECK(!wcm__attempt_is_running());
}

TEST(a_fault_gives_the_name_up)
{
	demangle_harmed(READS_NOWHERE);
}

TEST(a_stack_that_is_used_up_gives_the_name_up)
{
	demangle_harmed(RECURSES);
}

void fault_in_d(volatile int *nowhere) __asm__(NAME);

__attribute__((noinline)) void fault_in_d(volatile int *nowhere)
{
	*nowhere = 1;
}

/* What a child reports that crashes in a function of D. */
static const char *report_of_crash(int kind)
{
	static char report[65536];
	size_t used = 0;
	ssize_t more;
	int ends[2], status;
	pid_t child;

	CHECK_EQ(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct wcm_crash_options options = { .fd = ends[1] };

		harm = kind;
		dup2(STDERR_FILENO, STDOUT_FILENO); /* an emulator has its last words there */
		signal(SIGSEGV, SIG_DFL); /* cmocka's */
		init_function_table("/proc/self/exe");
		wcm_crash_install(&options);
		fault_in_d((volatile int *)16);
		_exit(0);
	}
	close(ends[1]);
	while ((more = read(ends[0], report + used, sizeof(report) - 1 - used)) > 0)
		used += (size_t)more;
	report[used] = '\0';
	close(ends[0]);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	return report;
}

static void report_harmed(int kind)
{
	const char *report = report_of_crash(kind);
	const char *name = strstr(report, NAME);

	CHECK(name != NULL);
	CHECK(strstr(name, "report_of_crash") != NULL);
	CHECK(strstr(name, "main") != NULL);
	CHECK(strstr(report, "again") == NULL);
}

TEST(the_report_of_a_crash_goes_on_after_a_fault)
{
	report_harmed(READS_NOWHERE);
}

TEST(the_report_of_a_crash_goes_on_after_an_overflow)
{
	report_harmed(RECURSES);
}

TEST(unharmed_the_report_has_the_plain_name)
{
	CHECK(strstr(report_of_crash(WELL), "foo.bar") != NULL);
}

RUN(a_fault_gives_the_name_up, a_stack_that_is_used_up_gives_the_name_up,
    unharmed_the_report_has_the_plain_name,
    the_report_of_a_crash_goes_on_after_a_fault,
    the_report_of_a_crash_goes_on_after_an_overflow)
