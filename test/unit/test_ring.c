/* SPDX-License-Identifier: MIT */
/* test_ring.c - records on their way into a file, in a directory of the test's own. */
#include "trace/record/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "trace/record/record_files.h"
#include "trace/record/task_file.h"
#include "whocallme/trace.h"

enum { TID = 17, MANY = 200000, FEW = 10, PAGES = 1100, PIECE = 64 << 10 };

static int set_up(void **state)
{
	struct stat made;

	(void)state;
	strcpy(wcm__recording.directory, "/tmp/test_ring.XXXXXX");
	wcm__recording.failed = false;
	wcm__recording.most = 1 << 18;
	if (!mkdtemp(wcm__recording.directory) ||
	    stat(wcm__recording.directory, &made) != 0)
		return -1;
	wcm__recording.device = made.st_dev;
	wcm__recording.inode = made.st_ino;
	return 0;
}

static void remove_file(void)
{
	char path[PATH_MAX + NAME_MAX];

	snprintf(path, sizeof(path), "%s/%d.dat", wcm__recording.directory, TID);
	unlink(path);
}

static int tear_down(void **state)
{
	(void)state;
	remove_file();
	return rmdir(wcm__recording.directory);
}

static off_t size_of_file(void)
{
	struct stat status;
	int fd = wcm__recording_open_records(TID, O_RDONLY);

	CHECK(fd >= 0);
	CHECK_EQ(fstat(fd, &status), 0);
	close(fd);
	return status.st_size;
}

/* The file is COUNT records whose times are their numbers, and nothing else. */
static void check_file(uint64_t count)
{
	struct wcm_record record;
	int fd = wcm__recording_open_records(TID, O_RDONLY);

	CHECK_EQ(size_of_file(), count * sizeof(record));
	for (uint64_t i = 0; i < count; i++) {
		CHECK_EQ(read(fd, &record, sizeof(record)), sizeof(record));
		CHECK_EQ(record.time, i);
		CHECK_EQ(record.bits, wcm__record_bits(WCM_RECORD_ENTRY, 3, i));
	}
	close(fd);
}

static void put(struct wcm_ring *ring, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		CHECK(wcm__ring_put(ring, i,
				    wcm__record_bits(WCM_RECORD_ENTRY, 3, i)));
}

TEST(bits_are_as_uftrace_has_them)
{
	CHECK_EQ(wcm__record_bits(WCM_RECORD_ENTRY, 0, 0x401136), UINT64_C(0x4011360028));
	CHECK_EQ(wcm__record_bits(WCM_RECORD_EXIT, 2, 0), 0x28 + 1 + (2 << 6));
	CHECK_EQ(wcm__record_bits(WCM_RECORD_LOST, 1024, 1), 0x10000 + 0x28 + 2);
}

TEST(many_records_are_in_the_file_and_nothing_else)
{
	static struct wcm_ring ring;
	uint32_t open = 9;

	CHECK(wcm__ring_begin(&ring, getpid(), TID, &open));
	CHECK_EQ(open, 0);
	put(&ring, 0, MANY);
	wcm__ring_end(&ring);
	check_file(MANY);
	wcm__ring_disown(&ring);
}

TEST(what_is_put_behind_the_end_harms_nobody)
{
	static struct wcm_ring ring;
	uint32_t open;

	CHECK(wcm__ring_begin(&ring, getpid(), TID, &open));
	put(&ring, 0, FEW);
	wcm__ring_end(&ring);
	for (uint64_t i = 0; i < MANY; i++)
		wcm__ring_put(&ring, i, wcm__record_bits(WCM_RECORD_ENTRY, 0, 1));
	CHECK(ring.lost > 0);
	check_file(FEW);
	wcm__ring_end(&ring);
	check_file(FEW);
	wcm__ring_disown(&ring);
}

