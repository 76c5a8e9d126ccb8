/* SPDX-License-Identifier: MIT */
/* graph_file.c (SAFE) - replaces the file of a graph as a whole, or not at all.
 *
 * The graph is written under another name and renamed when it is whole, so that nobody reads
 * half of one.  A device or a pipe is written to directly, and so is a file that is open from the
 * start, whose owner looks at its end.  The path is followed when the graph is written, and its
 * folder stays open until the file is renamed.
 *
 * A program may have another root directory by then, or may not make files in the folder any
 * more.  So the folder is kept open until the program gives up its rights: a folder outside of
 * its root directory would let out who takes it over then.  Before it does that, the file is
 * opened, and made if it is not there; no earlier, because nobody takes for a graph what is not
 * there.
 */
#include "trace/graph/graph_file.h"

#include <errno.h>
#include <string.h>

#include "core/os/file.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/output.h"
#include "core/os/self.h"
#include "crash/files/descriptor.h"
#include "crash/files/report_file.h"
#include "format/dot.h"
#include "trace/graph/graph_names.h"
#include "trace/engine/trace_stderr.h"

enum {
	LONGEST = sizeof(((struct wcm_graph_file *)0)->path),
};

static struct {
	char path[LONGEST];
	int owner; /* the process that has set it */
	uint64_t since;
	bool is_open;         /* by the descriptor */
	struct wcm_descriptor descriptor;
	bool is_taken;        /* another program's graph is there */
	uint32_t begun, done; /* files, by number */
} target;

/* A descriptor that the program may close, and what it is, to be known by. */
struct place {
	int fd;
	dev_t device;
	ino_t inode;
};

enum { NAME_ROOM = 256 };

static struct {
	struct place folder, file;
	struct place root;         /* without a descriptor */
	char name[NAME_ROOM];      /* of the graph in FOLDER, if links led there */
	char file_name[NAME_ROOM]; /* of FILE in FOLDER */
	int process;               /* that has FILE */
	bool made;                 /* it was made for this graph */
} kept = { .folder.fd = -1, .file.fd = -1 };

static bool is_place(const struct place *place, const struct stat *found)
{
	return found->st_dev == place->device && found->st_ino == place->inode;
}

static bool is_kept(const struct place *place, struct stat *found)
{
	return place->fd >= 0 && wcm__fstat(place->fd, found) == 0 && is_place(place, found);
}

static bool is_reserved(struct stat *found)
{
	return kept.process == wcm__process_id() && is_kept(&kept.file, found) &&
	       found->st_nlink > 0;
}

/* Have a copy of FD, or none where that is below 0, in the place of what is kept. */
static void keep(struct place *place, int fd)
{
	struct stat found;

	if (is_kept(place, &found))
		wcm__close(place->fd);
	place->fd = fd < 0 ? fd : wcm__output_away(fd);
	if (place->fd < 0 || wcm__fstat(place->fd, &found) != 0)
		return;
	place->device = found.st_dev;
	place->inode = found.st_ino;
}

static bool copy_name(char to[NAME_ROOM], const char *name)
{
	const size_t size = strlen(name) + 1;

	if (size > NAME_ROOM)
		return false;
	memcpy(to, name, size);
	return true;
}

static bool is_root_same(void)
{
	struct stat root;

	return wcm__fstatat(AT_FDCWD, "/", &root, 0) == 0 && is_place(&kept.root, &root);
}

void wcm__graph_file_keep(const struct wcm_path *where, bool open)
{
	struct stat root = { 0 };

	keep(&kept.file, -1);
	keep(&kept.folder, open && copy_name(kept.name, where->name) ? where->folder : -1);
	if (!where->links)
		kept.name[0] = '\0';
	wcm__fstatat(AT_FDCWD, "/", &root, 0);
	kept.root = (struct place){ -1, root.st_dev, root.st_ino };
}

bool wcm__graph_file_set(const char *path, uint64_t since)
{
	const size_t size = strlen(path) + 1;

	if (size > sizeof(target.path))
		return false;
	memcpy(target.path, path, size);
	target.owner = wcm__process_id();
	target.since = since;
	target.is_taken = target.is_open = false;
	return true;
}

bool wcm__graph_file_set_open(const char *path, int fd)
{
	if (!wcm__graph_file_set(path, 0))
		return false;
	keep(&kept.file, -1);
	keep(&kept.folder, -1);
	wcm__descriptor_note(&target.descriptor, fd);
	target.is_open = true;
	return true;
}

