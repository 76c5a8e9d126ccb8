/* SPDX-License-Identifier: MIT */
/* own_threads.c (SAFE) - knows the library's own threads, which reports leave out and which keep no
 * process alive.
 *
 * Reports leave them out, and they do not keep a process alive whose own threads have ended.
 * A child of fork(2) has none of them.
 */
#include "crash/threads/own_threads.h"

#include <stddef.h>

#include "core/os/clock.h"
#include "core/os/proc_file.h"
#include "core/os/self.h"

enum { MOST = 4 };

static struct {
	int pid, tid; /* 0: free */
	bool is_apart;
} own[MOST];

void wcm__own_thread_begin(bool is_apart)
{
	const int tid = wcm__thread_id(), pid = wcm__process_id();

	for (size_t i = 0; i < MOST; i++) {
		int was = __atomic_load_n(&own[i].tid, __ATOMIC_ACQUIRE);

		if ((was == 0 || own[i].pid != pid) &&
		    __atomic_compare_exchange_n(&own[i].tid, &was, tid, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			own[i].is_apart = is_apart;
			__atomic_store_n(&own[i].pid, pid, __ATOMIC_RELEASE);
			return;
		}
	}
}

static int find(int tid)
{
	for (int i = 0; i < MOST; i++)
		if (__atomic_load_n(&own[i].tid, __ATOMIC_ACQUIRE) == tid &&
		    __atomic_load_n(&own[i].pid, __ATOMIC_ACQUIRE) == wcm__process_id())
			return i;
	return -1;
}

void wcm__own_thread_end(void)
{
	const int index = find(wcm__thread_id());

	if (index >= 0)
		__atomic_store_n(&own[index].tid, 0, __ATOMIC_RELEASE);
}

bool wcm__own_thread_is(int tid)
{
	return find(tid) >= 0;
}

bool wcm__own_thread_is_apart(int tid)
{
	const int index = find(tid);

	return index >= 0 && own[index].is_apart;
}

static int count(void)
{
	int found = 0;

	for (size_t i = 0; i < MOST; i++)
		found += __atomic_load_n(&own[i].tid, __ATOMIC_ACQUIRE) != 0 &&
			 __atomic_load_n(&own[i].pid, __ATOMIC_ACQUIRE) == wcm__process_id();
	return found;
}

/* Skip WORDS words of FILE, and read a number.  By bytes, since a line of /proc has no length
 * that is known before. */
static int number_behind(struct wcm_proc_file *file, int words)
{
	int byte, number = 0;

	while (words > 0 && (byte = wcm__proc_next(file)) >= 0)
		words -= byte == ' ';
	while ((byte = wcm__proc_next(file)) >= '0' && byte <= '9')
		number = 10 * number + byte - '0';
	return number;
}

/* By proc_pid_stat(5): how many threads there are, the first thread's state, and how it ended. */
static int read_stat(int *state, int *status)
{
	struct wcm_proc_file file;
	int byte, threads;

	if (!wcm__proc_open(&file, wcm__clock_ns() + 1000000000u, "/proc/self/stat",
			    "/proc/self/stat"))
		return 0;
	while ((byte = wcm__proc_next(&file)) >= 0 && byte != ')')
		;
	wcm__proc_next(&file);
	*state = wcm__proc_next(&file);
	threads = number_behind(&file, 17);
	*status = number_behind(&file, 31);
	wcm__proc_close(&file);
	return threads;
}

bool wcm__own_threads_are_alone(int *status)
{
	int state;
	const int threads = read_stat(&state, status);

	return threads > 0 && state == 'Z' && threads <= 1 + count();
}

int wcm__own_threads_and_others(void)
{
	int state, status;

	return read_stat(&state, &status);
}
