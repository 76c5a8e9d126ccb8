/* SPDX-License-Identifier: MIT */
/* mapped_window.c (SAFE) - writes lines to the end of a file through shared mappings.
 *
 * A write(2) for each line would cost more than all the rest.  So a window of empty lines is
 * appended to the file and mapped; a line takes its part of the window by one addition and
 * is copied there.  The kernel keeps a shared mapping's contents whatever becomes of the
 * process, and a line that a killed thread leaves unfinished still ends where it should.  The
 * append allocates the blocks, so that a full disk is an error there and no SIGBUS later.
 *
 * Windows of several processes are distinct, because each is appended.  They are small then:
 * the unused rest of a window stays blank once another window stands behind it.  A window
 * that does not follow one of the same process may begin with a line that names its process.
 *
 * Whoever cuts a file looks at its end first, and a window that is appended in between would be
 * cut off: its next line would be a SIGBUS.  So the two are done by one thread of a process at a
 * time, which others wait for as long as it lives, and by one process at a time.  A process that
 * cannot have the file's lock appends no window and cuts nothing: it writes its lines.
 *
 * Nothing of it is record/ring.c's: there a file has one writer, who knows its end, and the next
 * window is made before it is needed; here all threads of all processes append to one.
 */
#include "trace/log/line_output.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "core/arch/arch.h"
#include "core/os/clock.h"
#include "core/os/file.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/output.h"
#include "core/os/owner.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "crash/files/file_lock.h"
#include "format/words.h"

enum {
	PAGE = 4096,
	LARGEST = 64 * 1024,
	BLOCKS = LARGEST / PAGE,
	HEADERS = PAGE / 64,
	PATIENCE = 100 * 1000 * 1000, /* nanoseconds */
	YIELDS = 1000,
	LONGEST_NAME = 64, /* of a process, as a line */
};

struct window {
	_Alignas(64) uint64_t used; /* bytes given away, and more */
	uint64_t written;           /* bytes copied; all: it is unmapped */
	uint64_t size;
	char *text, *map; /* the mapping begins with the page of TEXT */
	size_t map_size;
	uint64_t offset;  /* of TEXT in the file */
};

/* CURRENT is replaced by one thread at a time; a window is never changed after that but for its two
 * counters, and its header is never freed. */
static struct window none; /* full from the beginning */
static struct window *current = &none;
static const struct window *final; /* none could be put behind it, when that was tried last */
static size_t next_size;
static char empty_lines[PAGE];
static bool is_shared; /* another process writes to the file, too */
static bool is_named;  /* where the lines of two processes meet, a line says whose follow */
static bool has_begun; /* lines of this process are in the file */
static struct iovec blocks[BLOCKS];
static int (*descriptor)(void);
static struct wcm_owner changer; /* the thread that appends or cuts */
static bool is_kept; /* another process had the file locked, when it was tried last */

/* The first line finds a window that is full, and opens one. */
void wcm__mapped_window_begin(bool names_processes, int (*file)(void))
{
	descriptor = file;
	memset(empty_lines, '\n', sizeof(empty_lines));
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = (struct iovec){ empty_lines, PAGE };
	is_shared = has_begun = false;
	is_named = names_processes;
	next_size = PAGE;
	none = (struct window){ 0 };
	final = NULL;
	__atomic_store_n(&current, &none, __ATOMIC_RELEASE);
}

/* Headers are never used twice: a thread may stand still with one in its hand.  Of several
 * threads that find the page full, each maps one; the last stored is used, and what the others
 * have mapped holds their one header. */
static struct window *make_header(void)
{
	static struct window *page;
	static uint64_t used = HEADERS;
	const uint64_t at = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
	struct window *next;

	if (at < HEADERS)
		return &__atomic_load_n(&page, __ATOMIC_ACQUIRE)[at];
	next = wcm__map(PAGE);
	if (!next)
		return NULL;
	__atomic_store_n(&page, next, __ATOMIC_RELEASE);
	__atomic_store_n(&used, 1, __ATOMIC_RELEASE);
	return next;
}