TEST(a_file_goes_on_where_a_killed_process_left_it)
{
	static struct wcm_ring ring, next;
	uint32_t open;

	CHECK(wcm__ring_begin(&ring, getpid(), TID, &open));
	put(&ring, 0, MANY + 1);
	CHECK(size_of_file() > (off_t)((MANY + 1) * sizeof(struct wcm_record)));
	wcm__ring_abandon(&ring);
	CHECK(wcm__ring_begin(&next, getpid(), TID, &open));
	CHECK_EQ(open, 4); /* the last record is an entry at depth 3 */
	put(&next, MANY + 1, MANY + FEW);
	wcm__ring_end(&ring);
	wcm__ring_end(&next);
	check_file(MANY + FEW);
	wcm__ring_disown(&ring);
	wcm__ring_disown(&next);
}

/* Put what nobody is to see into RING, several pages. */
static void put_lost(struct wcm_ring *ring)
{
	for (uint64_t i = 0; i < PAGES; i++)
		wcm__ring_put(ring, i, wcm__record_bits(WCM_RECORD_EXIT, 0, 1));
}

TEST(what_is_put_behind_an_abandoned_files_cut_harms_nobody)
{
	static struct wcm_ring ring;
	uint32_t open;
	int fd;

	for (uint64_t count = 1; count < 12 * 256; count += 255) {
		CHECK(wcm__ring_begin(&ring, getpid(), TID, &open));
		put(&ring, 0, count);
		wcm__ring_abandon(&ring);
		fd = wcm__recording_open_records(TID, O_RDWR);
		CHECK_EQ(ftruncate(fd, (off_t)(count * sizeof(struct wcm_record))), 0);
		close(fd);
		put_lost(&ring);
		wcm__ring_end(&ring);
		check_file(count);
		wcm__ring_disown(&ring);
		remove_file();
	}
}

/* A thread has ended with COUNT records, and another task has its number: that has put MORE, and
 * then HAS_ENDED its file.  Where there are no more, the file is the thread's still. */
static void check_followed(uint64_t count, uint64_t more, bool has_ended)
{
	static struct wcm_ring ring, next;
	uint32_t open;

	CHECK(wcm__ring_begin(&ring, getpid(), TID, &open));
	put(&ring, 0, count);
	CHECK(wcm__ring_begin(&next, getpid(), TID, &open));
	put(&next, count, count + more);
	if (has_ended)
		wcm__ring_end(&next);
	wcm__ring_check_file(&ring);
	if (more > 0 || has_ended)
		put_lost(&ring);
	wcm__ring_end(&ring);
	if (!has_ended && more > 0) {
		put(&next, count + more, count + PAGES); /* it has its room still */
		wcm__ring_end(&next);
		more = PAGES;
	}
	check_file(count + more);
	wcm__ring_disown(&ring);
	wcm__ring_disown(&next);
	remove_file();
}

TEST(an_ended_thread_leaves_its_file_to_the_next_of_its_number)
{
	for (uint64_t count = 0; count < 12 * 256; count += 255)
		for (uint64_t more = 0; more < 3; more++)
			for (int has_ended = 0; has_ended < 2; has_ended++)
				check_followed(count, more, has_ended);
}

TEST(trimming_cuts_off_what_is_no_record)
{
	static struct wcm_ring ring;
	uint32_t open;

	CHECK(wcm__ring_begin(&ring, getpid(), TID, &open));
	put(&ring, 0, FEW);
	CHECK_EQ(size_of_file(), PIECE);
	wcm__ring_disown(&ring);
	wcm__ring_trim(TID);
	check_file(FEW);
}

static bool grow_file(off_t size)
{
	const int fd = wcm__recording_open_records(TID, O_RDWR);
	const bool can = fd >= 0 && ftruncate(fd, size) == 0;

	close(fd);
	return can;
}

