/* SPDX-License-Identifier: MIT */
/* test_report.c - numbers, names and lines, as they reach a descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/os/output.h"
#include "format/line.h"
#include "format/words.h"
#include "support/check.h"

/* A pipe that keeps writes apart: each read gives what one write gave. */
struct packets {
	int in, out;
};

static struct packets open_packets(void)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_DIRECT | O_NONBLOCK), 0);
	return (struct packets){ ends[1], ends[0] };
}

static void close_packets(struct packets packets)
{
	close(packets.in);
	close(packets.out);
}

/* Check that one write, TEXT, and no other, has been made. */
static void check_one_write(struct packets packets, const char *text)
{
	char got[8192];
	ssize_t size = read(packets.out, got, sizeof(got) - 1);

	CHECK(size >= 0);
	got[size] = '\0';
	CHECK_STR(got, text);
	CHECK_EQ(read(packets.out, got, sizeof(got)), (ssize_t)-1);
	close_packets(packets);
}

TEST(hexadecimal_digits)
{
	static const uint64_t values[] = { 0, 1, 9, 15, 16, 255, 256, 0xabcdef,
					   UINT32_MAX, UINT64_MAX };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		char expected[32], got[32] = "";
		int length = snprintf(expected, sizeof(expected), "%" PRIx64,
				      values[i]);

		CHECK_EQ(wcm__format_hex_digits(values[i]), length);
		wcm__format_hex(got, values[i], (unsigned)length);
		CHECK_STR(got, expected);
	}
}

TEST(hexadecimal_width)
{
	char got[5] = "....";

	wcm__format_hex(got, 0x1, 4);
	CHECK_STR(got, "0001");
	wcm__format_hex(got, 0xabcdef, 4);
	CHECK_STR(got, "cdef");
	wcm__format_hex(got, 0x55, 0);
	CHECK_STR(got, "cdef");
}

TEST(decimal)
{
	static const int64_t values[] = { 0, 1, -1, 9, 10, -10, 12345,
					  INT32_MIN, INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		char expected[32], got[32] = "";
		int length = snprintf(expected, sizeof(expected), "%" PRId64,
				      values[i]);

		CHECK_EQ(wcm__format_decimal(got, values[i]), length);
		CHECK_STR(got, expected);
	}
}

/* RFC 3629, section 4, from its edges. */
TEST(valid_utf8_is_printable)
{
	static const char *const valid[] = {
		"", "main", " ~", "\u00a0", "\u00e9", "\u07ff", "\u0800",
		"\ud7ff", "\ue000", "\ufffd", "\U00010000", "\U0010fffd",
		"na\u00efve::\u51fd\u6570()",
	};

	for (size_t i = 0; i < sizeof(valid) / sizeof(*valid); i++)
		CHECK_EQ(wcm__format_printable(valid[i]), strlen(valid[i]));
}

TEST(what_is_not_utf8_is_not_printable)
{
	static const char *const invalid[] = {
		"\x01", "\t", "\n", "\x1b[31m", "\x7f", /* C0 */
		"\xc2\x80", "\xc2\x9f",                 /* C1 */
		"\x80", "\xbf", "\xfe", "\xff",         /* no first byte */
		"\xc0\x80", "\xc1\xbf",                 /* overlong */
		"\xe0\x80\x80", "\xe0\x9f\xbf", "\xf0\x80\x80\x80",
		"\xf0\x8f\xbf\xbf",
		"\xed\xa0\x80", "\xed\xbf\xbf",         /* surrogates */
		"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", /* beyond U+10FFFF */
		"\xc3", "\xe2\x82", "\xf0\x9f\x98",     /* cut short */
		"\xc3(", "\xe2\x82(", "\xf0\x9f\x98(",
		"\u00ad", "\u061c", "\u200b", "\u200f",  /* not seen, or turn the order */
		"\u202a", "\u202e", "\u2066", "\u2069", "\ufeff", "\U000e0041",
		"\u2028", "\u2029",                     /* part lines */
		"\ufdd0", "\uffff", "\U0010fffe",       /* no characters */
	};

	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++) {
		char after_text[16];

		CHECK_EQ(wcm__format_printable(invalid[i]), 0);
		snprintf(after_text, sizeof(after_text), "ab%s", invalid[i]);
		CHECK_EQ(wcm__format_printable(after_text), 2);
	}
}

/* A name cut in the middle of a character, at the very end of readable memory:
 * the zero byte ends it. */
TEST(reads_nothing_behind_a_name)
{
	static const char *const cut[] = { "\xc3", "\xe2\x82", "\xf0\x9f\x98" };

	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
		char *exact = strdup(cut[i]); /* valgrind and ASan watch it */

		CHECK_EQ(wcm__format_printable(exact), 0);
		free(exact);
	}
}