bool wcm__graph_file_is_ours(void)
{
	return target.owner == wcm__process_id();
}

/* Returns 0 or an errno. */
static int make_path(struct wcm_graph_file *file)
{
	struct wcm_words path;

	wcm__words_init(&path, file->path, sizeof(file->path));
	file->told = wcm__path_of_pattern(&path, target.path, false);
	if (!file->told && !wcm__graph_file_is_ours()) {
		wcm__words_byte(&path, '.');
		wcm__words_id(&path, wcm__process_id());
		file->told = true;
	}
	return wcm__words_finish(&path) ? 0 : ENAMETOOLONG;
}

/* Names next to the file's: one that no other file being written has, and one that no
 * other process' graph has. */
static int make_others(struct wcm_graph_file *file)
{
	struct wcm_words name;

	if (strlen(file->entry.name) + 2 * sizeof("-2147483648") >= sizeof(file->other))
		return ENAMETOOLONG;
	wcm__words_init(&name, file->apart, sizeof(file->apart));
	wcm__words_text(&name, file->entry.name);
	wcm__words_byte(&name, '.');
	wcm__words_id(&name, wcm__process_id());
	wcm__words_finish(&name);
	wcm__words_init(&name, file->other, sizeof(file->other));
	wcm__words_text(&name, file->apart);
	wcm__words_byte(&name, '-');
	wcm__words_id(&name, file->number);
	wcm__words_finish(&name);
	return 0;
}

/* Find the file in the folder that is kept.  Returns 0 or a negated errno. */
static int find_kept(struct wcm_graph_file *file)
{
	struct wcm_path *entry = &file->entry;
	const char *name = wcm__dot_base(file->path);
	int error;

	if (!is_kept(&kept.folder, &entry->around) || strlen(name) >= NAME_ROOM)
		return -ENOENT;
	if (!file->told && kept.name[0])
		name = kept.name;
	entry->folder = wcm__fcntl(kept.folder.fd, F_DUPFD_CLOEXEC, 0);
	if (entry->folder < 0)
		return entry->folder;
	entry->name = memcpy(entry->path, name, strlen(name) + 1);
	entry->magic = false;
	entry->links = 0;
	error = wcm__fstatat(entry->folder, name, &entry->found, AT_SYMLINK_NOFOLLOW);
	entry->is_there = error == 0;
	if (entry->is_there && S_ISLNK(entry->found.st_mode))
		error = -EXDEV;
	if (error == 0 || error == -ENOENT)
		return 0;
	wcm__path_leave(entry);
	return error;
}

/* Find the file by its path, if that leads where it did at the start.  Returns as above. */
static int find(struct wcm_graph_file *file)
{
	int error = -ENOENT;

	file->entry.folder = -1;
	if (is_root_same())
		error = wcm__path_find(&file->entry, file->path, true);
	if (error == 0 || error == -EXDEV)
		return error;
	return find_kept(file) == 0 ? 0 : error;
}

static int open_other(struct wcm_graph_file *file)
{
	if (make_others(file) != 0)
		return -ENAMETOOLONG;
	return wcm__openat_again(file->entry.folder, file->other,
				 O_WRONLY | O_CLOEXEC | O_NOCTTY | O_CREAT | O_EXCL | O_NOFOLLOW,
				 0644);
}

/* Returns a descriptor or a negated errno. */
static int open_file(struct wcm_graph_file *file)
{
	const struct wcm_path *entry = &file->entry;

	struct stat reserved;

	if (wcm__path_trap(entry))
		return -EXDEV;
	/* Who may make a file there may still not replace one. */
	if (entry->around.st_mode & S_ISVTX && is_reserved(&reserved))
		return -EPERM;
	file->renamed = !entry->is_there || S_ISREG(entry->found.st_mode);
	if (!file->renamed)
		return wcm__path_open(entry, O_WRONLY | O_APPEND, 0);
	file->mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	return open_other(file);
}

/* The program may have closed it, and another have the number, at any time: the copy is judged.
 * Returns a descriptor or a negated errno. */