/* More than a CPU of 32 bits has for a number: a hole, which takes no room. */
TEST(a_file_of_three_gib_is_cut_and_goes_on)
{
	static const off_t large = INT64_C(3) << 30;
	static struct wcm_ring ring, next;
	uint32_t open;

	CHECK(wcm__ring_begin(&ring, getpid(), TID, &open));
	put(&ring, 0, FEW);
	wcm__ring_disown(&ring);
	if (!grow_file(large))
		skip();
	wcm__ring_trim(TID);
	check_file(FEW);
	CHECK(grow_file(large));
	CHECK(wcm__ring_begin(&next, getpid(), TID, &open));
	CHECK_EQ(open, 4);
	put(&next, FEW, MANY);
	wcm__ring_end(&next);
	check_file(MANY);
	wcm__ring_disown(&next);
}

/* Records with data of 0 to MOST words, each the record's number; the last is not zero. */
static void put_data(struct wcm_ring *ring, uint64_t from, uint64_t to)
{
	uint64_t data[WCM_RECORD_MOST_DATA];

	for (uint64_t i = from; i < to; i++) {
		const size_t count = i % (WCM_RECORD_MOST_DATA + 1);

		for (size_t k = 0; k < count; k++)
			data[k] = i;
		CHECK(wcm__ring_put_data(ring, i, wcm__record_bits(WCM_RECORD_ENTRY, 3, i + 1),
					 data, count));
	}
}

static void check_data(uint64_t count)
{
	uint64_t word[2 + WCM_RECORD_MOST_DATA];
	int fd = wcm__recording_open_records(TID, O_RDONLY);

	for (uint64_t i = 0; i < count; i++) {
		const size_t words = 2 + i % (WCM_RECORD_MOST_DATA + 1);

		CHECK_EQ(read(fd, word, words * sizeof(*word)), words * sizeof(*word));
		CHECK_EQ(word[0], i);
		CHECK_EQ(word[1], wcm__record_bits(WCM_RECORD_ENTRY, 3, i + 1));
		for (size_t k = 2; k < words; k++)
			CHECK_EQ(word[k], i);
	}
	CHECK_EQ(read(fd, word, 1), 0);
	close(fd);
}

TEST(data_behind_records_are_whole_words_through_all_windows)
{
	static struct wcm_ring ring, next;
	uint32_t open;

	wcm__recording.has_data = true;
	CHECK(wcm__ring_begin(&ring, getpid(), TID, &open));
	put_data(&ring, 0, MANY / 10);
	wcm__ring_abandon(&ring); /* as where the process is killed */
	CHECK(wcm__ring_begin(&next, getpid(), TID, &open));
	put_data(&next, MANY / 10, MANY / 10 + FEW);
	wcm__ring_end(&next);
	check_data(MANY / 10 + FEW);
	wcm__ring_disown(&ring);
	wcm__ring_disown(&next);
	wcm__recording.has_data = false;
}

/* A record whose data are COUNT words of zero; FUNC is its function. */
static void put_zeros(struct wcm_ring *ring, uint64_t func, size_t count)
{
	static const uint64_t zeros[WCM_RECORD_MOST_DATA];

	CHECK(wcm__ring_put_data(ring, 1,
				 wcm__record_with_data(wcm__record_bits(WCM_RECORD_ENTRY, 3, func)),
				 zeros, count));
}

/* Of two records with COUNT words of zero each. */
static void check_zeros(size_t count, uint64_t size)
{
	const size_t second = 2 + count;
	uint64_t word[4 + 2 * WCM_RECORD_MOST_DATA] = { 0 };
	int fd = wcm__recording_open_records(TID, O_RDONLY);

	CHECK_EQ(lseek(fd, 0, SEEK_END), size);
	CHECK_EQ(pread(fd, word, 2 * second * sizeof(*word), 0), 2 * second * sizeof(*word));
	CHECK_EQ(wcm__record_value(word[1]), 10);
	CHECK_EQ(wcm__record_value(word[second + 1]), 20);
	close(fd);
}