TEST(a_line_is_one_write)
{
	struct packets packets = open_packets();
	const uint8_t bytes[] = { 0x00, 0x8f, 0xc1 };
	struct wcm_line line;

	wcm__line_init(&line, packets.in);
	wcm__line_text(&line, "#");
	wcm__line_decimal(&line, -12);
	wcm__line_text(&line, " ");
	wcm__line_hex(&line, 0xbeef, 8);
	wcm__line_text(&line, "");
	wcm__line_text(&line, " ");
	wcm__line_hex(&line, 0x123456789, 1);
	wcm__line_text(&line, " [");
	wcm__line_bytes(&line, bytes, sizeof(bytes));
	wcm__line_text(&line, "]\n");
	CHECK(wcm__line_write(&line));
	check_one_write(packets, "#-12 0x0000beef 0x123456789 [008fc1]\n");
}

TEST(a_build_id_is_one_part)
{
	struct packets packets = open_packets();
	uint8_t bytes[64];
	char expected[2 * sizeof(bytes) + 1];
	struct wcm_line line;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (uint8_t)(i * 5);
		snprintf(expected + 2 * i, 3, "%02x", bytes[i]);
	}
	wcm__line_init(&line, packets.in);
	wcm__line_bytes(&line, bytes, sizeof(bytes));
	CHECK_EQ(line.count, 1);
	CHECK(wcm__line_write(&line));
	check_one_write(packets, expected);
}

TEST(control_bytes_of_names_are_escaped)
{
	struct packets packets = open_packets();
	struct wcm_line line;

	wcm__line_init(&line, packets.in);
	wcm__line_name(&line, "a\x1b[31m\nb\u00e9\xff\x80");
	wcm__line_name(&line, "");
	wcm__line_name(&line, "\x7f");
	CHECK(wcm__line_write(&line));
	check_one_write(packets,
			"a\\x1b[31m\\x0ab\u00e9\\xff\\x80\\x7f");
}

/* PIPE_BUF is what a pipe takes undivided. */
TEST(a_long_name_goes_out_in_one_write)
{
	struct packets packets = open_packets();
	char name[4001];
	struct wcm_line line;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	wcm__line_init(&line, packets.in);
	wcm__line_name(&line, name);
	CHECK(wcm__line_write(&line));
	check_one_write(packets, name);
}

/* More than a line has parts and room for: the order is kept all the same. */
TEST(a_name_of_nothing_but_control_bytes_is_whole)
{
	enum { BYTES = 3000 };
	char name[BYTES + 1], got[4 * BYTES + 1];
	size_t have = 0;
	ssize_t size;
	struct wcm_line line;
	int ends[2];

	for (size_t i = 0; i < BYTES; i++)
		name[i] = (char)(1 + i % 31);
	name[BYTES] = '\0';
	CHECK_EQ(pipe(ends), 0);
	wcm__line_init(&line, ends[1]);
	wcm__line_name(&line, name);
	CHECK(wcm__line_write(&line));
	close(ends[1]);
	while ((size = read(ends[0], got + have, sizeof(got) - have)) > 0)
		have += (size_t)size;
	close(ends[0]);
	CHECK_EQ(have, 4 * BYTES);
	for (size_t i = 0; i < BYTES; i++) {
		char expected[5];

		snprintf(expected, sizeof(expected), "\\x%02x",
			 (unsigned char)name[i]);
		CHECK(memcmp(got + 4 * i, expected, 4) == 0);
	}
}

TEST(room_of_a_line_is_part_of_it)
{
	struct packets packets = open_packets();
	struct wcm_line line;
	size_t size;
	char *room;

	wcm__line_init(&line, packets.in);
	wcm__line_text(&line, "<");
	room = wcm__line_room(&line, &size);
	CHECK_EQ(size, WCM_LINE_SCRATCH);
	memcpy(room, "made", 4);
	wcm__line_use_room(&line, 4);
	wcm__line_room(&line, &size);
	CHECK_EQ(size, WCM_LINE_SCRATCH - 4);
	wcm__line_text(&line, ">");
	CHECK(wcm__line_write(&line));
	check_one_write(packets, "<made>");
}

TEST(room_of_a_full_line_is_part_of_it)
{
	struct packets packets = open_packets();
	struct wcm_line line;
	size_t size;

	wcm__line_init(&line, packets.in);
	for (int i = 0; i < WCM_LINE_PARTS; i++)
		wcm__line_hex(&line, 1, 1);
	memcpy(wcm__line_room(&line, &size), "made", 4);
	wcm__line_use_room(&line, 4);
	CHECK_EQ(line.count, 1);
	CHECK_EQ(memcmp(line.part[0].iov_base, "made", 4), 0);
	CHECK(wcm__line_write(&line));
}