static int begin_again(void)
{
	struct wcm_descriptor copy = target.descriptor;
	bool is_another;

	if (!wcm__graph_file_is_ours())
		return -EBADF;
	copy.fd = wcm__fcntl(copy.fd, F_DUPFD_CLOEXEC, copy.fd);
	if (copy.fd < 0)
		return copy.fd;
	is_another = wcm__descriptor_is_another(&copy);
	if (!is_another && wcm__lseek(copy.fd, 0, SEEK_SET) >= 0 &&
	    wcm__ftruncate(copy.fd, 0) >= 0)
		return copy.fd;
	wcm__close(copy.fd);
	return is_another ? -EBADF : -EIO;
}

/* Write to the file that was reserved, if there is one: to a copy of its descriptor, as above. */
static void open_reserved(struct wcm_graph_file *file)
{
	struct stat found;
	int fd;

	if (!is_reserved(&found))
		return;
	fd = wcm__fcntl(kept.file.fd, F_DUPFD_CLOEXEC, kept.file.fd);
	if (fd < 0)
		return;
	if (wcm__fstat(fd, &found) != 0 || !is_place(&kept.file, &found) ||
	    (found.st_size > 0 && wcm__ftruncate(fd, 0) != 0)) {
		wcm__close(fd);
		return;
	}
	if (file->renamed)
		wcm__mask_set(file->mask);
	file->renamed = false;
	file->fd = fd;
	file->error = 0;
}

/* What comes after an error is dropped. */
static void write_out(struct wcm_words *out)
{
	struct wcm_graph_file *file = (void *)out;
	const char *at = out->begin;

	while (at < out->at && !file->error) {
		long written = wcm__write(file->fd, at, (size_t)(out->at - at));

		if (written == -EINTR)
			continue;
		if (written <= 0) {
			file->error = written < 0 ? (int)-written : EIO;
			break;
		}
		at += written;
	}
	out->at = out->begin;
}

void wcm__graph_file_open(struct wcm_graph_file *file)
{
	file->fd = -1;
	wcm__words_init(&file->out, file->buffer, sizeof(file->buffer));
	file->out.full = write_out;
	file->renamed = file->is_empty = false;
	file->entry.folder = -1;
	file->number = __atomic_add_fetch(&target.begun, 1, __ATOMIC_RELAXED);
	file->error = make_path(file);
	if (!file->error && target.is_open) {
		file->fd = begin_again();
		file->error = file->fd < 0 ? -file->fd : 0;
		return;
	}
	if (!file->error)
		file->error = -find(file);
	if (!file->error)
		file->fd = open_file(file);
	if (!file->error && file->fd < 0)
		file->error = -file->fd;
	if (file->error)
		open_reserved(file);
}

static bool is_first(void)
{
	return __atomic_load_n(&target.done, __ATOMIC_RELAXED) == 0;
}