TEST(data_that_are_zero_are_not_taken_for_the_end)
{
	static const size_t counts[] = { 1, 2, 7, WCM_RECORD_MOST_DATA };

	wcm__recording.has_data = true;
	for (int way = 0; way < 2; way++)
		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
			struct wcm_ring ring, next;
			uint32_t open;

			remove_file();
			CHECK(wcm__ring_begin(&ring, getpid(), TID, &open));
			put_zeros(&ring, 10, counts[i]);
			if (way == 0) {
				wcm__ring_end(&ring);
			} else {
				wcm__ring_note_end(&ring);
				wcm__ring_abandon(&ring);
			}
			CHECK(wcm__ring_begin(&next, getpid(), TID, &open));
			CHECK_EQ(open, 4);
			put_zeros(&next, 20, counts[i]);
			wcm__ring_end(&next);
			check_zeros(counts[i], 2 * (2 + counts[i]) * sizeof(uint64_t));
			wcm__ring_trim(TID);
			check_zeros(counts[i], 2 * (2 + counts[i]) * sizeof(uint64_t));
			wcm__ring_disown(&ring);
			wcm__ring_disown(&next);
		}
	wcm__recording.has_data = false;
}

TEST(trimming_leaves_data_that_may_be_zero)
{
	static struct wcm_ring ring;
	uint32_t open;

	wcm__recording.has_data = true;
	CHECK(wcm__ring_begin(&ring, getpid(), TID, &open));
	put_zeros(&ring, 10, 9);
	put_zeros(&ring, 20, 9);
	wcm__ring_abandon(&ring); /* as where the process is killed */
	wcm__ring_trim(TID);
	check_zeros(9, (2 + 9 + 2 + 1 + WCM_RECORD_MOST_DATA) * sizeof(uint64_t));
	wcm__ring_disown(&ring);
	wcm__recording.has_data = false;
}

/* SIGKILL asks nobody. */
TEST(a_killed_process_loses_nothing)
{
	static struct wcm_ring ring;
	uint32_t open;
	pid_t child = fork();

	if (child == 0) {
		if (wcm__ring_begin(&ring, getpid(), TID, &open))
			put(&ring, 0, MANY);
		raise(SIGKILL);
	}
	waitpid(child, NULL, 0);
	wcm__ring_trim(TID);
	check_file(MANY);
}

TEST(a_directory_that_is_gone_is_said_once)
{
	static struct wcm_ring ring;
	uint32_t open = 0;

	strcat(wcm__recording.directory, "/none");
	CHECK(!wcm__ring_begin(&ring, getpid(), TID, &open));
	CHECK(wcm__recording.failed);
	*strrchr(wcm__recording.directory, '/') = '\0';
}

TEST(another_directory_in_its_place_is_refused)
{
	wcm__recording.inode++;
	CHECK_EQ(wcm__recording_open_directory(O_PATH), -ENOENT);
	wcm__recording.inode--;
	wcm__recording.device++;
	CHECK_EQ(wcm__recording_open_directory(O_PATH), -ENOENT);
	wcm__recording.device--;
	close(wcm__recording_open_directory(O_PATH));
}

static void check_info(const char *text)
{
	char found[256] = "";
	const int fd = wcm__recording_open_file("info", O_RDONLY);

	CHECK(fd >= 0 && read(fd, found, sizeof(found) - 1) > 0);
	close(fd);
	CHECK_STR(found, text);
}

TEST(a_task_is_listed_once)
{
	static const char before[] = "x\ntaskinfo:nr_tid=1\ntaskinfo:tids=123\ny\n";
	static const char after[] = "x\ntaskinfo:nr_tid=4\ntaskinfo:tids=123,12,23,2\ny\n";
	const int fd = wcm__recording_open_file("info", O_WRONLY | O_CREAT);
	char path[PATH_MAX + NAME_MAX];

	CHECK_EQ(write(fd, before, strlen(before)), strlen(before));
	close(fd);
	for (int i = 0; i < 2; i++) {
		wcm__task_list_add(12);
		wcm__task_list_add(23);
		wcm__task_list_add(123);
		wcm__task_list_add(2);
	}
	check_info(after);
	snprintf(path, sizeof(path), "%s/info", wcm__recording.directory);
	unlink(path);
}

