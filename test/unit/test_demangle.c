/* SPDX-License-Identifier: MIT */
/* test_demangle.c - names as people write them. */
#include "core/report/demangle.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/os/read.h"
#include "core/os/work_stack.h"
#include "support/check.h"
#include "whocallme/symbol.h"

/* The mangled names follow the Itanium C++ ABI, Rust's legacy and v0 schemes,
 * and D's ABI. */
static const struct {
	const char *mangled, *plain;
} known[] = {
	{ "_ZN5shape4areaEv", "shape::area()" },
	{ "_Z3addii", "add(int, int)" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
	  "std::vector<int, std::allocator<int> >::push_back(int const&)" },
	{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
	  "core::fmt::Write::write_fmt" },
	{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
	/* As c++filt(1) writes _GLOBAL__I_, which older compilers begin such names with. */
	{ "_GLOBAL__sub_I__ZN1SC2Ev", "global constructors keyed to S::S()" },
	{ "_GLOBAL__I__ZN1SC2Ev", "global constructors keyed to S::S()" },
	{ "_GLOBAL__sub_D_file.cc", "global destructors keyed to file.cc" },
};
enum { KNOWN = sizeof(known) / sizeof(*known) };

/* What is no mangled name, or ends in the middle of one. */
static const char *const unknown[] = {
	"", "main", "_", "_Z", "_ZN", "_ZN5shape", "_R", "_D", "_start",
	"_GLOBAL__", "_GLOBAL__F_file", "_GLOBAL__sub_", "_GLOBAL__sub_I", "_GLOBAL__sub_X_f",
	"_ZN99999999999shapeE", "\xff\xfe", "_Z\x1b[31m",
};
enum { UNKNOWN = sizeof(unknown) / sizeof(*unknown) };

static const char *line_of(const char *name)
{
	static char got[65536];
	struct wcm_line line;
	ssize_t size;
	int ends[2];

	CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
	wcm__line_init(&line, ends[1]);
	wcm__line_demangled(&line, name);
	CHECK(wcm__line_write(&line));
	size = read(ends[0], got, sizeof(got) - 1);
	got[size > 0 ? size : 0] = '\0';
	close(ends[0]);
	close(ends[1]);
	return got;
}

TEST(knows_cxx_and_rust)
{
	for (size_t i = 0; i < KNOWN; i++) {
		char *plain = wcm_name_demangle(known[i].mangled);

		CHECK(plain != NULL);
		CHECK_STR(plain, known[i].plain);
		free(plain);
	}
}

TEST(knows_d)
{
	char *plain = wcm_name_demangle("_D3foo3barFiZv");

	CHECK(plain != NULL);
	CHECK_STR(plain, "foo.bar(int)");
	free(plain);
}

TEST(has_no_answer_for_what_is_not_mangled)
{
	for (size_t i = 0; i < UNKNOWN; i++) {
		char *plain = wcm_name_demangle(unknown[i]);

		CHECK(plain == NULL);
	}
}

TEST(a_line_shows_names_demangled)
{
	for (size_t i = 0; i < KNOWN; i++)
		CHECK_STR(line_of(known[i].mangled), known[i].plain);
}

TEST(a_line_shows_what_is_not_mangled_as_it_is)
{
	CHECK_STR(line_of("main"), "main");
	CHECK_STR(line_of("_start"), "_start");
	CHECK_STR(line_of("_ZN5shape"), "_ZN5shape");
	CHECK_STR(line_of("_Z\x1b[31m"), "_Z\\x1b[31m");
	CHECK_STR(line_of(""), "");
}

/* A name that is valid and long: _Z1fPPP...i */
static char *pointers(size_t count)
{
	char *name = malloc(count + 8);

	CHECK(name != NULL);
	memcpy(name, "_Z1f", 4);
	memset(name + 4, 'P', count);
	strcpy(name + 4 + count, "i");
	return name;
}

TEST(an_over_long_name_stays_as_it_is_on_a_line)
{
	for (size_t count = 1100; count < 30000; count *= 3) {
		char *name = pointers(count);

		CHECK_STR(line_of(name), name);
		free(name);
	}
}

TEST(a_name_of_moderate_length_is_demangled_on_a_line)
{
	char *name = pointers(100);

	CHECK(strncmp(line_of(name), "f(int***", 8) == 0);
	free(name);
}

/* Each parameter names the one before it twice. */
TEST(a_name_that_explodes_is_bounded)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[256] = "_Z1fP3foo";
	const char *shown = "";

	for (int i = 0; i < 36; i += 2) {
		sprintf(name + strlen(name), "PFS%c_S%c_E", digits[i], digits[i]);
		shown = line_of(name);
		CHECK(strlen(shown) <= WCM_LINE_SCRATCH);
		if (strcmp(shown, name) == 0)
			continue;
		CHECK(strncmp(shown, "f(foo*, foo* (*)(foo*)", 22) == 0);
		CHECK(shown[strlen(shown) - 1] == ')');
	}
	CHECK_STR(shown, name);
}

TEST(hostile_names_do_no_harm)
{
	static const char alphabet[] = "_ZNKSRDFPIJLEXTQ0123456789abc";
	char name[250];

	srand(20240302);
	for (int round = 0; round < 20000; round++) {
		size_t length = (size_t)rand() % (sizeof(name) - 3);

		memcpy(name, rand() % 4 ? "_Z" : "_R", 2);
		for (size_t i = 0; i < length; i++)
			name[2 + i] = alphabet[(size_t)rand() %
					       (sizeof(alphabet) - 1)];
		name[2 + length] = '\0';
		CHECK(*line_of(name) != '\0');
	}
}

