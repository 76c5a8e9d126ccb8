/* SPDX-License-Identifier: MIT */
/* test_recording_reader.c - recordings made by hand, read back in order. */
#include "recording/recording_reader.h"

#include "base/duration.h"
#include "base/number.h"
#include "format/uftrace.h"
#include "recording/value_specs.h"
#include "support/check.h"
#include "support/scratch_dir.h"

#define ID "0123456789abcdef"
#define MAP "00400000-00500000 r-xp 00000000 08:01 1 /none/prog\n"
#define SESS(time) "SESS timestamp=" time " pid=7 sid=" ID " exename=\"/none/prog\"\n"
#define TASK(tid) "TASK timestamp=1.000000000 tid=" tid " pid=7\n"

#define ENTRY WCM_RECORD_ENTRY
#define EXIT WCM_RECORD_EXIT
#define LOST WCM_RECORD_LOST

static const uint64_t week = UINT64_C(7) * 24 * 3600 * 1000000000;

static struct wcm_info_header header_of(uint32_t version)
{
	return (struct wcm_info_header){
		.magic = "Ftrace!", .version = version, .size = 40, .endian = 1,
		.class = 2, .features = WCM_FEATURE_RELATIVE,
	};
}

static void put_info(const struct wcm_info_header *header)
{
	char info[80] = "";

	CHECK_EQ(sizeof(*header), 40);
	memcpy(info, header, sizeof(*header));
	strcpy(info + 40, "cmdline:prog -x\nrecord_date:today\n");
	scratch_put("info", info, 40 + strlen(info + 40));
}

static void put_text(const char *name, const char *text)
{
	scratch_put(name, text, strlen(text));
}

/* A program whose main is at 0x1000 and f at 0x1100, in tasks 7 and 8. */
static void put_program(void)
{
	const struct wcm_info_header header = header_of(4);

	put_info(&header);
	put_text("task.txt", SESS("1.000000000") TASK("7") TASK("8"));
	put_text("sid-" ID ".map", MAP);
	put_text("prog.sym", "1000 100 T main\n1100 100 T f\n1200 ? __sym_end\n");
}

/* The record of f, or where DEPTH is 0 of main. */
static struct wcm_record record(uint64_t time, enum wcm_record_type type, uint32_t depth)
{
	const uint64_t address = depth ? 0x401100 : 0x401000;

	return (struct wcm_record){ time, wcm__record_bits(type, depth, address) };
}

static struct recording *open_it(const struct recording_options *options)
{
	static const struct recording_options all = { .style = NAME_SHORT };

	return recording_open(scratch, options ? options : &all);
}

/* The events are those of TEXT, "TID TIME TYPE DEPTH NAME;" each. */
static void check_events(struct recording *recording, const char *text)
{
	static const char *const types[] = { "in", "out", "lost" };
	char got[1024] = "", *end = got;
	struct event event;

	assert_non_null(recording);
	while (recording_next(recording, &event) && end < got + 900)
		end += sprintf(end, "%d %llu %s %u %s;", event.task->tid,
			       (unsigned long long)event.record.time,
			       types[event.record.type], event.record.depth,
			       event.function ? event.function->name : "-");
	CHECK_STR(got, text);
}

TEST(events_of_all_tasks_come_by_time)
{
	const struct wcm_record seven[] = { record(10, ENTRY, 0), record(20, ENTRY, 1),
					    record(40, EXIT, 1), record(50, EXIT, 0) };
	const struct wcm_record eight[] = { record(20, ENTRY, 0), record(30, EXIT, 0) };
	struct recording *recording;

	put_program();
	scratch_put("7.dat", seven, sizeof(seven));
	scratch_put("8.dat", eight, sizeof(eight));
	recording = open_it(NULL);
	check_events(recording, "7 10 in 0 main;7 20 in 1 f;8 20 in 0 main;"
				"8 30 out 0 main;7 40 out 1 f;7 50 out 0 main;");
	CHECK_STR(recording->command_line, "prog -x");
	CHECK(!recording->damaged && !recording->failed);
	CHECK_STR(task_program(recording_task(recording, 8)), "prog");
	CHECK(!recording_task(recording, 9));
	recording_close(recording);
	CHECK_STR(scratch_said(), "");
}