static uint64_t end_of_file(int file)
{
	struct stat now;

	return wcm__fstat(file, &now) == 0 ? (uint64_t)now.st_size : 0;
}

/* How much may be added, SIZE at most, before the process would be sent SIGXFSZ.  SIGXFSZ would
 * end the program for a write of ours. */
static size_t permitted(int file, size_t size)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	uint64_t at = end_of_file(file);

	wcm__prlimit(RLIMIT_FSIZE, NULL, &limit);
	if (limit.rlim_cur == RLIM_INFINITY || at + size <= limit.rlim_cur)
		return size;
	return at < limit.rlim_cur ? (size_t)(limit.rlim_cur - at) : 0;
}

/* Append SIZE bytes of empty lines.  Returns how many, or a negated errno.  Written, not
 * reserved by fallocate(2): not all file systems have it, and newlines make the unused part of a
 * window empty lines and no holes.  O_APPEND puts the bytes behind those of other processes in
 * one step. */
static long append(int file, size_t size)
{
	const size_t rest = size % PAGE;
	struct iovec last[1] = { { empty_lines, rest } };
	long written = 0, more = 0;

	if (permitted(file, size) < size)
		return -EFBIG;
	if (size >= PAGE)
		written = wcm__writev(file, blocks, (int)(size / PAGE));
	if (written >= 0 && rest != 0)
		more = wcm__writev(file, last, 1);
	if (written < 0 || more < 0)
		return written < 0 ? written : more;
	return written + more;
}

/* Map what has been appended, the last SIZE bytes that were written.  A file opened with
 * O_APPEND stands behind what it has written, wherever others have written since.  Where there
 * is no memory the bytes are cut off again. */
static long map(int file, struct window *window, size_t size)
{
	const int64_t end = wcm__lseek(file, 0, SEEK_CUR);
	long mapped;

	if (end < (int64_t)size)
		return end < 0 ? (long)end : -EIO;
	window->offset = (uint64_t)end - size;
	window->map_size = size + window->offset % WCM_LARGEST_PAGE;
	mapped = wcm__mmap(NULL, window->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, file,
			   window->offset - window->offset % WCM_LARGEST_PAGE);
	if (wcm__is_error(mapped)) {
		if (end_of_file(file) == (uint64_t)end)
			wcm__ftruncate(file, window->offset);
		return mapped;
	}
	window->map = (char *)mapped;
	window->text = window->map + window->offset % WCM_LARGEST_PAGE;
	window->size = size;
	window->used = window->written = 0;
	return 0;
}

/* A thread of another process that shares the memory is alive as one of this is. */
static bool is_gone(uint64_t id, uint64_t self, bool is_late)
{
	(void)self, (void)is_late;
	return wcm__thread_is_gone((int)(id >> 32), (int)(uint32_t)id);
}

/* Be the one thread that changes the file, after one that does.  False: it does already. */
static bool begin_change(void)
{
	return wcm__owner_take(&changer, UINT64_MAX, is_gone) == WCM_OWNED;
}

static void end_change(void)
{
	wcm__owner_give_back(&changer);
}

/* Be the one process, too; who ends this ends the other.  False: another keeps the file locked,
 * for as long as nobody can tell.  A lock that could not be had in time is tried once only from
 * then on, so that no line of the program waits again. */
static bool lock_file(int file)
{
	is_kept = wcm__file_lock(file, is_kept ? 0 : wcm__clock_ns() + PATIENCE) != 0;
	return !is_kept;
}

/* Write a line at TEXT that names the process.  Returns its size. */
static size_t name_process(char *text, const char *end)
{
	struct wcm_words words;

	wcm__words_init(&words, text, LONGEST_NAME);
	wcm__words_text(&words, "# process ");
	wcm__words_id(&words, wcm__process_id());
	wcm__words_text(&words, end);
	return wcm__words_length(&words);
}

/* Give back to the file system what WINDOW has beyond USED.  Where it is not the file's end any
 * more, the last line gets what is left, so that there is no blank one.  What another process,
 * or BECOMES, another program's lines follow is named behind.  Under both locks, so that nobody
 * appends a window between the look at the end and the cut.  A line that is written meanwhile, by a
 * process that could not have the lock, is lost. */
