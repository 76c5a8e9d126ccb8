/* SPDX-License-Identifier: MIT */
/* test_crash_report.c - a report of threads made by hand, in little stack and in
 * bounded time. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/os/clock.h"
#include "core/os/maps.h"
#include "crash/report/report.h"
#include "crash/threads/threads.h"
#include "support/check.h"
#include "whocallme/crash.h"

/* In place of crash/threads/threads.c: what the process is said to have. */
static const struct wcm_thread *threads;
static size_t thread_count;
static bool cannot_list;
static uint64_t visit_deadline;
static size_t visits;

bool wcm__threads_visit(uint64_t deadline, wcm_thread_visitor *visit, void *data)
{
	visit_deadline = deadline;
	for (visits = 0; visits < thread_count; visits++)
		if (!visit(&threads[visits], data))
			break;
	return !cannot_list;
}

static void nowhere(void)
{
}

static const struct wcm_thread two[] = {
	{ .tid = 41, .name = "first", .answered = true, .count = 2,
	  .stop = WCM_STOP_OUTERMOST,
	  .frames = { { .pc = 0x10, .flags = WCM_FRAME_INTERRUPTED },
		      { .flags = WCM_FRAME_SIGNAL } } },
	{ .tid = 42, .name = "a\n\"b\\", .answered = false },
};

static const siginfo_t abrt = { .si_signo = SIGABRT, .si_code = SI_TKILL };

enum { ROOM = 1 << 20 };

/* The report of SECTIONS, in TEXT of ROOM bytes. */
static bool report_to(char *text, uint32_t sections, bool json, uint64_t ns)
{
	int fd = memfd_create("report", 0);
	static ucontext_t context;
	ssize_t size;
	bool ok;

	CHECK(fd >= 0);
	getcontext(&context);
	ok = wcm__crash_report(&(struct wcm_crash_report){
		.info = &abrt, .ucontext = &context, .fd = fd, .json = json,
		.sections = sections, .deadline = wcm__clock_ns() + ns });
	size = pread(fd, text, ROOM - 1, 0);
	CHECK(size > 0);
	text[size] = '\0';
	close(fd);
	return ok;
}

static const uint64_t second = 1000000000;
static char text[ROOM];

static void have(const struct wcm_thread *some, size_t count, bool listed)
{
	threads = some;
	thread_count = count;
	cannot_list = !listed;
}

static void check_has(const char *part)
{
	if (!strstr(text, part))
		fail_msg("%s\n lacks: %s", text, part);
}

TEST(threads_are_told_with_their_stacks)
{
	have(two, 2, true);
	CHECK(report_to(text, WCM_SECTION_THREADS, false, second));
	check_has("\nthread 41 \"first\":\n"
		  "#0 0x" HIGH_ZEROS "00000010 in ??\n"
		  "#1 <signal handler called>\n"
		  "thread 42 \"a\\x0a\\x22b\\x5c\" did not answer\n");
	CHECK(!strstr(text, "cannot be listed"));
	CHECK(report_to(text, WCM_SECTION_THREADS, true, second));
	check_has(",\"threads\":["
		  "{\"id\":41,\"name\":\"first\",\"answered\":true,"
		  "\"stack\":{\"frames\":["
		  "{\"number\":0,\"pc\":\"0x10\",\"interrupted\":true},"
		  "{\"number\":1,\"pc\":\"0x0\",\"signal\":true}],"
		  "\"left_out\":0,\"stop\":\"outermost\"}},"
		  "{\"id\":42,\"name\":\"a\\\\x0a\\\"b\\\\x5c\",\"answered\":false}],"
		  "\"threads_listed\":true,\"left_out\":[]}\n");
}

TEST(threads_that_cannot_be_listed_are_missed)
{
	have(NULL, 0, false);
	CHECK(report_to(text, WCM_SECTION_THREADS, false, second));
	check_has("\n(the other threads cannot be listed)\n");
	CHECK(report_to(text, WCM_SECTION_THREADS, true, second));
	check_has("\"threads\":[],\"threads_listed\":false");
}

