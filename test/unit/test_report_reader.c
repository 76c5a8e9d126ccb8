/* SPDX-License-Identifier: MIT */
/* test_report_reader.c - crash reports as text, read line by line and as a whole. */

#include <jansson.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/lines_in.h"
#include "reports/report_modules.h"
#include "reports/text_line.h"
#include "support/check.h"

/* A copy of TEXT that may be written over, until the eighth from now. */
static char *line_of(const char *text)
{
	static char room[8][256];
	static unsigned last;

	last = (last + 1) % 8;
	CHECK(strlen(text) < sizeof(room[0]));
	return strcpy(room[last], text);
}

TEST(each_line_has_a_kind)
{
	static const struct {
		const char *line;
		enum text_kind kind;
	} known[] = {
		{ "<whocallme>: sh: SIGSEGV, segmentation fault: NULL", TEXT_HEAD },
		{ "<whocallme>: a: b: signal, SIGRTMIN+1: x", TEXT_HEAD },
		{ "<whocallme>: sh: SIGSEGV", TEXT_OTHER },
		{ "<whocallme>: process 7, thread 7 \"sh\"", TEXT_OTHER },
		{ "<whocallme>: thread 7 \"sh\"", TEXT_ONE_OF_ALL },
		{ "<whocallme>: source lines:", TEXT_LINES },
		{ "<whocallme>: source lines: no", TEXT_OTHER },
		{ "thread 8 \"w\":", TEXT_THREAD },
		{ "thread 8:", TEXT_THREAD },
		{ "thread eight \"w\"", TEXT_OTHER },
		{ "3 threads 8 \"w\", 9-10 \"x\":", TEXT_THREAD },
		{ "3 threads 8-10 \"w\" did not answer", TEXT_THREAD },
		{ "3 threads w", TEXT_OTHER },
		{ "... 212 more of f", TEXT_FOLD },
		{ "... 5 more of a, b, in rounds of 2", TEXT_FOLD },
		{ "... 5 more, in rounds of 2", TEXT_OTHER },
		{ "... 5 more of a, b, in rounds of 0", TEXT_OTHER },
		{ "#0 0x0000000000401136 in f+0x4 (/bin/p)", TEXT_FRAME },
		{ "#1 <signal handler called>", TEXT_FRAME },
		{ "#2 in f+0x4 (/bin/p)", TEXT_FRAME },
		{ "#2 in at in.c:3", TEXT_LINE },
		{ "#2 f at f.c:3", TEXT_LINE },
		{ "#2 ", TEXT_OTHER },
		{ "#two 0x1 in f", TEXT_OTHER },
		{ "#1234567890123456789 0x1 in f", TEXT_OTHER },
		{ "(and 3 more)", TEXT_REMARK },
		{ "modules:", TEXT_MODULES },
		{ "  0x1000-0x2000 bias 0x1000 build-id none /bin/p", TEXT_MODULE },
		{ "  0x1000-0x2000", TEXT_OTHER },
		{ "   f at f.c:3", TEXT_LOCATION },
		{ "\t12  return;", TEXT_LOCATION },
		{ "    four blanks", TEXT_OTHER },
		{ "   ", TEXT_OTHER },
		{ "", TEXT_OTHER },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (text_kind(known[i].line) != known[i].kind)
			fail_msg("%s: %d", known[i].line, text_kind(known[i].line));
}

TEST(colours_and_carriage_returns_go)
{
	char text[] = "\033[1;31m#0\033[0m \033[2J\033[31 x\r";

	CHECK_EQ(text_strip_colours(text, strlen(text)), strlen("#0 \033[2J\033[31 x"));
	CHECK_STR(text, "#0 \033[2J\033[31 x");
	CHECK_EQ(text_strip_colours(strcpy(text, "\r"), 1), 0);
}

static void check_head(const char *line, const char *program, const char *signal,
		       const char *cause)
{
	struct text_head head;

	CHECK(text_read_head(&head, line_of(line)));
	CHECK_STR(head.program, program);
	CHECK_STR(head.signal, signal);
	CHECK_STR(head.cause, cause);
}

TEST(heads)
{
	struct text_head head;

	check_head("<whocallme>: sh: SIGSEGV, segmentation fault: sent by kill, by process 7",
		   "sh", "SIGSEGV", "sent by kill");
	check_head("<whocallme>: a\\x0ab: SIGBUS, bus error: no such page, at 0x10",
		   "a\nb", "SIGBUS", "no such page");
	check_head("<whocallme>: p: SIGABRT, abort: abort() was called: x, at 0x10",
		   "p", "SIGABRT", "abort() was called: x, at 0x10");
	CHECK(!text_read_head(&head, line_of("<whocallme>: p: SIGABRT, abort")));
}

static struct report_frame frame_of(const char *line)
{
	struct report_frame frame;

	CHECK(text_read_frame(&frame, line_of(line)));
	return frame;
}

TEST(frames)
{
	struct report_frame frame = frame_of("#12 0x401136 in a\\x20b+0x4 (/bin/p q+0x1136)");

	CHECK_EQ(frame.number, 12);
	CHECK_EQ(frame.pc, 0x401136);
	CHECK_STR(frame.name, "a b");
	CHECK_EQ(frame.offset, 4);
	CHECK_STR(frame.path, "/bin/p q");
	CHECK(frame.has_module_offset);
	CHECK_EQ(frame.module_offset, 0x1136);
	CHECK(!frame.cold && !frame.is_signal);

	frame = frame_of("#0 0x1 in f(int)+0x1 (x)+0x2 [cold]+0x1f "
			 "(/p+0xfff, unloaded) ?");
	CHECK_STR(frame.name, "f(int)+0x1 (x)+0x2");
	CHECK_EQ(frame.offset, 0x1f);
	CHECK(frame.cold);
	CHECK_STR(frame.path, "/p");

	frame = frame_of("#3 0x7f in ?? (/bin/p+0xceda)");
	CHECK(!frame.name);
	CHECK_STR(frame.path, "/bin/p");
	CHECK_EQ(frame.module_offset, 0xceda);

	frame = frame_of("#3 0x7f in ??");
	CHECK(!frame.name && !frame.path);
	CHECK_EQ(frame.pc, 0x7f);

	frame = frame_of("#3 in f+0x4 (/p)"); /* as it was written once */
	CHECK_EQ(frame.pc, 0);
	CHECK_STR(frame.name, "f");
	CHECK_STR(frame.path, "/p");
	CHECK(!frame.has_module_offset);

	frame = frame_of("#1 <signal handler called>");
	CHECK(frame.is_signal && !frame.name);
}

TEST(what_is_not_quite_a_frame)
{
	static const char *const lines[] = {
		"#0 0x1", "#0 0x1 at f", "#0 0x1in f+0x1 (/p)", "#0 0x1 in f",
		"#0 0x1 in f+0x (/p)", "#0 0x1 in ?? (/p)",
	};
	struct report_frame frame;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		CHECK(!text_read_frame(&frame, line_of(lines[i])));
}

static void check_location(const char *text, const char *function, const char *file,
			   unsigned line, unsigned column, bool inlined)
{
	struct text_location location;

	text_read_location(&location, line_of(text));
	if (function)
		CHECK_STR(location.function, function);
	else
		CHECK(!location.function);
	if (file)
		CHECK_STR(location.file, file);
	else
		CHECK(!location.file);
	CHECK_EQ(location.line, line);
	CHECK_EQ(location.column, column);
	CHECK_EQ(location.inlined, inlined);
}

TEST(locations)
{
	check_location("f at f.c:3:9", "f", "f.c", 3, 9, false);
	check_location("f at f.c:3 (inlined)", "f", "f.c", 3, 0, true);
	check_location("f at a at b.c", "f at a", "b.c", 0, 0, false);
	check_location("f at c:4294967296", "f", "c:4294967296", 0, 0, false);
	check_location("?? at f.c:3", NULL, "f.c", 3, 0, false);
	check_location("/bin/p+0x12", "/bin/p", NULL, 0, 0, false);
	check_location("f", "f", NULL, 0, 0, false);
}

TEST(modules)
{
	struct loaded module;

	CHECK(text_read_module(&module, line_of("  0x1000-0x2fff bias 0x800 build-id "
						"00ff10ab /lib/a\\x20b")));
	CHECK_EQ(module.start, 0x1000);
	CHECK_EQ(module.end, 0x2fff);
	CHECK_EQ(module.bias, 0x800);
	CHECK_STR(module.build_id, "00ff10ab");
	CHECK_STR(module.path, "/lib/a b");
	CHECK(text_read_module(&module, line_of("  0x1-0x2 bias 0x0 build-id none /p")));
	CHECK(!module.build_id);
	CHECK(!text_read_module(&module, line_of("  0x1-0x2 bias 0x0 build-id none")));
	CHECK(!text_read_module(&module, line_of("  0x1 0x2 bias 0x0 build-id none /p")));
}

/* Read TEXT, lines of one report, which is the caller's. */
static json_t *report_of(const char *text, struct report_text *reading)
{
	char *copy = strdup(text), *rest = copy, *line;
	size_t number = 0;

	memset(reading, 0, sizeof(*reading));
	while ((line = strsep(&rest, "\n")))
		report_text_read(reading, line, ++number);
	report_text_end(reading);
	free(copy);
	return reading->finished;
}

/* REPORT, which is gone then, is the JSON of TEXT. */
static void check_json(json_t *report, const char *text)
{
	char *got = json_dumps(report, JSON_COMPACT | JSON_SORT_KEYS);

	CHECK_STR(got, text);
	free(got);
	json_decref(report);
}

TEST(a_whole_report)
{
	struct report_text reading;

	check_json(report_of(
		"noise\n"
		"<whocallme>: p: SIGSEGV, segmentation fault: no page, at 0x0\n"
		"<whocallme>: process 7, thread 7 \"p\"\n"
		"program: /bin/p\n"
		"noise\n"
		"#0 0x401136 in f+0x4 (/bin/p+0x1136)\n"
		"   g at f.c:3:9 (inlined)\n"
		"   f at f.c:9\n"
		"   (a complaint)\n"
		"\t12  source\n"
		"#1 <signal handler called>\n"
		"#2 0x402000 in ?? (/bin/p+0x2000)\n"
		"#3 0x403000 in ??\n"
		"(and 3 more)\n"
		"thread 8 \"w\":\n"
		"#0 0x500000 in other+0x1 (/bin/p)\n"
		"modules:\n"
		"  0x400000-0x410000 bias 0x400000 build-id 00ff10ab /bin/p\n"
		"<whocallme>: source lines:\n"
		"#2 main at m.c:5\n", &reading),
		"{\"cause\":{\"text\":\"no page\"},"
		"\"modules\":[{\"bias\":\"0x400000\",\"build_id\":\"00ff10ab\","
		"\"end\":\"0x410000\",\"path\":\"/bin/p\",\"start\":\"0x400000\"}],"
		"\"name\":\"p\",\"signal\":{\"name\":\"SIGSEGV\"},"
		"\"stack\":{\"frames\":["
		"{\"function\":\"f\",\"interrupted\":true,"
		"\"lines\":[{\"file\":\"f.c\",\"function\":\"g\",\"inlined\":true,\"line\":3},"
		"{\"file\":\"f.c\",\"function\":\"f\",\"line\":9}],"
		"\"module\":\"/bin/p\",\"module_offset\":\"0x1136\",\"number\":0,"
		"\"offset\":\"0x4\",\"pc\":\"0x401136\"},"
		"{\"number\":1,\"signal\":true},"
		"{\"interrupted\":true,\"lines\":[{\"file\":\"m.c\",\"function\":\"main\","
		"\"line\":5}],\"module\":\"/bin/p\",\"module_offset\":\"0x2000\","
		"\"number\":2,\"pc\":\"0x402000\"},"
		"{\"number\":3,\"pc\":\"0x403000\"}]},\"version\":1}");
	CHECK_EQ(reading.finished_at, 2);
}

TEST(a_head_ends_the_report_before)
{
	struct report_text reading = { 0 };

	CHECK(report_text_read(&reading, line_of("<whocallme>: p: SIGSEGV, x: y"), 3));
	CHECK(report_text_read(&reading, line_of("#0 0x1 in f+0x1 (/p)"), 4));
	CHECK(!reading.finished);
	CHECK(report_text_read(&reading, line_of("<whocallme>: q: SIGBUS, x: y"), 6));
	CHECK_STR(json_string_value(json_object_get(reading.finished, "name")), "p");
	CHECK_EQ(reading.finished_at, 3);
	json_decref(reading.finished);
	report_text_end(&reading);
	CHECK_STR(json_string_value(json_object_get(reading.finished, "name")), "q");
	CHECK_EQ(reading.finished_at, 6);
	json_decref(reading.finished);
}

TEST(frames_without_a_report_are_nobodys)
{
	struct report_text reading = { 0 };

	CHECK(!report_text_read(&reading, line_of("#0 0x1 in f+0x1 (/p)"), 1));
	CHECK(!report_text_read(&reading, line_of("modules:"), 2));
	CHECK(report_text_read(&reading, line_of("<whocallme>: p: SIGSEGV, x: y"), 3));
	CHECK(report_text_read(&reading, line_of("#1 0x1 in f+0x1 (/p)"), 4));
	CHECK(report_text_read(&reading, line_of("#1 0x1 in f+0x1 (/p)"), 5)); /* again */
	CHECK(!report_text_read(&reading, line_of("#0 0x1 in f+0x1 (/p)"), 6)); /* back */
	CHECK(!report_text_read(&reading, line_of("something else"), 7));
	report_text_end(&reading);
	CHECK_EQ(json_array_size(json_object_get(json_object_get(reading.finished, "stack"),
						 "frames")), 1);
	json_decref(reading.finished);
}

static void check_module(const struct loaded_modules *modules, const char *path,
			 uint64_t pc, uint64_t bias)
{
	const struct loaded *found = loaded_at(modules, path, pc);

	CHECK_EQ(found ? found->bias : 0, bias);
}

TEST(the_module_of_a_path_at_an_address)
{
	json_t *report = json_pack(
		"{s:[{s:s,s:s,s:s,s:s},{s:s,s:s,s:s,s:s},{s:s,s:s,s:s,s:s},{s:s},{s:s,s:i}]}",
		"modules",
		"path", "/b", "start", "0x3000", "end", "0x4000", "bias", "0x3",
		"path", "/b", "start", "0x1000", "end", "0x2000", "bias", "0x1",
		"path", "/a", "start", "0x1000", "end", "0x2000", "bias", "0x9",
		"path", "/none", "path", "/c", "start", 7);
	struct loaded_modules modules = loaded_read(report);

	CHECK_EQ(modules.count, 3);
	check_module(&modules, "/b", 0xfff, 0);
	check_module(&modules, "/b", 0x1000, 1);
	check_module(&modules, "/b", 0x2000, 1); /* behind its last call */
	check_module(&modules, "/b", 0x2001, 0);
	check_module(&modules, "/b", 0x3000, 3);
	check_module(&modules, "/b", 0x4001, 0);
	check_module(&modules, "/a", 0x1800, 9);
	check_module(&modules, "/aa", 0x1800, 0);
	check_module(&modules, "/c", 7, 0);
	CHECK_EQ(loaded_as(&modules, "/b")->bias, 3);
	CHECK_EQ(loaded_as(&modules, "/a")->bias, 9);
	CHECK(!loaded_as(&modules, "/"));
	CHECK(!loaded_as(&modules, "/c"));
	loaded_free(&modules);
	json_decref(report);
}

TEST(only_whole_escapes_are_undone)
{
	char text[] = "\\x41\\x4g\\xg4\\x4\\x\\\\x42";

	unescape(text);
	CHECK_STR(text, "A\\x4g\\xg4\\x4\\x\\B");
}

static const char *fed; /* comes byte by byte */

static ssize_t feed(int fd, void *room, size_t size)
{
	(void)fd;
	if (*fed == '\0' || size == 0)
		return 0;
	*(char *)room = *fed++;
	return 1;
}

TEST(a_line_that_is_too_long_comes_in_parts)
{
	static const struct {
		enum lines_in_status status;
		const char *text;
	} expected[] = {
		{ LINES_IN_LINE, "abc\n" }, { LINES_IN_PART, "abcd" }, { LINES_IN_PART, "\n" },
		{ LINES_IN_PART, "efgh" },   { LINES_IN_PART, "i\n" },  { LINES_IN_LINE, "j" },
	};
	struct lines_in lines;
	size_t length;
	char *text;

	lines_in_start(&lines, -1, 4, 4);
	lines.read = feed;
	fed = "abc\nabcd\nefghi\nj";
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		CHECK_EQ(lines_in_next(&lines, -1, &text, &length), expected[i].status);
		CHECK_EQ(length, strlen(expected[i].text));
		CHECK_STR(text, expected[i].text);
	}
	CHECK_EQ(lines_in_next(&lines, -1, &text, &length), LINES_IN_END);
	lines_in_stop(&lines);
}

RUN(only_whole_escapes_are_undone, a_line_that_is_too_long_comes_in_parts,
    each_line_has_a_kind, colours_and_carriage_returns_go, heads, frames,
    what_is_not_quite_a_frame, locations, modules, a_whole_report,
    a_head_ends_the_report_before, frames_without_a_report_are_nobodys,
    the_module_of_a_path_at_an_address)