/* Tasks whose turns come in every order. */
TEST(events_of_many_tasks_come_by_time)
{
	enum { TASKS = 9, EACH = 50 };
	struct wcm_record some[EACH];
	char text[1024] = SESS("1.000000000"), name[16];
	struct recording *recording;
	struct event event;
	uint64_t time = 0;
	size_t count = 0;

	put_program();
	for (int task = 0; task < TASKS; task++) {
		for (int i = 0; i < EACH; i++)
			some[i] = record((uint64_t)(10 + 100 * i + task * task * 7919 % 613),
					 i % 2 ? EXIT : ENTRY, 0);
		sprintf(name, "%d.dat", 7 + task);
		scratch_put(name, some, sizeof(some));
		sprintf(text + strlen(text), "TASK timestamp=1.000000000 tid=%d pid=7\n",
			7 + task);
	}
	put_text("task.txt", text);
	recording = open_it(NULL);
	assert_non_null(recording);
	for (; recording_next(recording, &event); count++) {
		CHECK(event.record.time >= time);
		time = event.record.time;
	}
	CHECK_EQ(count, TASKS * EACH);
	recording_close(recording);
}

TEST(only_the_tasks_that_are_asked_for)
{
	const struct wcm_record some[] = { record(10, ENTRY, 0), record(30, EXIT, 0) };
	const int eight = 8, nine = 9;
	struct recording_options options = { .tids = &eight, .tid_count = 1 };
	struct recording *recording;

	put_program();
	scratch_put("7.dat", some, sizeof(some));
	scratch_put("8.dat", some, sizeof(some));
	recording = open_it(&options);
	check_events(recording, "8 10 in 0 main;8 30 out 0 main;");
	recording_close(recording);
	options.tids = &nine;
	CHECK(!open_it(&options));
	assert_non_null(strstr(scratch_said(), "no such task"));
}

TEST(short_calls_are_left_out_and_their_long_callers_are_not)
{
	const struct wcm_record some[] = {
		record(10, ENTRY, 0), record(20, ENTRY, 1), record(29, EXIT, 1),
		record(30, ENTRY, 1), record(40, EXIT, 1), record(41, EXIT, 0),
	};
	const struct recording_options options = { .least = 10 };
	struct recording *recording;

	put_program();
	scratch_put("7.dat", some, sizeof(some));
	recording = open_it(&options);
	check_events(recording, "7 10 in 0 main;7 30 in 1 f;7 40 out 1 f;7 41 out 0 main;");
	recording_close(recording);
}

/* From the time of its session on, not a moment later. */
TEST(a_task_becomes_another_program)
{
	const struct wcm_record some[] = {
		record(UINT64_C(4999999999), ENTRY, 0), record(UINT64_C(5000000000), ENTRY, 0),
	};
	struct recording *recording;
	struct event event;

	put_program();
	put_text("task.txt", SESS("1.000000000") TASK("7")
		 "SESS timestamp=5.000000000 pid=7 sid=fedcba9876543210 "
		 "exename=\"/none/other\"\n"
		 "TASK timestamp=5.000000000 tid=7 pid=7\n");
	put_text("sid-fedcba9876543210.map",
		 "00400000-00500000 r-xp 00000000 08:01 1 /none/other\n");
	put_text("other.sym", "1000 100 T start\n");
	scratch_put("7.dat", some, sizeof(some));
	recording = open_it(NULL);
	assert_non_null(recording);
	CHECK(recording_next(recording, &event) && !event.new_program);
	CHECK_STR(event.function->name, "main");
	CHECK(recording_next(recording, &event) && event.new_program);
	CHECK_STR(event.function->name, "start");
	CHECK_EQ(event.record.depth, 0);
	CHECK(!recording_next(recording, &event));
	CHECK_STR(task_program(recording_task(recording, 7)), "other");
	recording_close(recording);
}

TEST(what_is_lost_is_told_with_its_number)
{
	const struct wcm_record some[] = {
		record(10, ENTRY, 0), { 20, wcm__record_bits(LOST, 0, 1234) },
		record(30, EXIT, 0),
	};
	struct recording *recording;
	struct event event;

	put_program();
	scratch_put("7.dat", some, sizeof(some));
	recording = open_it(NULL);
	assert_non_null(recording);
	CHECK(recording_next(recording, &event) && recording_next(recording, &event));
	CHECK_EQ(event.record.type, LOST);
	CHECK_EQ(event.record.address, 1234);
	CHECK(!event.function);
	CHECK(!recording->damaged);
	recording_close(recording);
}

TEST(times_that_fall_are_damage_and_do_not_fall)
{
	const struct wcm_record some[] = { record(10, ENTRY, 0), record(9, ENTRY, 1),
					   record(30, EXIT, 1) };
	struct recording *recording;

	put_program();
	scratch_put("7.dat", some, sizeof(some));
	recording = open_it(NULL);
	check_events(recording, "7 10 in 0 main;7 10 in 1 f;7 30 out 1 f;");
	CHECK(recording->damaged);
	recording_close(recording);
	assert_non_null(strstr(scratch_said(), "1 records go back in time"));
}