TEST(threads_are_asked_within_the_reports_deadline)
{
	uint64_t before = wcm__clock_ns();

	have(two, 2, true);
	CHECK(report_to(text, WCM_SECTION_THREADS, true, second));
	CHECK(visit_deadline >= before + second);
	CHECK(visit_deadline <= wcm__clock_ns() + second);
	/* As text they are written when all have been asked. */
	CHECK(report_to(text, WCM_SECTION_THREADS, false, second));
	CHECK(visit_deadline >= before + second / 2);
	CHECK(visit_deadline <= wcm__clock_ns() + second * 3 / 4);
}

TEST(without_time_the_rest_is_left_out_and_said)
{
	have(two, 2, true);
	CHECK(report_to(text, 0, false, 0));
	check_has("\n(6 sections left out: out of time)\n");
	CHECK(report_to(text, WCM_SECTION_THREADS | WCM_SECTION_CODE, true, 0));
	check_has("\"left_out\":[\"code\",\"threads\"]}\n");
}

TEST(nobody_who_listens_no_threads_are_asked)
{
	int fd = open("/dev/full", O_WRONLY);
	ucontext_t context;

	getcontext(&context);
	have(two, 2, true);
	for (int json = 0; json <= 1; json++) {
		visits = 77;
		CHECK(!wcm__crash_report(&(struct wcm_crash_report){
			.info = &abrt, .ucontext = &context, .fd = fd,
			.json = json,
			.deadline = wcm__clock_ns() + 5 * second }));
		/* JSON is not out before its buffer is full. */
		CHECK(visits == 77 || json);
	}
	close(fd);
}

struct sought {
	uintptr_t address, last;
	struct wcm_mapping found;
	size_t count;
};

static bool seek(const struct wcm_mapping *mapping, void *data)
{
	struct sought *sought = data;

	CHECK(mapping->lo < mapping->hi);
	CHECK(mapping->lo >= sought->last);
	CHECK_EQ(strlen(mapping->permissions), 4);
	sought->last = mapping->hi;
	sought->count++;
	if (mapping->lo <= sought->address && sought->address < mapping->hi)
		sought->found = *mapping;
	return true;
}

