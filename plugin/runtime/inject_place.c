/* SPDX-License-Identifier: MIT */
/* inject_place.c - opens the log, and tells whether a descriptor is still it.
 *
 * The log is the file that WHOCALLME_INJECT names in the environment that the process began with,
 * unless it has gained privileges by its start; else the one that the program names in
 * __inject_tracer_path; else stderr as it is at the first event.  The name is read before main(),
 * or at an event that comes earlier: a program may overwrite its environment's bytes to look
 * different in ps(1), and /proc/self/environ shows what is there now.
 *
 * Nobody waits while another opens it: a thread may be interrupted there, and the handler's
 * functions have events, too; or it is killed, or another forks.  So who finds it not opened opens
 * it, and who comes second closes what it has opened and takes the first one's.
 *
 * A program may close descriptors that it knows nothing of, and open files that get their numbers.
 * So the log's is high, and each time it is asked whether it is still the log: the description
 * that the runtime has opened has a mark that no other has, the number of the signal that it would
 * be announced by.  It asks for no such signals, so none is sent.  Stderr cannot be marked,
 * because other processes share it, and is known by its file.  A log that has been closed is
 * opened again; a stderr that has been closed or exchanged is not written to any more.
 */
#include "inject_runtime.h"

#include "inject_entry.h"

#include <linux/limits.h>
#include <sys/auxv.h>

#include "core/os/memory.h"
#include "core/os/process.h"

/* Empty unless the program has one.  It is the object's own, and an array: a pointer would have to
 * be relocated. */
extern const char __inject_tracer_path[1];
__attribute__((weak, visibility("hidden"))) const char __inject_tracer_path[1] = { '\0' };

enum { MARK = 53, NOWHERE = -1, HIGH = 1000, LESS_HIGH = 100, LEAST = 3, MOST_LINKS = 40 };

/* 0: not opened yet. */
static inject_place opened;

/* The name in the environment, or nothing, once it has been read. */
static char asked[PATH_MAX];
static bool is_read;

/* How far the walk along a path is. */
struct walk {
	int folder;         /* a descriptor */
	struct stat around; /* of the folder */
	struct stat part;   /* of what was found in it */
	unsigned links;     /* that were followed */
	char *rest;         /* of the path, at the end of the room */
	char room[2 * PATH_MAX];
};

/* Memory for the search: stacks may be small. */
struct scratch {
	char path[PATH_MAX];
	char piece[PATH_MAX] __attribute__((aligned(16)));
	struct walk walk;
};

static long INJECT_PLAIN read_some(int fd, char *to, size_t size)
{
	long got;

	do
		got = wcm__read(fd, to, size);
	while (got == -EINTR);
	return got;
}

/* Whether the process obeys its environment: the kernel says that it has gained no privileges. */
static bool INJECT_PLAIN is_unprivileged(struct scratch *scratch)
{
	const unsigned long *each = (const unsigned long *)scratch->piece, *end;
	const int fd = wcm__open("/proc/self/auxv", O_RDONLY | O_CLOEXEC);
	long got;

	if (fd < 0)
		return false;
	got = read_some(fd, scratch->piece, sizeof(scratch->piece));
	wcm__close(fd);
	end = each + (got > 0 ? (size_t)got / sizeof(*each) : 0);
	for (; end - each >= 2; each += 2)
		if (each[0] == AT_SECURE)
			return each[1] == 0;
	return false;
}

/* How far a reader of the environment is: AT in a string that has been like the variable. */
struct reader {
	size_t at;
	bool is_it;
};

/* Whether BYTE ends the variable's value, which is in PATH then. */
static inline bool take_byte(struct reader *reader, char byte, char path[PATH_MAX])
{
	static const char name[] = "WHOCALLME_INJECT=";
	const size_t length = sizeof(name) - 1, at = reader->at++;

	if (!byte) {
		const bool is_it = reader->is_it && at >= length;

		if (is_it)
			path[at - length] = '\0';
		*reader = (struct reader){ 0, true };
		return is_it;
	}
	if (at < length)
		reader->is_it = reader->is_it && byte == name[at];
	else if (at - length < PATH_MAX - 1)
		path[at - length] = byte;
	else
		reader->is_it = false;
	return false;
}

static bool INJECT_PLAIN find_variable(struct scratch *scratch)
{
	const int fd = wcm__open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	struct reader reader = { 0, true };
	bool found = false;
	long got = 1;

	while (fd >= 0 && !found && got > 0) {
		got = read_some(fd, scratch->piece, sizeof(scratch->piece));
		for (long i = 0; i < got && !found; i++)
			found = take_byte(&reader, scratch->piece[i], scratch->path);
	}
	if (fd >= 0)
		wcm__close(fd);
	return found && scratch->path[0];
}