/* Each part names the one before it five times: what it stands for is longer
 * than any memory. */
static const char endless[] =
	"_Z1f1AIiiiiE"
	"S_IS0_S0_S0_S0_ES_IS1_S1_S1_S1_ES_IS2_S2_S2_S2_ES_IS3_S3_S3_S3_E"
	"S_IS4_S4_S4_S4_ES_IS5_S5_S5_S5_ES_IS6_S6_S6_S6_ES_IS7_S7_S7_S7_E"
	"S_IS8_S8_S8_S8_ES_IS9_S9_S9_S9_ES_ISA_SA_SA_SA_ES_ISB_SB_SB_SB_E"
	"S_ISC_SC_SC_SC_E";

TEST(a_name_without_end_stays_as_it_is)
{
	CHECK_STR(line_of(endless), endless);
	CHECK(wcm_name_demangle(endless) == NULL);
}

/* What stands for 2^60 types is searched for a parameter pack; the arguments of a
 * template are read 2^60 times.  Neither writes a character. */
TEST(a_name_that_takes_for_ever_stays_as_it_is)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1fDpFv1AIiiES_IS0_S0_E";

	for (int i = 1; i <= 30; i++)
		sprintf(name + strlen(name), "S_IS%c_S%c_E", digits[i], digits[i]);
	strcat(name, "E");
	CHECK_STR(line_of(name), name);
	strcpy(name, "_ZN1Acv");
	for (int i = 0; i < 60; i++)
		strcat(name, "T_I");
	strcat(name, "i");
	for (int i = 0; i < 60; i++)
		strcat(name, "E");
	strcat(name, "Ev");
	CHECK_STR(line_of(name), name);
}

TEST(what_is_like_that_and_short_is_shown)
{
	CHECK_STR(line_of("_ZN1AcvT_IiEEv"), "A::operator int<int>()");
	CHECK(strncmp(line_of("_Z1fIJidEEvDpOT_"), "void f<int, double>(", 20) == 0);
}

/* In a path that is read and not written: of a type whose lifetimes are 62^8. */
TEST(lifetimes_without_end_are_not_counted)
{
	static const char name[] = "_RNvXYDGzzzzzzzz_C1aEL_C1bC1cC1d1f";

	CHECK_STR(line_of(name), name);
	CHECK(wcm_name_demangle(name) == NULL);
}

/* libiberty allocates to decode what follows "u", and all of what is D's. */
TEST(names_that_take_memory_are_shown)
{
	CHECK_STR(line_of("_RNvC5identu9brger_kva"), "ident::b\u00fcrger");
	CHECK_STR(line_of("_D3foo3barFiZv"), "foo.bar(int)");
	CHECK_STR(line_of("_Dmain"), "D main");
}

TEST(a_short_name_is_without_its_types)
{
	char room[64];

	CHECK_EQ(wcm__demangle("_ZNSt6vectorIiSaIiEE9push_backERKi", true, room,
			       sizeof(room)), strlen("std::vector::push_back"));
	CHECK_STR(room, "std::vector::push_back");
	CHECK_EQ(wcm__demangle("_ZNSt6vectorIiSaIiEE9push_backERKi", true, room, 4), 0);
	CHECK_EQ(wcm__demangle("main", true, room, sizeof(room)), 0);
}

/* 16 KiB are the least that a thread can have. */
static void *demangle_on_little(void *name)
{
	char room[64];

	CHECK(wcm__demangle(name, false, room, sizeof(room)) > 0 || room[0] == '\0');
	return NULL;
}

TEST(the_callers_stack_is_hardly_used)
{
	char *name = pointers(1000);
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 16384);
	CHECK_EQ(pthread_create(&thread, &attributes, demangle_on_little, name), 0);
	pthread_join(thread, NULL);
	free(name);
}

/* The frame's address may be the end of the stack. */
static void note_stack(void *lowest)
{
	volatile char here = 0;

	*(uintptr_t *)lowest = ((uintptr_t)&here & ~(WCM_PAGE - 1)) + here;
}

TEST(the_stack_for_it_is_gone_afterwards)
{
	unsigned char is_there;
	uintptr_t used = 0;

	wcm__work_stack_call(note_stack, &used);
	CHECK(used != 0 && used != ((uintptr_t)&used & ~(WCM_PAGE - 1)));
	CHECK(mincore((void *)used, WCM_PAGE, &is_there) != 0 && errno == ENOMEM);
}

RUN(the_stack_for_it_is_gone_afterwards,
    a_name_without_end_stays_as_it_is, a_name_that_takes_for_ever_stays_as_it_is,
    what_is_like_that_and_short_is_shown, lifetimes_without_end_are_not_counted,
    names_that_take_memory_are_shown, a_short_name_is_without_its_types,
    the_callers_stack_is_hardly_used,
    knows_cxx_and_rust, knows_d, has_no_answer_for_what_is_not_mangled,
    a_line_shows_names_demangled,
    a_line_shows_what_is_not_mangled_as_it_is,
    an_over_long_name_stays_as_it_is_on_a_line,
    a_name_of_moderate_length_is_demangled_on_a_line,
    a_name_that_explodes_is_bounded, hostile_names_do_no_harm)