TEST(a_distance_from_null_is_in_bytes_or_one_byte)
{
	static const struct {
		uintptr_t address;
		const char *text;
	} known[] = {
		{ 0, "NULL" },
		{ 1, "1 byte past NULL" },
		{ 2, "2 bytes past NULL" },
		{ (uintptr_t)-1, "1 byte before NULL" },
		{ (uintptr_t)-2, "2 bytes before NULL" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		char got[64] = "";
		struct wcm_line line;
		int ends[2];

		CHECK_EQ(pipe(ends), 0);
		wcm__line_init(&line, ends[1]);
		wcm__text_from_null(&line, (intptr_t)known[i].address);
		CHECK(wcm__line_write(&line));
		CHECK(read(ends[0], got, sizeof(got) - 1) > 0);
		CHECK_STR(got, known[i].text);
		close(ends[0]);
		close(ends[1]);
	}
}

/* PATH, of nearly ROOM bytes, is a folder in folders.  Returns its length. */
static size_t make_folders(char *path, size_t room)
{
	size_t used;

	strcpy(path, "/tmp/test_crash_report.XXXXXX");
	CHECK(mkdtemp(path) != NULL);
	for (used = strlen(path); used + 202 < room; used += 201) {
		path[used] = '/';
		memset(path + used + 1, 'x', 200);
		path[used + 201] = '\0';
		CHECK_EQ(mkdir(path, 0700), 0);
	}
	return used;
}

TEST(a_path_that_is_too_long_is_cut)
{
	char path[2 * WCM_MAPPING_PATH];
	const size_t used = make_folders(path, sizeof(path) - 10);
	struct sought sought = { 0 };
	void *mapped;
	int fd;

	strcpy(path + used, "/file");
	fd = open(path, O_RDWR | O_CREAT, 0600);
	mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(fd >= 0 && mapped != MAP_FAILED);
	sought.address = (uintptr_t)mapped;
	CHECK(wcm__maps_visit(wcm__clock_ns() + 10 * second, seek, &sought));
	CHECK_EQ(strnlen(sought.found.path, WCM_MAPPING_PATH), WCM_MAPPING_PATH - 1);
	CHECK_EQ(memcmp(sought.found.path, path, WCM_MAPPING_PATH - 1), 0);
	munmap(mapped, 4096);
	close(fd);
	unlink(path);
	for (char *end = path + used; end > path + 5; end = strrchr(path, '/')) {
		*end = '\0';
		CHECK_EQ(rmdir(path), 0);
	}
}

TEST(mappings_are_in_order_and_whole)
{
	struct sought sought = { .address = (uintptr_t)nowhere };
	char path[WCM_MAPPING_PATH] = "";

	CHECK(wcm__maps_visit(wcm__clock_ns() + second, seek, &sought));
	CHECK(sought.count > 10);
	CHECK(sought.found.permissions[2] == 'x');
	CHECK(sought.found.permissions[1] == '-');
	CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	CHECK_STR(sought.found.path, path);
	sought = (struct sought){ .address = (uintptr_t)&sought };
	CHECK(wcm__maps_visit(wcm__clock_ns() + second, seek, &sought));
	CHECK_STR(sought.found.permissions, "rw-p");
}

static bool take_none(const struct wcm_mapping *mapping, void *data)
{
	(void)mapping;
	++*(size_t *)data;
	return false;
}

TEST(mappings_end_where_they_are_told_to_and_when)
{
	size_t count = 0;
	char *pages = mmap(NULL, 512 * 4096, PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sought sought = { .address = 0 };

	wcm__maps_visit(wcm__clock_ns() + second, take_none, &count);
	CHECK_EQ(count, 1);
	for (int i = 0; i < 512; i += 2)
		CHECK_EQ(mprotect(pages + (size_t)i * 4096, 4096, PROT_NONE), 0);
	CHECK(!wcm__maps_visit(0, seek, &sought));
	CHECK(sought.count > 0 && sought.count < 512);
	munmap(pages, 512 * 4096);
}

/* The whole handler is to live on 32 KiB. */
enum { STACK = 256 * 1024, MOST = 20 * 1024 };
static unsigned char stack[STACK] __attribute__((aligned(64)));
static ucontext_t here, there;
static bool as_json;

static void report_here(void)
{
	report_to(text, 0, as_json, 5 * second);
}

static size_t stack_used(void)
{
	size_t unused = 0;

	memset(stack, 0xa5, STACK);
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, report_here, 0);
	swapcontext(&here, &there);
	while (unused < STACK && stack[unused] == 0xa5)
		unused++;
	return STACK - unused;
}

TEST(a_report_takes_little_stack)
{
	size_t used;

	if (HAVE_ASAN) /* its frames are larger */
		return;
	have(two, 2, true);
	for (int json = 0; json <= 1; json++) {
		as_json = json;
		used = stack_used();
		print_message("# %zu bytes of stack as %s\n", used,
			      json ? "JSON" : "text");
		CHECK(used > 1024 && used <= MOST);
	}
}

RUN(a_distance_from_null_is_in_bytes_or_one_byte, a_path_that_is_too_long_is_cut,
    threads_are_told_with_their_stacks,
    threads_that_cannot_be_listed_are_missed,
    threads_are_asked_within_the_reports_deadline,
    without_time_the_rest_is_left_out_and_said,
    nobody_who_listens_no_threads_are_asked, mappings_are_in_order_and_whole,
    mappings_end_where_they_are_told_to_and_when, a_report_takes_little_stack)
