/* SPDX-License-Identifier: MIT */
/* test_glob.c - globs, as fnmatch(3) has them. */
#include "format/glob.h"

#include <fnmatch.h>
#include <string.h>

#include "support/check.h"

static bool matches(const char *glob, const char *text)
{
	return wcm__glob_matches(glob, strlen(glob), text, strlen(text));
}

static bool is_of(const char *list, const char *text)
{
	return wcm__globs_match(list, text, strlen(text));
}

static bool matches_path(const char *list, const char *path)
{
	uint64_t seen = 0;

	return wcm__globs_note_path(list, path, &seen);
}

TEST(each_glob_of_a_list_is_noted)
{
	uint64_t seen = 0;

	CHECK(wcm__globs_note("x, a*,b,?bc ,", "abc", 3, &seen));
	CHECK_EQ(seen, 2);
	CHECK(wcm__globs_note("x, a*,b,?bc", "abc", 3, &seen));
	CHECK_EQ(seen, 10);
	CHECK(!wcm__globs_note("", "", 0, &seen));
}

TEST(names_are_matched_as_a_whole)
{
	CHECK(matches("main", "main"));
	CHECK(!matches("main", "domain"));
	CHECK(!matches("main", "mainly"));
	CHECK(matches("ma*", "mainly"));
	CHECK(matches("*", ""));
	CHECK(!matches("", "a"));
	CHECK(matches("ns::*(int)", "ns::f(int)"));
	CHECK(matches("[a-c]?[!x]", "bzz"));
	CHECK(!matches("[a-c]?[!x]", "bzx"));
	CHECK(matches("operator\\[]", "operator[]"));
}

TEST(lists_have_commas)
{
	CHECK(is_of("foo, bar", "bar"));
	CHECK(is_of("foo,bar*", "barn"));
	CHECK(!is_of("foo,bar", "foo,bar"));
	CHECK(is_of("pair<int\\, int>", "pair<int, int>"));
	CHECK(!is_of(",,", ""));
}

TEST(paths_are_matched_from_any_slash)
{
	CHECK(matches_path("a.c", "/src/x/a.c"));
	CHECK(matches_path("x/*.c", "/src/x/a.c"));
	CHECK(matches_path("/src/*", "/src/x/a.c"));
	CHECK(!matches_path("src", "/src/x/a.c"));
	CHECK(!matches_path(".c", "/src/x/a.c"));
}

static bool is_chosen(const char *list, const char *text)
{
	uint64_t seen = 0;

	return wcm__globs_choose(list, text, strlen(text), "%in %inner", &seen);
}

TEST(a_mark_leaves_out)
{
	uint64_t seen = 0;

	CHECK(is_chosen("*,!write", "read"));
	CHECK(!is_chosen("*,!write", "write"));
	CHECK(!is_chosen("!write,*", "read"));
	CHECK(is_chosen("!write,close", "read"));
	CHECK(!is_chosen("!write,close", "close"));
	CHECK(!is_chosen("!write,!close", "close"));
	CHECK(is_chosen(" !write , !close", "open"));
	CHECK(!is_chosen("read,!write", "open"));
	CHECK(!is_chosen("!w*,read", "write"));
	CHECK(is_chosen("\\!x", "!x"));
	CHECK(!is_chosen("", "read"));
	CHECK(!wcm__globs_choose("*,!w*", "write", 5, "", &seen));
	CHECK_EQ(seen, 3);
}

TEST(a_class_chooses_its_members)
{
	uint64_t seen = 0;

	CHECK(is_chosen("%in", "read"));
	CHECK(is_chosen("%inner", "read"));
	CHECK(is_chosen("write,%i*r", "read"));
	CHECK(!is_chosen("%i", "read"));
	CHECK(!is_chosen("%in %inner", "read"));
	CHECK(!is_chosen("*,!%in", "read"));
	CHECK(!is_chosen("!%inner", "read"));
	CHECK(is_chosen("!%outer", "read"));
	CHECK(!is_chosen("?in", "read"));
	CHECK(!is_chosen("\\%in", "read"));
	CHECK(!wcm__globs_choose("%in,*", "x", 1, "", &seen) || seen == 2);
	CHECK(!wcm__globs_choose("%*", "x", 1, "", &seen));
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

static void make(char *text, unsigned most, const char *letters, unsigned *seed)
{
	unsigned size = next_random(seed) % (most + 1);

	for (unsigned i = 0; i < size; i++)
		text[i] = letters[next_random(seed) % strlen(letters)];
	text[size] = '\0';
}

/* What is not specified is left out: brackets within brackets, ranges that run down,
 * a backslash at the end. */
static bool is_specified(const char *glob)
{
	const char *set = strchr(glob, '[');

	if (set && (strchr(set + 1, '[') || strchr(set, '-') || strchr(set, '\\')))
		return false;
	return *glob == '\0' || glob[strlen(glob) - 1] != '\\';
}

TEST(random_globs_match_what_fnmatch_does)
{
	unsigned seed = 1, tried = 0, matched = 0;
	char glob[8], text[8];

	for (int i = 0; i < 400000; i++) {
		make(glob, 6, "ab*?*[]!\\", &seed);
		make(text, 6, "ab]!", &seed);
		if (!is_specified(glob))
			continue;
		tried++;
		matched += matches(glob, text);
		if (matches(glob, text) != (fnmatch(glob, text, 0) == 0))
			fprintf(stderr, "# \"%s\" \"%s\"\n", glob, text);
		CHECK_EQ(matches(glob, text), fnmatch(glob, text, 0) == 0);
	}
	CHECK(tried > 100000);
	CHECK(matched > 10000);
}

TEST(no_pattern_takes_long)
{
	char text[20001];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	CHECK(!matches("*a*a*a*a*a*a*a*a*a*a*b", text));
}

RUN(names_are_matched_as_a_whole, lists_have_commas,
    each_glob_of_a_list_is_noted, a_mark_leaves_out, a_class_chooses_its_members,
    paths_are_matched_from_any_slash, random_globs_match_what_fnmatch_does,
    no_pattern_takes_long)