/* The size of a window, in the smallest ones, of a trace with rings of RING_SIZE bytes. */
static int windows_of(uint32_t ring_size)
{
	char path[PATH_MAX + NAME_MAX], command[PATH_MAX + 2 * NAME_MAX];
	const struct wcm_trace_options options = { .mode = WCM_TRACE_RECORD, .output = path,
						   .ring_size = ring_size };
	int status;
	pid_t child;

	snprintf(path, sizeof(path), "%s/new", wcm__recording.directory);
	child = fork();
	if (child == 0) {
		if (wcm_trace_start(&options) != WCM_OK)
			wcm__recording.most = 0;
		_exit((int)(wcm__recording.most / PIECE));
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	snprintf(command, sizeof(command), "rm -r '%s'", path);
	CHECK_EQ(system(command), 0);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static struct wcm_ring watched;
static int unmapped, known; /* windows, and those that the ring still knew */

static void see_unmap(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context, (void)info;
	unmapped++;
	known += watched.done.at != NULL;
}

/* The kernel sends SIGSYS in the place of each munmap(2); valgrind ends at that. */
static bool trap_unmap(void)
{
	struct sigaction action = { .sa_sigaction = see_unmap, .sa_flags = SA_SIGINFO };
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };

	sigaction(SIGSYS, &action, NULL);
	return !getenv("UNDER_VALGRIND") && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* A child of fork(2) that begins in between unmaps what it knows. */
TEST(a_window_is_forgotten_before_it_is_unmapped)
{
	uint32_t open;
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (!wcm__ring_begin(&watched, 1, TID, &open))
			_exit(2);
		watched.done = watched.now;
		watched.state = WCM_RING_WANTED;
		if (!trap_unmap())
			_exit(0);
		wcm__ring_prepare(&watched);
		_exit(unmapped == 1 && known == 0 ? 0 : 1);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
	remove_file();
}

/* A child of fork(2) may have come amid a turn. */
TEST(windows_that_are_half_moved_are_left_alone)
{
	char *pages = mmap(NULL, 2 * PIECE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct wcm_ring ring = { .state = WCM_RING_TURNING };

	ring.now = (struct wcm_window){ .at = pages, .size = 2 * PIECE };
	wcm__ring_disown(&ring);
	CHECK(!ring.now.at);
	CHECK_EQ(mprotect(pages, 2 * PIECE, PROT_READ), 0);
	munmap(pages, 2 * PIECE);
}

TEST(a_ring_is_two_windows)
{
	CHECK_EQ(windows_of(1), 1);
	CHECK_EQ(windows_of(2 * PIECE), 1);
	CHECK_EQ(windows_of(2 * PIECE + 2), 2);
	CHECK_EQ(windows_of(8 * PIECE), 4);
	CHECK_EQ(windows_of(0), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define EACH(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		EACH(bits_are_as_uftrace_has_them),
		EACH(many_records_are_in_the_file_and_nothing_else),
		EACH(what_is_put_behind_the_end_harms_nobody),
		EACH(a_file_goes_on_where_a_killed_process_left_it),
		EACH(what_is_put_behind_an_abandoned_files_cut_harms_nobody),
		EACH(an_ended_thread_leaves_its_file_to_the_next_of_its_number),
		EACH(trimming_cuts_off_what_is_no_record),
		EACH(a_file_of_three_gib_is_cut_and_goes_on),
		EACH(data_behind_records_are_whole_words_through_all_windows),
		EACH(data_that_are_zero_are_not_taken_for_the_end),
		EACH(trimming_leaves_data_that_may_be_zero),
		EACH(a_killed_process_loses_nothing),
		EACH(a_directory_that_is_gone_is_said_once),
		EACH(another_directory_in_its_place_is_refused),
		EACH(a_task_is_listed_once),
		EACH(a_window_is_forgotten_before_it_is_unmapped),
		EACH(windows_that_are_half_moved_are_left_alone),
		EACH(a_ring_is_two_windows),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