TEST(reading_goes_on_behind_what_is_no_record)
{
	const uint64_t junk[] = { 1, 2, 3 };
	struct wcm_record some[6] = { record(10, ENTRY, 0) };
	struct recording *recording;

	memcpy(&some[1], junk, sizeof(junk));
	memcpy((char *)&some[1] + sizeof(junk),
	       (struct wcm_record[]){ record(20, ENTRY, 1), record(30, EXIT, 1) },
	       2 * sizeof(*some));
	put_program();
	scratch_put("7.dat", some, 3 * sizeof(*some) + sizeof(junk));
	recording = open_it(NULL);
	check_events(recording, "7 10 in 0 main;7 20 in 1 f;7 30 out 1 f;");
	CHECK(recording->damaged);
	recording_close(recording);
	assert_non_null(strstr(scratch_said(), "7.dat: 24 bytes from offset 16 on"));
}

/* Behind junk, a record LATER than the one before is one, if it is not too late. */
static size_t count_after_junk(uint64_t later)
{
	const struct wcm_record some[] = { record(10, ENTRY, 0), { 1, 1 },
					   record(10 + later, EXIT, 0) };
	struct dat_file file;
	struct record read;
	size_t count = 0;

	scratch_put("7.dat", some, sizeof(some));
	CHECK(dat_file_open(&file, strdup(scratch_path("7.dat")), 64));
	while (dat_file_next(&file, &read))
		count++;
	dat_file_close(&file);
	return count;
}

TEST(behind_junk_the_longest_pause_is_a_week)
{
	CHECK_EQ(count_after_junk(0), 2);
	CHECK_EQ(count_after_junk(week), 2);
	CHECK_EQ(count_after_junk(week + 1), 1);
}

/* A record, with data behind it or not, and SIZE bytes of TAIL are all of a file. */
static void check_tail(bool has_data, const void *tail, size_t size, bool damaged)
{
	struct wcm_record whole = record(10, ENTRY, 0);
	char bytes[256];
	struct recording *recording;

	if (has_data)
		whole.bits |= 1 << 2;
	memcpy(bytes, &whole, sizeof(whole));
	memcpy(bytes + sizeof(whole), tail, size);
	put_program();
	scratch_put("7.dat", bytes, sizeof(whole) + size);
	recording = open_it(NULL);
	check_events(recording, "7 10 in 0 main;");
	CHECK_EQ(recording->damaged, damaged);
	recording_close(recording);
}

static void check_end(const void *tail, size_t size, bool damaged)
{
	check_tail(false, tail, size, damaged);
}

TEST(zeros_at_the_end_are_no_damage_and_half_a_record_is)
{
	static const char zeros[160];
	const uint64_t begun[] = { 11, 0, 0, 0 };

	check_end("", 0, false);
	check_end(zeros, sizeof(zeros), false);
	check_end(zeros, 25, false);
	check_end(zeros, 9, true);
	check_end(begun, sizeof(begun), false); /* a time, and the record was not made */
	check_end(begun, 8, true);
	assert_non_null(strstr(scratch_said(), "cut short"));
}

TEST(data_behind_a_record_are_passed_over)
{
	const uint64_t data = 42;
	struct wcm_record some[4] = { record(10, ENTRY, 0) };
	struct recording *recording;

	some[0].bits |= 1 << 2;
	memcpy(&some[1], &data, sizeof(data));
	memcpy((char *)&some[1] + sizeof(data),
	       (struct wcm_record[]){ record(20, ENTRY, 1), record(30, EXIT, 1) },
	       2 * sizeof(*some));
	put_program();
	scratch_put("7.dat", some, 3 * sizeof(*some) + sizeof(data));
	recording = open_it(NULL);
	check_events(recording, "7 10 in 0 main;7 20 in 1 f;7 30 out 1 f;");
	CHECK(!recording->damaged);
	recording_close(recording);
}

static void check_last_data(const void *data, size_t size, bool damaged)
{
	check_tail(true, data, size, damaged);
}