/* One that was begun later has what this one has, and more. */
static bool is_outdated(uint32_t number)
{
	uint32_t done = __atomic_load_n(&target.done, __ATOMIC_RELAXED);

	do
		if ((int32_t)(done - number) > 0)
			return true;
	while (!__atomic_compare_exchange_n(&target.done, &done, number, true,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	return false;
}

/* Whether the file that was found is of an earlier trace, or was made for this graph. */
static bool is_stale(const struct wcm_graph_file *file)
{
	const struct timespec *last = &file->entry.found.st_mtim;
	struct stat reserved;

	if (file->entry.is_there && is_reserved(&reserved) &&
	    is_place(&kept.file, &file->entry.found))
		return true;
	return file->entry.is_there &&
	       (uint64_t)last->tv_sec * 1000000000 + (uint64_t)last->tv_nsec <
		       target.since;
}

static long remove_other(const struct wcm_graph_file *file)
{
	return wcm__unlinkat(file->entry.folder, file->other, 0);
}

/* The first graph of a program does not replace that of another one of its trace. */
static long rename_it(const struct wcm_graph_file *file, bool first)
{
	const char *name = file->entry.name;

	if (first && !file->told && target.since != 0 && !is_stale(file)) {
		const int result = wcm__rename_new_in(file->entry.folder, file->other, name);

		if (result == 0)
			return 0;
		target.is_taken = result == -EEXIST;
	}
	if (!file->told && target.is_taken) {
		if (file->is_empty)
			return remove_other(file);
		name = file->apart;
	}
	return wcm__rename_in(file->entry.folder, file->other, name);
}

static void take_over(struct wcm_graph_file *file)
{
	const bool first = is_first();
	long result = 0;

	if (!file->error && !is_outdated(file->number)) {
		result = rename_it(file, first);
		if (result == 0)
			return;
		file->error = (int)-result;
	}
	remove_other(file);
}

/* The file that was made for the graph is of no use. */
static void remove_reserved(const struct wcm_graph_file *file)
{
	const int folder = file->entry.folder;
	struct stat reserved, found;

	if (kept.made && is_reserved(&reserved) && reserved.st_size == 0 &&
	    wcm__fstatat(folder, kept.file_name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
	    is_place(&kept.file, &found))
		wcm__unlinkat(folder, kept.file_name, 0);
}

bool wcm__graph_file_close(struct wcm_graph_file *file)
{
	long result;

	if (file->fd >= 0) {
		write_out(&file->out);
		result = wcm__close(file->fd);
		if (result < 0 && result != -EINTR && !file->error)
			file->error = (int)-result;
		if (file->renamed)
			take_over(file);
	}
	if (file->renamed)
		wcm__mask_set(file->mask);
	remove_reserved(file);
	wcm__path_leave(&file->entry);
	if (file->error)
		wcm__crash_file_complain(wcm__trace_stderr(), file->path,
					 -file->error);
	return !file->error;
}

/* In a folder for all the next user can make the file, and could not remove it; but for a folder
 * that can be reached no more. */
static bool can_be_made_later(const struct wcm_path *entry, enum wcm_gives_up what)
{
	return what == WCM_GIVES_UP_USER && entry->around.st_mode & S_IWOTH && is_root_same();
}

/* Open what is there, or make it; beside the graph of another program of this trace. */
static void reserve(struct wcm_graph_file *file, enum wcm_gives_up what)
{
	struct wcm_path *entry = &file->entry;
	bool make = !entry->is_there;
	int fd;

	if (entry->is_there && S_ISREG(entry->found.st_mode) && is_first() && !file->told &&
	    target.since != 0 && !is_stale(file)) {
		if (make_others(file) != 0)
			return;
		target.is_taken = make = true;
		entry->name = file->apart;
	}
	if (!copy_name(kept.file_name, entry->name) || (make && can_be_made_later(entry, what)))
		return;
	fd = wcm__path_open(entry,
			    O_WRONLY | O_APPEND | (make ? O_CREAT | O_EXCL : O_NONBLOCK), 0644);
	if (fd >= 0 && !wcm__path_trap_opened(entry, fd)) {
		keep(&kept.file, fd);
		wcm__fcntl(fd, F_SETFL, O_APPEND | WCM_OPEN_LARGE);
		kept.process = wcm__process_id();
		kept.made = make;
	}
	if (fd >= 0)
		wcm__close(fd);
}

/* Have WORK be done, one thread at a time, with the file as it is found now. */
static void with_found(void (*work)(struct wcm_graph_file *file, enum wcm_gives_up what),
		       enum wcm_gives_up what)
{
	static bool is_busy;
	struct wcm_graph_file *file;

	if (__atomic_exchange_n(&is_busy, true, __ATOMIC_ACQUIRE))
		return;
	file = wcm__map(sizeof(*file));
	if (file && make_path(file) == 0 && find(file) == 0) {
		if (!wcm__path_trap(&file->entry))
			work(file, what);
		wcm__path_leave(&file->entry);
	}
	if (file)
		wcm__unmap(file, sizeof(*file));
	__atomic_store_n(&is_busy, false, __ATOMIC_RELEASE);
}

void wcm__graph_file_reserve(enum wcm_gives_up what)
{
	struct stat found;

	if (!target.is_open && !is_reserved(&found) &&
	    (what != WCM_GIVES_UP_PATHS || !is_kept(&kept.folder, &found)))
		with_found(reserve, what);
}

static void unreserve(struct wcm_graph_file *file, enum wcm_gives_up what)
{
	(void)what;
	remove_reserved(file);
}

void wcm__graph_file_unreserve(void)
{
	struct stat found;

	if (is_reserved(&found))
		with_found(unreserve, WCM_GIVES_UP_USER);
}

/* In a child what is known of it stays: the parent of a child by vfork(2) has it open still. */
void wcm__graph_file_release(void)
{
	struct stat found;

	if (is_kept(&kept.folder, &found))
		wcm__close(kept.folder.fd);
	if (wcm__graph_file_is_ours())
		kept.folder.fd = -1;
}