/* FD as another number, which programs do not meet; a negated errno where there is none. */
static int INJECT_PLAIN lift(int fd)
{
	int high = wcm__fcntl(fd, F_DUPFD_CLOEXEC, HIGH);

	if (high < 0)
		high = wcm__fcntl(fd, F_DUPFD_CLOEXEC, LESS_HIGH);
	if (high < 0)
		high = wcm__fcntl(fd, F_DUPFD_CLOEXEC, LEAST);
	wcm__close(fd);
	return high;
}

static bool INJECT_PLAIN is_marked(int fd)
{
	return wcm__fcntl(fd, F_GETSIG, 0) == MARK;
}

static bool INJECT_PLAIN is_trusted(const struct stat *status)
{
	return status->st_uid == 0 || status->st_uid == wcm__geteuid();
}

/* Put SIZE bytes at FROM before the rest.  Without the barrier it would be a call of memmove(). */
static bool INJECT_PLAIN put_before(struct walk *walk, const char *from, size_t size)
{
	if (size > (size_t)(walk->rest - walk->room))
		return false;
	while (size > 0) {
		*--walk->rest = from[--size];
		__asm__("" : "+r"(size));
	}
	return true;
}

/* Have the folder FD be where the walk is. */
static bool INJECT_PLAIN enter(struct walk *walk, int fd)
{
	if (walk->folder >= 0)
		wcm__close(walk->folder);
	walk->folder = fd;
	return fd >= 0 && wcm__fstat(fd, &walk->around) == 0;
}

