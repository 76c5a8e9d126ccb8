/* SPDX-License-Identifier: MIT */
/* tasks.c (SAFE) - lists this process's threads, and tells which of them would answer, by
 * /proc.
 *
 * The ids come in no order and there may be any number of them, so each reading of the
 * folder keeps the smallest of those that are still to come.
 */
#include "crash/threads/tasks.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/os/file.h"
#include "core/os/proc_file.h"
#include "core/os/process.h"
#include "core/os/read.h"
#include "core/os/self.h"
#include "format/words.h"

enum { LONGEST_PATH = 64, DIGITS = 20, KERNEL_SIGSET = 8 };

static int id_of(const char *name)
{
	int id = 0;

	while (*name >= '0' && *name <= '9')
		id = id * 10 + (*name++ - '0');
	return *name ? 0 : id;
}

static void insert(struct wcm_tasks *tasks, int tid)
{
	int at = tasks->count;

	while (at > 0 && tasks->tid[at - 1] > tid)
		at--;
	if (at == WCM_TASKS || (at > 0 && tasks->tid[at - 1] == tid))
		return;
	if (tasks->count < WCM_TASKS)
		tasks->count++;
	memmove(&tasks->tid[at + 1], &tasks->tid[at],
		(size_t)(tasks->count - at - 1) * sizeof(*tasks->tid));
	tasks->tid[at] = tid;
}