/* A text's first 2 bytes are its length, of which there is all, or less. */
TEST(a_text_that_its_length_says_more_of_is_damage)
{
	char text[] = "\6\0abcdef";

	check_last_data(text, 0, true);
	check_last_data(text, 7, true);
	check_last_data(text, 8, false);
	text[0] = 7;
	check_last_data(text, 8, true);
	/* With a byte that is of no text it is a number. */
	for (unsigned i = 2; i < 8; i++) {
		text[i] = '\37';
		check_last_data(text, 8, false);
		text[i] = ' ';
		check_last_data(text, 8, true);
		text[i] = 'x';
	}
	text[1] = 1;
	check_last_data(text, 8, true);
}

/* Of a depth 10 bits are recorded. */
TEST(depths_go_on_beyond_what_a_record_holds)
{
	struct depth depth;

	depth_begin(&depth, 0);
	depth_lose(&depth, 0);
	for (uint32_t i = 0; i < 3000; i++)
		CHECK_EQ(depth_enter(&depth, i % 1024), i);
	for (uint32_t i = 3000; i-- > 0;)
		CHECK_EQ(depth_leave(&depth, i % 1024), i);
	for (uint32_t i = 0; i < 2000; i++)
		depth_enter(&depth, i % 1024);
	CHECK_EQ(depth_leave(&depth, 100), 1124); /* many have ended without a word */
	CHECK_EQ(depth_enter(&depth, 1124 % 1024), 1124);
}

/* Whether the recording opens with that header, and whether it is damaged then. */
static bool opens(const struct wcm_info_header *header, bool *damaged)
{
	const struct wcm_record some = record(10, ENTRY, 0);
	struct recording *recording;
	bool opened;

	put_program();
	put_info(header);
	scratch_put("7.dat", &some, sizeof(some));
	recording = open_it(NULL);
	opened = recording;
	*damaged = opened && recording->damaged;
	if (opened)
		recording_close(recording);
	return opened;
}

TEST(kinds_that_cannot_be_read_are_refused)
{
	struct wcm_info_header header;
	bool damaged;

	for (uint32_t version = 0; version < 8; version++) {
		header = header_of(version);
		CHECK_EQ(opens(&header, &damaged), version >= 3 && version <= 5);
		CHECK(!damaged);
	}
	header = header_of(4);
	header.endian = 2;
	CHECK(!opens(&header, &damaged));
	assert_non_null(strstr(scratch_said(), "big-endian"));
	header = header_of(4);
	header.magic[0] = 'X';
	CHECK(opens(&header, &damaged));
	CHECK(damaged);
}

TEST(symbols_may_be_at_the_addresses_of_the_program)
{
	struct wcm_info_header header = header_of(4);
	const struct wcm_record some = record(10, ENTRY, 0);
	struct recording *recording;

	put_program();
	header.features = 0;
	put_info(&header);
	put_text("prog.sym", "401000 100 T main\n");
	scratch_put("7.dat", &some, sizeof(some));
	recording = open_it(NULL);
	check_events(recording, "7 10 in 0 main;");
	recording_close(recording);
}

TEST(a_duration_has_the_unit_that_it_fills)
{
	static const struct {
		uint64_t nanoseconds;
		const char *text;
	} known[] = {
		{ 0, "0.000 us" },           { 999999, "999.999 us" },
		{ 1000000, "1.000 ms" },     { 999999999, "999.999 ms" },
		{ 1000000000, "1.000 s" },   { UINT64_C(1234567000000), "1'234.567 s" },
	};
	char text[NUMBER_SIZE];

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		CHECK_STR(duration_brief(known[i].nanoseconds, text), known[i].text);
}

TEST(a_number_is_digits_and_nothing_else)
{
	static const char *const none[] = { "", "-1", "+1", " 1", "x", "-0x1", "0x", "1000", NULL };
	uint64_t value;

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		CHECK(!number_is(none[i], 0, 999, &value));
		CHECK(i == 6 || !number_read(none[i], 16, 999, &value));
	}
	CHECK_STR(number_read("0x1f-2", 16, 0x1f, &value), "-2");
	CHECK_EQ(value, 0x1f);
	CHECK_STR(number_read("FFffffffffffffff", 16, UINT64_MAX, &value), "");
	CHECK_EQ(value, UINT64_MAX);
	CHECK(!number_read("10000000000000000", 16, UINT64_MAX, &value));
	CHECK(number_is("18446744073709551615", 1, UINT64_MAX, &value));
	CHECK_EQ(value, UINT64_MAX);
	CHECK(!number_is("18446744073709551616", 1, UINT64_MAX, &value));
	CHECK(number_is("007", 7, 7, &value) && !number_is("8", 1, 7, &value));
	CHECK(!number_is("0", 1, 7, &value) && !number_is("1a", 1, 7, &value));
}

