/* SPDX-License-Identifier: MIT */
/* check.h - the words that the unit tests are written in, on top of cmocka.
 *
 *	TEST(adds) { CHECK_EQ(1 + 1, 2); }
 *	RUN(adds, ...)
 */
#ifndef TEST_SUPPORT_CHECK_H
#define TEST_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TEST(name) static void name(void **state __attribute__((unused)))

#define CHECK(condition) assert_true(condition)
#define CHECK_EQ(a, b) \
	assert_int_equal((uintmax_t)(a), (uintmax_t)(b))
#define CHECK_STR(a, b) assert_string_equal(a, b)

/* Skip the rest of a test, saying why.  cmocka's own skip() has TAP count a failure. */
#define SKIP(reason) check_skip(reason)

/* Zeros in front of eight digits of an address, as reports write it. */
#if UINTPTR_MAX > UINT32_MAX
#define HIGH_ZEROS "00000000"
#else
#define HIGH_ZEROS ""
#endif

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif
#ifndef HAVE_ASAN
#define HAVE_ASAN 0
#endif

enum { CHECK_MOST_TESTS = 64, CHECK_LONGEST_LIST = 4096, CHECK_LONGEST_NAME = 256 };

static struct {
	CMUnitTestFunction function;
	char name[CHECK_LONGEST_NAME]; /* with TAP's directive behind it */
} check_tests[CHECK_MOST_TESTS];
static jmp_buf check_skipped;
static const char *check_reason; /* NULL: no test of RUN() is on its way */

/* A program with a main() of its own has cmocka's. */
static inline _Noreturn void check_skip(const char *reason)
{
	if (!check_reason)
		skip();
	check_reason = reason;
	longjmp(check_skipped, 1);
}

/* The test of number **STATE.  One that is skipped passes under a name that says so. */
static inline void check_one(void **state)
{
	const size_t i = *(const size_t *)*state;
	char *name = check_tests[i].name;

	check_reason = "";
	if (setjmp(check_skipped) == 0)
		check_tests[i].function(state);
	else
		snprintf(name + strlen(name), CHECK_LONGEST_NAME - strlen(name),
			 " # SKIP %s", check_reason);
}

/* Run TESTS, whose names stand in LIST as the preprocessor quotes them. */
static inline int check_run(CMUnitTestFunction const *tests, size_t count,
			    const char *list, const char *program)
{
	struct CMUnitTest unit[CHECK_MOST_TESTS];
	size_t numbers[CHECK_MOST_TESTS];
	char names[CHECK_LONGEST_LIST], *left = names;

	if (count > CHECK_MOST_TESTS || strlen(list) >= sizeof(names))
		return 99; /* automake's "hard error" */
	strcpy(names, list);
	for (size_t i = 0; i < count; i++) {
		const char *name = strtok_r(NULL, ", \n\t", &left);

		snprintf(check_tests[i].name, CHECK_LONGEST_NAME, "%s", name ? name : "?");
		check_tests[i].function = tests[i];
		numbers[i] = i;
		unit[i] = (struct CMUnitTest){
			.name = check_tests[i].name,
			.test_func = check_one,
			.initial_state = &numbers[i],
		};
	}
	return _cmocka_run_group_tests(program, unit, count, NULL, NULL);
}

#define RUN(...)                                                             \
	int main(void)                                                       \
	{                                                                    \
		CMUnitTestFunction const tests[] = { __VA_ARGS__ };         \
                                                                             \
		return check_run(tests, sizeof(tests) / sizeof(*tests),      \
				 #__VA_ARGS__, __FILE__);                    \
	}

#endif
