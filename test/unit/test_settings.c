/* SPDX-License-Identifier: MIT */
/* test_settings.c - variables of the environment, by settings.list. */
#include "format/settings.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "whocallme/crash.h"
#include "whocallme/trace.h"

/* Each setting's usual value; "" where it is none of words. */
#define RUN_OPTION(...)
#define TRACE_OPTION(...)
#define TRACE_ALONE(...)
#define TRACE_HEADING(...)
#define SETTING(reader, name, kind, takes, usual, ...) usual,
static const char *const usual[WCM_SETTINGS] = {
#include "format/settings.list"
};

static uint32_t flags_of(enum wcm_setting_id which, const char *value)
{
	char entry[128];
	char *const from[] = { "WHOCALLME_OTHER=no", entry, NULL };
	uint32_t flags = 0;

	snprintf(entry, sizeof(entry), "%s=%s", wcm__settings[which].variable, value);
	CHECK(wcm__setting_flags(from, which, &flags));
	return flags;
}

TEST(the_usual_word_is_as_none)
{
	for (int i = 0; i < WCM_SETTINGS; i++) {
		const char *words = wcm__settings[i].takes;

		if (wcm__settings[i].kind != WCM_SETTING_WORD || !*usual[i])
			continue;
		CHECK(wcm__word_of(words, usual[i], strlen(usual[i])) >= 0);
		CHECK_EQ(flags_of((enum wcm_setting_id)i, usual[i]), 0);
	}
}

TEST(no_setting_has_more_words_than_flags)
{
	for (int i = 0; i < WCM_SETTINGS; i++) {
		int spaces = 0;

		for (const char *sign = wcm__settings[i].takes; *sign; sign++)
			spaces += *sign == ' ';
		if (wcm__settings[i].kind != WCM_SETTING_TEXT)
			CHECK(spaces + 1 < WCM_SETTING_FLAGS);
	}
}

TEST(a_word_has_its_flag)
{
	CHECK_EQ(flags_of(WCM_SET_DEMANGLE, "no"), WCM_CRASH_MANGLED_NAMES);
	CHECK_EQ(flags_of(WCM_SET_DEMANGLE, ""), 0);
	CHECK_EQ(flags_of(WCM_SET_STDERR, "any"), WCM_CRASH_ANY_DESCRIPTOR);
	CHECK_EQ(flags_of(WCM_SET_TRACE_TIME, "delta"), WCM_TRACE_DELTA_TIMES);
	CHECK_EQ(flags_of(WCM_SET_TRACE_CALLEES, "keep,hide"),
		 WCM_TRACE_KEEP_CALLEES | WCM_TRACE_HIDE_CALLEES);
}

TEST(words_add_up)
{
	CHECK_EQ(flags_of(WCM_SET_SECTIONS, "code,thread-calls"),
		 WCM_SECTION_CODE | WCM_SECTION_THREAD_CALLS);
	CHECK_EQ(flags_of(WCM_SET_SECTIONS, "all") & WCM_SECTION_THREAD_CALLS, 0);
}

TEST(what_is_no_word_is_refused)
{
	static const char *const wrong[] = {
		"WHOCALLME_SECTIONS=code,", "WHOCALLME_SECTIONS=,code", "WHOCALLME_SECTIONS=cod",
		"WHOCALLME_SECTIONS=codes", "WHOCALLME_SECTIONS=code registers",
		"WHOCALLME_SECTIONS= ",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char *const from[] = { (char *)wrong[i], NULL };
		uint32_t flags = 7;

		CHECK(!wcm__setting_flags(from, WCM_SET_SECTIONS, &flags));
		CHECK_EQ(flags, 7);
	}
}

TEST(a_name_is_a_whole_one)
{
	char *const from[] = { "WHOCALLME_TRACE_TIMES=no", "WHOCALLME_TRACE_TIM=x",
			       "XWHOCALLME_TRACE_TIME=x", NULL };
	int word;

	CHECK(!wcm__setting(from, WCM_SET_TRACE_TIME));
	CHECK(wcm__setting_word(from, WCM_SET_TRACE_TIME, &word));
	CHECK_EQ(word, -1);
	CHECK(wcm__setting_word(from, WCM_SET_TRACE_TIMES, &word));
	CHECK_EQ(word, 1);
}

TEST(what_it_takes_is_put_in_words)
{
	char text[WCM_SETTING_TAKES], small[8];

	CHECK_STR(wcm__setting_takes(WCM_SET_STDERR, text), "yes, no or any");
	CHECK_STR(wcm__setting_takes(WCM_SET_DEADLINE, text), "seconds from 0.001 to 1000000");
	CHECK_STR(wcm__setting_takes(WCM_SET_SECTIONS, text),
		  "stack, registers, code, threads, modules, program, calls, thread-calls, "
		  "between commas, or all");
	wcm__words_join(small, sizeof(small), "us ns calls", ", ", " or ");
	CHECK_STR(small, "us, ns ");
	wcm__words_join(small, sizeof(small), "us", ", ", " or ");
	CHECK_STR(small, "us");
}

RUN(the_usual_word_is_as_none, no_setting_has_more_words_than_flags, a_word_has_its_flag,
    words_add_up, what_is_no_word_is_refused, a_name_is_a_whole_one,
    what_it_takes_is_put_in_words)