static void cut(int file, const struct window *window, uint64_t used, bool becomes)
{
	const bool is_last = end_of_file(file) == window->offset + window->size;

	/* Else it is another thread's window that stands behind this. */
	if (window->size > 0 && !is_last && __atomic_load_n(&current, __ATOMIC_ACQUIRE) == window)
		is_shared = true;
	if (used >= window->size)
		return;
	if (is_named && (becomes || !is_last) && window->size - used >= LONGEST_NAME)
		used += name_process(window->text + used, "\n");
	if (is_last)
		wcm__ftruncate(file, window->offset + used);
	else if (used > 0)
		/* The newline of the last line moves to the window's end. */
		memset(window->text + used - 1, ' ', window->size - used);
}

/* BYTES more of WINDOW are as they will be; with the last of them, once, it is of no use.  Each
 * byte is released once, by who has copied it or by who cuts it off, so that exactly one thread
 * sees the sum: nobody else has the window in hand then. */
static void release(struct window *window, uint64_t bytes)
{
	if (bytes > 0 &&
	    __atomic_add_fetch(&window->written, bytes, __ATOMIC_ACQ_REL) ==
		    window->size)
		wcm__unmap(window->map, window->map_size);
}

/* Name the process in NEXT, unless it goes on where it stopped: FULL may have been cut
 * after USED bytes.  Who comes first to an empty file is named when another comes. */
static void name_in(struct window *next, const struct window *full, uint64_t used)
{
	if (next->offset != full->offset + full->size &&
	    next->offset != full->offset + used)
		next->used = next->written = name_process(
			next->text, has_begun ? "\n" : " begins\n");
	has_begun = true;
}

/* After FULL, of which USED bytes have been given away, a window with room for SIZE.  NEXT is
 * complete before it is stored to CURRENT.  Returns 0 or a negated errno.  Under both locks. */
static int append_window(int file, const struct window *full, uint64_t used, size_t size)
{
	struct window *next = make_header();
	size_t wanted;
	long result;

	if (!next)
		return -ENOMEM;
	if (is_shared)
		next_size = PAGE;
	if (is_named)
		size += LONGEST_NAME;
	wanted = next_size > size ? next_size : size;
	result = append(file, wanted);
	if (result > 0 && (size_t)result < size)
		result = -ENOSPC;
	if (result > 0)
		result = map(file, next, (size_t)result);
	if (result < 0)
		return (int)result;
	if (is_named)
		name_in(next, full, used);
	next_size = wanted < LARGEST / 2 ? 2 * wanted : LARGEST;
	__atomic_store_n(&current, next, __ATOMIC_RELEASE);
	return 0;
}

/* A line, which is written, not copied to a window. */
struct line {
	struct iovec *parts;
	int count;
	size_t size;
};

/* Returns 1 or a negated errno. */
static int write_line(int file, const struct line *line)
{
	const int result = permitted(file, line->size) < line->size ?
				   -EFBIG : wcm__output_put(file, line->parts, line->count);

	return result < 0 ? result : 1;
}

/* The same where no other thread has done so meanwhile, and cut FULL.  1: LINE is written, as
 * another process keeps the file locked, or the program has used up its address space. */
static int open_next(const struct window *full, uint64_t used, const struct line *line)
{
	const int file = descriptor();
	int result = 0;

	if (file < 0)
		return -EBADF;
	if (!begin_change())
		return -EDEADLK;
	if (lock_file(file)) {
		cut(file, full, used, false);
		if (__atomic_load_n(&current, __ATOMIC_ACQUIRE) == full)
			result = append_window(file, full, used, line->size);
		if (result == -ENOMEM) {
			next_size = PAGE;
			result = write_line(file, line);
		}
		wcm__file_unlock(file);
	} else {
		result = write_line(file, line);
	}
	end_change();
	return result;
}

static void copy(char *to, const struct iovec *parts, int count)
{
	for (int i = 0; i < count; i++) {
		memcpy(to, parts[i].iov_base, parts[i].iov_len);
		to += parts[i].iov_len;
	}
}