/* Enter where the rest begins. */
static bool INJECT_PLAIN begin(struct walk *walk)
{
	return enter(walk, wcm__open(*walk->rest == '/' ? "/" : ".",
				     O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* Go on by the link FD, which this user or root has made, where nobody else could have put it. */
static bool INJECT_PLAIN follow(struct walk *walk, int fd)
{
	const unsigned mode = walk->around.st_mode;
	const size_t left = (size_t)(walk->rest - walk->room);
	long size;

	if (!is_trusted(&walk->part) || !is_trusted(&walk->around) ||
	    ((mode & S_IWOTH) && !(mode & S_ISVTX)) || ++walk->links > MOST_LINKS)
		return false;
	/* The rest begins with a slash.  A link that fills what is left may be cut off. */
	size = wcm__readlinkat(fd, "", walk->room, left);
	if (size <= 0 || (size_t)size == left || !put_before(walk, walk->room, (size_t)size))
		return false;
	return *walk->rest != '/' || begin(walk);
}

/* Take the next part off the rest; NULL where it is the last, which stays. */
static char *INJECT_PLAIN take_part(struct walk *walk)
{
	char *part, *end;

	while (*walk->rest == '/')
		walk->rest++;
	for (part = end = walk->rest; *end && *end != '/'; end++)
		;
	if (!*end)
		return NULL;
	walk->rest = end;
	return part;
}

/* Find the folder of PATH's last part, which becomes the rest, part by part as format/path.c does:
 * that calls libc. */
static bool INJECT_PLAIN find_folder(struct walk *walk, const char *path)
{
	size_t size = 0;
	char *part;
	bool good;

	while (path[size++])
		__asm__("" : "+r"(size));
	walk->folder = -1;
	walk->links = 0;
	walk->rest = walk->room + sizeof(walk->room);
	good = size <= PATH_MAX && put_before(walk, path, size) && begin(walk);
	while (good && (part = take_part(walk)) != NULL) {
		int fd;

		*walk->rest = '\0';
		fd = wcm__openat(walk->folder, part, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
		*walk->rest = '/';
		good = fd >= 0 && wcm__fstat(fd, &walk->part) == 0;
		if (good && !S_ISLNK(walk->part.st_mode)) {
			good = enter(walk, fd);
			continue;
		}
		good = good && follow(walk, fd);
		if (fd >= 0)
			wcm__close(fd);
	}
	return good && (!walk->links || is_trusted(&walk->around));
}

/* Whether the part is another user's file or pipe, or may be another file. */
static bool INJECT_PLAIN is_trap(const struct walk *walk)
{
	const unsigned mode = walk->part.st_mode, shared = S_ISVTX | S_IWGRP | S_IWOTH;

	if (S_ISREG(mode) && walk->part.st_nlink > 1 &&
	    (walk->around.st_mode & shared || !is_trusted(&walk->around)))
		return true;
	return (S_ISREG(mode) || S_ISFIFO(mode)) && !is_trusted(&walk->part);
}

/* Open PATH, a descriptor or below 0; *IS_REGULAR tells what it is.  What may not be written to is
 * not opened, and looked at again when it is open.  A FIFO without a reader is not waited for. */
static int INJECT_PLAIN open_path(struct walk *walk, const char *path, bool *is_regular)
{
	const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
	int fd = -1;

	if (find_folder(walk, path) &&
	    (wcm__fstatat(walk->folder, walk->rest, &walk->part, AT_SYMLINK_NOFOLLOW) != 0 ||
	     !is_trap(walk)))
		fd = wcm__openat_again(walk->folder, walk->rest, flags | O_NONBLOCK,
				       S_IRUSR | S_IWUSR);
	if (walk->folder >= 0)
		wcm__close(walk->folder);
	if (fd < 0)
		return fd;
	if (wcm__fstat(fd, &walk->part) != 0 || is_trap(walk) ||
	    (S_ISREG(walk->part.st_mode) && walk->part.st_mode & (S_IWGRP | S_IWOTH))) {
		wcm__close(fd);
		return -1;
	}
	*is_regular = S_ISREG(walk->part.st_mode);
	return fd;
}

/* Open PATH; 0 where that is not to be. */
static inject_place INJECT_PLAIN open_file(struct walk *walk, const char *path)
{
	bool is_regular = false;
	int fd = open_path(walk, path, &is_regular);

	fd = fd < 0 ? fd : lift(fd);
	if (fd < 0)
		return 0;
	wcm__fcntl(fd, F_SETFL, O_APPEND | WCM_OPEN_LARGE);
	wcm__fcntl(fd, F_SETSIG, MARK);
	if (is_marked(fd))
		return (inject_place)fd << 2 | (is_regular ? 0 : 2);
	wcm__close(fd);
	return 0;
}

static inject_place INJECT_PLAIN stderr_now(void)
{
	struct stat status;
	unsigned long sum;

	if (wcm__fstat(2, &status) != 0)
		return NOWHERE;
	sum = (unsigned long)status.st_ino * 0x9e3779b1 + (unsigned long)status.st_dev;
	return (inject_place)((sum * 0x9e3779b1 + (status.st_mode & S_IFMT)) << 1 | 1);
}

/* Threads that do so at once read the same. */
static void INJECT_PLAIN read_name(struct scratch *scratch)
{
	if (is_unprivileged(scratch) && find_variable(scratch))
		for (size_t i = 0; i == 0 || scratch->path[i - 1]; i++) {
			asked[i] = scratch->path[i];
			__asm__("" : "+r"(i)); /* else it is a call of strcpy() */
		}
	__atomic_store_n(&is_read, true, __ATOMIC_RELEASE);
}

INJECT_SHARED __attribute__((used)) void wcm__inject_start(void);

/* By the object's _init(): an array of initializers would have to be relocated. */
void wcm__inject_start(void)
{
	struct scratch *const scratch = is_read ? NULL : wcm__map(sizeof(*scratch));

	if (scratch) {
		read_name(scratch);
		wcm__unmap(scratch, sizeof(*scratch));
	}
}

WCM_ARCH_INJECT_START(wcm__inject_start);

/* AGAIN: what was opened is gone.  The name must mean the same then, in any directory. */
static inject_place INJECT_PLAIN open_place(bool again)
{
	struct scratch *const scratch = wcm__map(sizeof(*scratch));
	const char *path = __inject_tracer_path;
	inject_place place = 0;

	if (scratch && !__atomic_load_n(&is_read, __ATOMIC_ACQUIRE))
		read_name(scratch);
	if (*asked)
		path = asked;
	if (scratch && *path && (!again || *path == '/'))
		place = open_file(&scratch->walk, path);
	if (scratch)
		wcm__unmap(scratch, sizeof(*scratch));
	return place || again ? place : stderr_now();
}

static inline bool is_still(inject_place place)
{
	if (place & 1)
		return place == stderr_now();
	return is_marked(inject_descriptor(place));
}

/* The place that takes that of BEFORE, which is closed or was none. */
static inject_place INJECT_PLAIN replace(inject_place before)
{
	const inject_place place = open_place(before != 0);
	inject_place now = before;

	if (place == 0 || place == before)
		return place;
	if (before && is_still(before)) /* another thread was faster, and has the same number */
		now = before;
	else if (__atomic_compare_exchange_n(&opened, &now, place, false, __ATOMIC_ACQ_REL,
					     __ATOMIC_ACQUIRE))
		return place;
	if (!(place & 1))
		wcm__close(inject_descriptor(place));
	return is_still(now) ? now : 0;
}

inject_place wcm__inject_place(void)
{
	const inject_place place = __atomic_load_n(&opened, __ATOMIC_ACQUIRE);

	if (place == 0)
		return replace(0);
	if (place != NOWHERE && is_still(place))
		return place;
	return place & 1 ? 0 : replace(place);
}
