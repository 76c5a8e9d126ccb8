/* SPDX-License-Identifier: MIT */
/* reports_text.c - crash reports for people, stacks and files of addresses. */
#include "reports.h"

#include <inttypes.h>
#include <string.h>

const char *report_path(struct choices *choices)
{
	static const char *const paths[] = {
		"/nowhere/prog", "/nowhere/libc.so.6", "/nowhere/lib a (b).so", "[vdso]",
		"relative", "/nowhere/a+0x10", "/nowhere/x (deleted)", "/nowhere/\\x0a",
		"", "/dev/null", "/proc/self/maps", NULL,
	};

	return one_of(choices, paths);
}

uint64_t report_pc(struct choices *choices)
{
	return chance(choices, 12) ? any_number(choices)
				   : 0x10000000 + choose(choices, 5) * 0x10000 +
					     choose(choices, 0x10000);
}

void report_build_id(struct text *text, struct choices *choices)
{
	size_t size = choose(choices, 4) ? 20 : choose(choices, 70);

	while (size-- > 0)
		text_print(text, "%02zx", choose(choices, 256));
	if (chance(choices, 20))
		text_print(text, "%zx", choose(choices, 16));
}

static void put_end(struct text *text, struct choices *choices)
{
	static const char *const ends[] = { "\r\n", "", "\033[0m\n", "\n\n", " \n", NULL };

	text_print(text, "%s", chance(choices, 12) ? one_of(choices, ends) : "\n");
}

static void put_location(struct text *text, struct choices *choices)
{
	text_name(text, choices);
	if (choose(choices, 2)) {
		text_print(text, " at %s", report_path(choices));
		if (choose(choices, 2))
			text_print(text, ":%" PRIu64, any_number(choices));
		if (choose(choices, 2))
			text_print(text, ":%zu", choose(choices, 200));
	}
	text_print(text, "%s", chance(choices, 3) ? " (inlined)" : "");
	put_end(text, choices);
}

static void put_frame(struct text *text, struct choices *choices, size_t number)
{
	text_print(text, "#%zu ", chance(choices, 20) ? (size_t)any_number(choices) : number);
	if (chance(choices, 12)) {
		text_print(text, "<signal handler called>");
		put_end(text, choices);
		return;
	}
	if (!chance(choices, 20))
		text_print(text, "0x%016" PRIx64 " ", report_pc(choices));
	text_print(text, "in ");
	text_name(text, choices);
	if (choose(choices, 2))
		text_print(text, "+0x%" PRIx64, any_number(choices));
	if (!chance(choices, 8))
		text_print(text, " (%s", report_path(choices));
	if (chance(choices, 3))
		text_print(text, "+0x%" PRIx64, report_pc(choices));
	text_print(text, "%s", chance(choices, 12) ? "" : ")");
	put_end(text, choices);
	for (size_t i = chance(choices, 6) ? choose(choices, 4) : 0; i > 0; i--) {
		text_print(text, "%s", chance(choices, 4) ? "\t>  12  " : "   ");
		put_location(text, choices);
	}
}

static void put_frames(struct text *text, struct choices *choices)
{
	const size_t count = choose(choices, chance(choices, 16) ? 200 : 8);

	for (size_t i = 0; i < count; i++) {
		put_frame(text, choices, i);
		if (chance(choices, 16))
			text_print(text, "... %" PRIu64 " more of f, in rounds of %" PRIu64 "\n",
				   any_number(choices), any_number(choices) % 20);
	}
	if (chance(choices, 6))
		text_print(text, "(%zu more frames)\n", choose(choices, 99));
}

static void put_head(struct text *text, struct choices *choices)
{
	static const char *const signals[] = { "SIGSEGV, segmentation fault",
					       "SIGABRT, aborted", "signal, 77",
					       "SIG", "SIGBUS", NULL };

	text_print(text, "<whocallme>: ");
	text_name(text, choices);
	text_print(text, ": %s: ", one_of(choices, signals));
	text_name(text, choices);
	text_print(text, "%s", choose(choices, 2) ? ", at 0x0000000000000000" : "");
	put_end(text, choices);
	text_print(text, "<whocallme>: process %zu, thread %" PRIu64 " \"",
		   choose(choices, 70000), any_number(choices));
	text_name(text, choices);
	text_print(text, "\"\n");
}