/* The thread that has filled WINDOW opens the next, which takes some microseconds.  Where it does
 * not come to that, another does: which of them is first is all the same.  Where it could not,
 * nobody waits: on a busy CPU a yield may take milliseconds. */
static bool has_next(const struct window *window)
{
	for (int i = 0; i < YIELDS && __atomic_load_n(&final, __ATOMIC_ACQUIRE) != window; i++) {
		if (__atomic_load_n(&current, __ATOMIC_ACQUIRE) != window)
			return true;
		wcm__sched_yield();
	}
	return false;
}

/* Have LINE find room, or, 1, write it.  No handler may jump away from this: others wait for the
 * next window, and for the file's lock. */
static int make_room(struct window *full, uint64_t at, const struct line *line)
{
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL);
	int result = 0;

	/* The one addition that has passed the end from within it: this thread cuts the window,
	 * and the bytes between are nobody's. */
	if (at <= full->size) {
		result = open_next(full, at, line);
		release(full, full->size - at);
	} else if (is_kept || !has_next(full)) {
		result = open_next(full, full->size, line);
	}
	if (result != 0)
		__atomic_store_n(&final, full, __ATOMIC_RELEASE);
	wcm__mask_set(mask);
	return result;
}

/* A line's place in the order is that of its addition to USED.  The window is full for
 * all threads whose addition goes beyond its end; the first of them, which USED had not
 * passed the end for, opens the next one. */
int wcm__mapped_window_write(struct iovec *parts, int count, size_t size)
{
	for (;;) {
		struct window *window = __atomic_load_n(&current,
							__ATOMIC_ACQUIRE);
		/* It may wrap only after 2^64 bytes: threads that find the window full add to
		 * it, too. */
		const uint64_t at = __atomic_fetch_add(&window->used, size,
						       __ATOMIC_ACQ_REL);
		int result;

		if (at + size <= window->size) {
			copy(window->text + at, parts, count);
			release(window, size);
			return 0;
		}
		result = make_room(window, at, &(struct line){ parts, count, size });
		if (result != 0)
			return result < 0 ? result : 0;
	}
}

/* USED is put beyond the end, so that no line follows. */
void wcm__mapped_window_end(void)
{
	struct window *last = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
	const uint64_t used = __atomic_fetch_add(&last->used, last->size + 1,
						 __ATOMIC_ACQ_REL);
	const int file = descriptor();
	uint64_t mask;

	if (used >= last->size || file < 0)
		return;
	mask = wcm__mask_set(WCM_MASK_ALL);
	if (begin_change()) {
		if (lock_file(file)) {
			cut(file, last, used, false);
			wcm__file_unlock(file);
		}
		end_change();
	}
	wcm__mask_set(mask);
}

/* Take what is left of the window in use, as who fills it does, but put an empty one behind it.
 * The locks come first: once USED is moved, other threads wait for the next window. */
static void trim(int file)
{
	struct window *last = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
	struct window *next = make_header();
	uint64_t used;

	if (!next || !lock_file(file))
		return;
	used = __atomic_fetch_add(&last->used, last->size + 1, __ATOMIC_ACQ_REL);
	if (used <= last->size) {
		cut(file, last, used, true);
		release(last, last->size - used);
		__atomic_store_n(&current, next, __ATOMIC_RELEASE);
	}
	wcm__file_unlock(file);
}

void wcm__mapped_window_trim(void)
{
	const int file = descriptor();
	const uint64_t mask = wcm__mask_set(WCM_MASK_ALL);

	if (file >= 0 && begin_change()) {
		trim(file);
		end_change();
	}
	wcm__mask_set(mask);
}

/* A window whose bytes are all written is unmapped already.  In a child of fork(2), whose only
 * thread this is: no atomics. */
void wcm__mapped_window_abandon(void)
{
	const struct window *last = current;

	if (last->written < last->size)
		wcm__unmap(last->map, last->map_size);
	none = (struct window){ 0 };
	current = &none;
	final = NULL;
	next_size = PAGE;
	changer = (struct wcm_owner){ 0 }; /* a thread that this process does not have */
}