bool wcm__tasks_list(struct wcm_tasks *tasks, int after)
{
	_Alignas(struct wcm_directory_entry) char buffer[1024];
	const int self = wcm__thread_id();
	bool is_ours = false;
	const int fd = wcm__open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long size;

	tasks->count = 0;
	if (fd < 0)
		return false;
	while ((size = wcm__getdents(fd, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < size;) {
			const struct wcm_directory_entry *entry = (void *)(buffer + at);
			int tid = id_of(entry->name);

			is_ours |= tid == self;
			if (tid > after && tid != self)
				insert(tasks, tid);
			at += entry->size;
		}
	wcm__close(fd);
	return size == 0 && is_ours;
}

/* Read FILE of what FOLDER has by the number ID into BUFFER, as a string. */
static bool read_of(const char *folder, int id, const char *file, char *buffer, size_t size)
{
	char path[LONGEST_PATH];
	long got, used = 0;
	int fd;

	wcm__format_numbered(path, sizeof(path), folder, id, file);
	fd = wcm__proc_open_regular(path);
	if (fd < 0)
		return false;
	while ((got = wcm__read(fd, buffer + used, size - 1 - (size_t)used)) > 0)
		used += got;
	wcm__close(fd);
	buffer[used] = '\0';
	return used > 0;
}

/* The same of thread TID. */
static bool read_file(int tid, const char *file, char *buffer, size_t size)
{
	return read_of("/proc/self/task/", tid, file, buffer, size);
}

void wcm__thread_name(int tid, char name[WCM_THREAD_NAME])
{
	char comm[WCM_THREAD_NAME + 1]; /* a new line follows the name */
	size_t length;

	name[0] = '\0';
	if (tid == wcm__thread_id()) {
		wcm__thread_name_get(name);
	} else if (read_file(tid, "/comm", comm, sizeof(comm))) {
		length = strlen(comm) - 1;
		memcpy(name, comm, length);
		name[length] = '\0';
	}
}

static int digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static uint64_t hex(const char *text)
{
	uint64_t value = 0;

	for (; digit(*text) >= 0; text++)
		value = value * 16 + (uint64_t)digit(*text);
	return value;
}

/* What stands behind KEY in TEXT, or NULL. */
static const char *behind(const char *text, const char *key)
{
	size_t length = strlen(key), left = strlen(text);

	for (; left >= length; text++, left--)
		if (memcmp(text, key, length) == 0)
			return text + length;
	return NULL;
}

static bool holds(uint64_t set, int signal)
{
	return (set >> (signal - 1)) & 1;
}

static enum wcm_task_answer answers_by_mask(int tid, int signal)
{
	char status[2048];
	const char *set, *state;

	if (!read_file(tid, "/status", status, sizeof(status)))
		return WCM_TASK_SURELY;
	state = behind(status, "\nState:\t");
	set = behind(status, "\nSigBlk:\t");
	if (!state || !set || !holds(hex(set), signal))
		return WCM_TASK_SURELY;
	return *state == 'R' ? WCM_TASK_PERHAPS : WCM_TASK_NEVER;
}

bool wcm__task_is_dead(int tid)
{
	char status[2048];
	const char *state;

	if (!read_file(tid, "/status", status, sizeof(status)))
		return false;
	state = behind(status, "\nState:\t");
	return state && (*state == 'Z' || *state == 'X');
}

/* The process that traces the calling thread; 0: none, as far as is known. */
static int tracer(void)
{
	char status[2048];
	const char *found;
	int pid = 0;

	if (!read_file(wcm__thread_id(), "/status", status, sizeof(status)))
		return 0;
	found = behind(status, "\nTracerPid:\t");
	for (; found && *found >= '0' && *found <= '9'; found++)
		pid = pid * 10 + (*found - '0');
	return pid;
}

bool wcm__task_is_traced(void)
{
	return tracer() != 0;
}

bool wcm__task_is_in_gdb(void)
{
	char name[WCM_THREAD_NAME + 1] = "";
	const int pid = tracer();

	return pid != 0 && read_of("/proc/", pid, "/comm", name, sizeof(name)) &&
	       memcmp(name, "gdb", 3) == 0;
}

static bool asked_for_filter;

void wcm__task_asks_for_filter(void)
{
	__atomic_store_n(&asked_for_filter, true, __ATOMIC_RELAXED);
}

bool wcm__task_has_asked_for_filter(void)
{
	return __atomic_load_n(&asked_for_filter, __ATOMIC_RELAXED);
}

bool wcm__task_has_own_filter(void)
{
	char status[2048];
	const char *mode;

	if (!wcm__task_has_asked_for_filter())
		return false;
	if (!read_file(wcm__thread_id(), "/status", status, sizeof(status)))
		return true;
	mode = behind(status, "\nSeccomp:\t");
	return !mode || *mode != '0';
}

uint64_t wcm__task_first_awaits(void)
{
	char status[2048];
	const char *state, *pending, *blocked;

	if (!read_file(wcm__process_id(), "/status", status, sizeof(status)))
		return 0;
	state = behind(status, "\nState:\t");
	pending = behind(status, "\nShdPnd:\t");
	blocked = behind(status, "\nSigBlk:\t");
	return state && *state != 'Z' && pending && blocked ? hex(pending) & ~hex(blocked) : 0;
}

/* "128 0x7ffd12345678 0x0 ...": the call's number and arguments, while it is in
 * one.  What it waits for is not blocked as /proc tells it. */
static bool waits_for(int tid, int signal)
{
	char call[256];
	const char *argument;
	uint64_t set;
	long number = 0;

	if (!read_file(tid, "/syscall", call, sizeof(call)) ||
	    call[0] < '0' || call[0] > '9')
		return false;
	for (const char *at = call; *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (*at - '0');
	argument = behind(call, " 0x");
	return (number == SYS_rt_sigtimedwait || number == WCM_SYS_SIGTIMEDWAIT) && argument &&
	       wcm__read_memory((uintptr_t)hex(argument), &set, KERNEL_SIGSET) &&
	       holds(set, signal);
}

enum wcm_task_answer wcm__task_answers(int tid, int signal)
{
	enum wcm_task_answer answer = answers_by_mask(tid, signal);

	return answer == WCM_TASK_SURELY && waits_for(tid, signal)
		       ? WCM_TASK_NEVER
		       : answer;
}