TEST(a_closed_descriptor_fails)
{
	struct iovec part = { (void *)"text", 4 };
	struct wcm_line line;
	int fd = dup(STDERR_FILENO);

	close(fd);
	errno = 4711;
	CHECK(!wcm__output_write(fd, &part, 1));
	wcm__line_init(&line, fd);
	wcm__line_text(&line, "text");
	CHECK(!wcm__line_write(&line));
	CHECK_EQ(errno, 4711);
}

TEST(a_full_disk_fails)
{
	struct iovec part = { (void *)"text", 4 };
	int fd = open("/dev/full", O_WRONLY);

	if (fd == -1)
		SKIP("there is no /dev/full");
	CHECK(!wcm__output_write(fd, &part, 1));
	close(fd);
}

TEST(nothing_is_written_without_a_system_call)
{
	struct iovec empty[] = { { NULL, 0 }, { NULL, 0 } };

	CHECK(wcm__output_write(-1, NULL, 0));
	CHECK(wcm__output_write(-1, empty, 2));
}

static void fill(int fd)
{
	char bytes[4096] = "";

	while (write(fd, bytes, sizeof(bytes)) > 0)
		;
	while (write(fd, bytes, 1) > 0)
		;
	CHECK_EQ(errno, EAGAIN);
}

TEST(a_full_pipe_that_nobody_reads_is_given_up)
{
	struct iovec part = { (void *)"text", 4 };
	struct timespec before, after;
	int ends[2];

	CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
	fill(ends[1]);
	clock_gettime(CLOCK_MONOTONIC, &before);
	CHECK(!wcm__output_write(ends[1], &part, 1));
	clock_gettime(CLOCK_MONOTONIC, &after);
	CHECK(after.tv_sec - before.tv_sec >= 1);
	close(ends[0]);
	close(ends[1]);
}

static void *drain(void *opaque)
{
	const struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };
	static char got[1 << 20];
	int fd = *(int *)opaque;
	ssize_t size;
	size_t total = 0;

	nanosleep(&pause, NULL);
	while ((size = read(fd, got, sizeof(got))) > 0)
		total += (size_t)size;
	return (void *)total;
}

/* Parts of odd sizes, so that the kernel stops in the middle of one. */
TEST(a_full_pipe_is_waited_for)
{
	enum { PARTS = 40, SIZE = 7001 };
	static char bytes[SIZE];
	struct iovec part[PARTS];
	pthread_t reader;
	void *total;
	int ends[2];

	for (size_t i = 0; i < PARTS; i++)
		part[i] = (struct iovec){ bytes, i % 3 ? SIZE : 0 };
	CHECK_EQ(pipe(ends), 0);
	CHECK_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	CHECK_EQ(pthread_create(&reader, NULL, drain, &ends[0]), 0);
	CHECK(wcm__output_write(ends[1], part, PARTS));
	close(ends[1]);
	pthread_join(reader, &total);
	close(ends[0]);
	CHECK_EQ((uintptr_t)total, (PARTS - (PARTS + 2) / 3) * SIZE);
}

/* ppoll(2) fails where no file may be open. */
static bool write_without_waiting(int fd, bool bounded)
{
	struct iovec part = { (void *)"text", 4 };
	struct rlimit before, none;
	bool written;

	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	wcm__output_bound(bounded);
	written = wcm__output_write(fd, &part, 1);
	wcm__output_bound(false);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
	return written;
}

TEST(where_nothing_tells_whether_it_can_be_written_it_is_tried)
{
	char got[8];
	int ends[2];

	CHECK_EQ(pipe2(ends, O_NONBLOCK), 0);
	CHECK(write_without_waiting(ends[1], true));
	CHECK_EQ(read(ends[0], got, sizeof(got)), (ssize_t)4);
	fill(ends[1]);
	alarm(20);
	CHECK(!write_without_waiting(ends[1], true));
	CHECK(!write_without_waiting(ends[1], false));
	alarm(0);
	close(ends[0]);
	close(ends[1]);
}

RUN(hexadecimal_digits, hexadecimal_width, decimal, valid_utf8_is_printable,
    what_is_not_utf8_is_not_printable, reads_nothing_behind_a_name,
    a_line_is_one_write, a_build_id_is_one_part,
    control_bytes_of_names_are_escaped, a_long_name_goes_out_in_one_write,
    a_name_of_nothing_but_control_bytes_is_whole, room_of_a_line_is_part_of_it,
    room_of_a_full_line_is_part_of_it,
    a_closed_descriptor_fails, a_full_disk_fails,
    nothing_is_written_without_a_system_call,
    a_full_pipe_that_nobody_reads_is_given_up, a_full_pipe_is_waited_for,
    where_nothing_tells_whether_it_can_be_written_it_is_tried)