static void put_details(struct text *text, struct choices *choices)
{
	static const char *const details[] = {
		"write to 0x0000000000000000: NULL\n", "program: /nowhere/prog\n",
		"arguments: a \\x0a b\n", "registers:\n  rax    0x0000000000000000\n",
		"code: 55 48 <c7> 00\n", "(no threads)\n", "\n", "something else\n",
		"{\"version\":1}\n", "thread 12:\n", "3 threads 7-8 \"w\", 9 \"x\":\n",
		"... 12 more of f\n", "... 0 more of , in rounds of 0\n",
		"<whocallme>: no source lines: why\n",
		NULL,
	};

	for (size_t i = choose(choices, 4); i > 0; i--)
		text_print(text, "%s", one_of(choices, details));
}

static void put_modules(struct text *text, struct choices *choices)
{
	text_print(text, "modules:\n");
	for (size_t i = choose(choices, 7); i > 0; i--) {
		uint64_t lo = report_pc(choices) & ~(uint64_t)0xfff;
		uint64_t hi = chance(choices, 8) ? any_number(choices) : lo + 0x10000;

		text_print(text, "  0x%016" PRIx64 "-0x%016" PRIx64 " bias 0x%" PRIx64, lo,
			   hi, chance(choices, 8) ? any_number(choices) : lo);
		if (!chance(choices, 6))
			text_print(text, " build-id ");
		if (chance(choices, 6))
			text_print(text, "none");
		else
			report_build_id(text, choices);
		text_print(text, " %s", report_path(choices));
		put_end(text, choices);
	}
}

static void put_source_lines(struct text *text, struct choices *choices)
{
	text_print(text, "<whocallme>: source lines:\n");
	for (size_t i = choose(choices, 5); i > 0; i--) {
		if (chance(choices, 6))
			text_print(text, "thread %" PRIu64 ":\n", any_number(choices));
		text_print(text, "#%zu ", choose(choices, 8));
		put_location(text, choices);
		if (chance(choices, 3))
			text_print(text, "\t>   12  text\n");
	}
}

void stack_as_text(struct text *text, struct choices *choices)
{
	if (chance(choices, 3)) {
		text_print(text, "<whocallme>: thread %zu \"", choose(choices, 70000));
		text_name(text, choices);
		text_print(text, "\"\n");
	}
	put_frames(text, choices);
}

void report_as_text(struct text *text, struct choices *choices)
{
	put_head(text, choices);
	put_details(text, choices);
	put_frames(text, choices);
	put_details(text, choices);
	for (size_t i = chance(choices, 3) ? choose(choices, 4) : 0; i > 0; i--) {
		text_print(text, "thread %" PRIu64 " \"", any_number(choices));
		text_name(text, choices);
		text_print(text, "\"\n");
		put_frames(text, choices);
	}
	if (!chance(choices, 5))
		put_modules(text, choices);
	if (chance(choices, 3))
		put_source_lines(text, choices);
}

void addresses_as_text(struct text *text, struct choices *choices)
{
	for (size_t i = 1 + choose(choices, 24); i > 0; i--)
		switch (choose(choices, 8)) {
		case 0:
			text_print(text, "# process %" PRIu64 "%s\n",
				   chance(choices, 8) ? any_number(choices)
						      : 7 + choose(choices, 3),
				   choose(choices, 2) ? " begins" : "");
			break;
		case 1:
			text_print(text, "# 0x%" PRIx64 "-0x%" PRIx64 " bias 0x%" PRIx64
				   " build-id ", report_pc(choices) & ~(uint64_t)0xfff,
				   report_pc(choices), any_number(choices));
			if (choose(choices, 2))
				report_build_id(text, choices);
			else
				text_print(text, "none");
			text_print(text, " %s", report_path(choices));
			put_end(text, choices);
			break;
		default:
			text_print(text, "%c0x%" PRIx64, choose(choices, 2) ? 'E' : 'X',
				   0x10000000 + (uint64_t)0x100 * choose(choices, 6));
			put_end(text, choices);
		}
}