/* Each line has a number with a sign or a blank, which no recorder writes. */
TEST(numbers_with_signs_are_none)
{
	const struct wcm_record records[] = { record(1, WCM_RECORD_ENTRY, 0) };

	struct recording *recording;

	put_program();
	put_text("task.txt", SESS("1.000000000") TASK("+7") TASK("8"));
	put_text("prog.sym", "+1000 100 T other\n1000 -100 T another\n1000 100 T main\n");
	scratch_put("8.dat", records, sizeof(records));
	scratch_put("+9.dat", records, sizeof(records));
	scratch_put(" 9.dat", records, sizeof(records));
	recording = open_it(NULL);
	check_events(recording, "8 1 in 0 main;");
	recording_close(recording);
}

/* How many values of TEXT are given. */
static size_t values_of(struct value_specs *specs, const char *text)
{
	struct value_kinds kinds = { 0 };
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	value_specs_list(specs, copy, false, &kinds);
	free(kinds.spec);
	return kinds.count;
}

/* The words that uftrace allows between values; one that is none leaves none of them. */
TEST(what_is_no_value_is_passed_over)
{
	static const char *const words[] = {
		"auto-args", "backtrace", "color=red", "depth=3", "filter", "finish", "hide",
		"notrace", "read=proc/statm", "recover", "size=4", "time=1us", "trace", "trace-on",
		"trace-off", "trace_on", "trace_off", "caller",
	};
	struct value_specs *specs = value_specs_new(NAME_SHORT);
	char text[64];

	CHECK(specs != NULL);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		snprintf(text, sizeof(text), "arg1/i32,%s,arg2/s", words[i]);
		CHECK_EQ(values_of(specs, text), 2);
		snprintf(text, sizeof(text), "%s,arg1", words[i]);
		CHECK_EQ(values_of(specs, text), 1);
		snprintf(text, sizeof(text), "libc.so.6,%s,arg1,retval", words[i]);
		CHECK_EQ(values_of(specs, text), 1);
	}
	CHECK_EQ(values_of(specs, "arg1,callers,arg2"), 0);
	CHECK_EQ(values_of(specs, "arg1,time,arg2"), 0);
	CHECK_EQ(values_of(specs, "arg1,libc.so.6"), 0);
	CHECK_EQ(values_of(specs, ""), 0);
	CHECK_EQ(values_of(specs, "arg1,fparg1/80,fparg2"), 3);
	CHECK_EQ(values_of(specs, "arg1,fparg"), 0);
	CHECK_EQ(values_of(specs, "arg1,arg"), 0);
	CHECK_EQ(values_of(specs, "arg1/d32,arg2/d+32"), 0);
	CHECK_EQ(values_of(specs, "arg1/d32,arg2/d 32"), 0);
	CHECK_EQ(values_of(specs, "arg1/d32,arg2%stack+2"), 2);
	CHECK_EQ(values_of(specs, "arg1/d32,arg2%stack-2"), 0);
	value_specs_free(specs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(events_of_all_tasks_come_by_time),
		SCRATCH_TEST(events_of_many_tasks_come_by_time),
		SCRATCH_TEST(only_the_tasks_that_are_asked_for),
		SCRATCH_TEST(short_calls_are_left_out_and_their_long_callers_are_not),
		SCRATCH_TEST(a_task_becomes_another_program),
		SCRATCH_TEST(what_is_lost_is_told_with_its_number),
		SCRATCH_TEST(times_that_fall_are_damage_and_do_not_fall),
		SCRATCH_TEST(reading_goes_on_behind_what_is_no_record),
		SCRATCH_TEST(behind_junk_the_longest_pause_is_a_week),
		SCRATCH_TEST(zeros_at_the_end_are_no_damage_and_half_a_record_is),
		SCRATCH_TEST(data_behind_a_record_are_passed_over),
		SCRATCH_TEST(a_text_that_its_length_says_more_of_is_damage),
		SCRATCH_TEST(depths_go_on_beyond_what_a_record_holds),
		SCRATCH_TEST(kinds_that_cannot_be_read_are_refused),
		SCRATCH_TEST(symbols_may_be_at_the_addresses_of_the_program),
		SCRATCH_TEST(a_duration_has_the_unit_that_it_fills),
		SCRATCH_TEST(a_number_is_digits_and_nothing_else),
		SCRATCH_TEST(numbers_with_signs_are_none),
		SCRATCH_TEST(what_is_no_value_is_passed_over),
	};

	return cmocka_run_group_tests_name("recording_reader", tests, NULL, NULL);
}
