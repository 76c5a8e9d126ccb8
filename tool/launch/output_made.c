/* SPDX-License-Identifier: MIT */
/* output_made.c - makes what a process that runs is to write to.
 *
 * It is handed over, so that the process writes nowhere that this command cannot.
 */
#include "launch/output_made.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "format/path.h"
#include "format/proof.h"
#include "launch/output_path.h"

/* The path of ENTRY, as a pattern. */
static char *as_pattern(const struct wcm_path *entry)
{
	char *pattern = NULL;
	size_t size;
	FILE *out = open_memstream(&pattern, &size);

	for (const char *at = entry->path; out && *at; at++) {
		putc(*at, out);
		if (*at == '%')
			putc('%', out);
	}
	if (out && fclose(out) == 0)
		return pattern;
	complain_of_memory();
	return NULL;
}

static bool make_other(struct output_made *made, const struct wcm_path *entry)
{
	enum { FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };

	snprintf(made->other, sizeof(made->other), ".whocallme-%ld", (long)getpid());
	made->folder = fcntl(entry->folder, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (made->folder >= 0)
		made->file = openat(made->folder, made->other, FLAGS, 0644);
	return made->file >= 0 || output_refuse(entry->path, strerror(errno));
}

bool output_make_file(struct output_made *made, const char *pattern)
{
	char *path = output_expand(pattern, "");
	struct wcm_path entry;
	bool done;

	*made = (struct output_made){ .folder = -1, .file = -1 };
	done = path && output_find(&entry, path, true);
	free(path);
	if (!done)
		return false;
	made->path = as_pattern(&entry);
	done = made->path && make_other(made, &entry);
	wcm__path_leave(&entry);
	return done;
}

/* Whether FILE ends with END. */
static bool is_whole(int file, const char *end)
{
	char last[16];
	const size_t size = strlen(end);
	struct stat found;

	return fstat(file, &found) == 0 && size <= sizeof(last) && found.st_size > (off_t)size &&
	       pread(file, last, size, found.st_size - (off_t)size) == (ssize_t)size &&
	       memcmp(last, end, size) == 0;
}

bool output_replace(const struct output_made *made, const char *end)
{
	char *path = output_expand(made->path, "");
	const char *name = path ? strrchr(path, '/') + 1 : NULL;
	bool done;

	if (!path)
		return false;
	if (!is_whole(made->file, end))
		done = output_refuse(path, "the process has not written the whole of it");
	else
		done = renameat(made->folder, made->other, made->folder, name) == 0 ||
		       output_refuse(path, strerror(errno));
	free(path);
	return done;
}

/* Make the folder ITSELF anew. */
static bool make_folder(struct output_made *made, const struct wcm_path *itself)
{
	made->is_new = mkdirat(itself->folder, itself->name, 0755) == 0;
	return made->is_new || output_refuse(itself->path, strerror(errno));
}

/* Have the folder that is there, ITSELF or where that leads to, ENTRY, be an empty one, as the
 * library does for a program (record_dir.c). */
static bool clear(struct output_made *made, const struct wcm_path *itself,
		  const struct wcm_path *entry, bool replace)
{
	const struct stat *found = &entry->found;
	const int fd = wcm__path_open(entry, O_RDONLY | O_DIRECTORY, 0);
	const bool is_empty = fd >= 0 && wcm__proof_is_empty(fd);
	struct wcm_obstacle obstacle;

	if (fd < 0)
		return output_refuse(itself->path, strerror(-fd));
	close(fd);
	if (!is_empty) {
		obstacle = wcm__proof_make_room(itself->folder, itself->name, replace);
		return obstacle.why ? output_refuse(itself->path, obstacle.why) :
				      make_folder(made, itself);
	}
	/* A link, a mount point and "." cannot be removed, empty or not. */
	if (found->st_uid == geteuid() && (found->st_mode & (S_IWGRP | S_IWOTH)) &&
	    unlinkat(itself->folder, itself->name, AT_REMOVEDIR) == 0)
		return make_folder(made, itself);
	return true;
}

/* The process writes to the folder with the rights of its own user. */
static bool give_to(const struct output_made *made, long user)
{
	return user < 0 || user == (long)geteuid() || !made->is_new ||
	       (fchown(made->folder, (uid_t)user, (gid_t)-1) == 0 &&
		fchown(made->file, (uid_t)user, (gid_t)-1) == 0);
}

/* Who may write to the folder around may have put one in the place of that which was made: what is
 * given away has nothing in it. */
static bool mark(struct output_made *made, const struct wcm_path *entry, long user)
{
	enum { FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };

	made->path = as_pattern(entry);
	made->folder = wcm__path_open(entry, O_RDONLY | O_DIRECTORY, 0);
	if (made->folder >= 0 && made->is_new && !wcm__proof_is_empty(made->folder))
		return output_refuse(entry->path, "another folder has taken its place");
	if (made->folder >= 0)
		made->file = openat(made->folder, WCM_MARKER, FLAGS, 0600);
	return made->path && ((made->file >= 0 && give_to(made, user)) ||
			      output_refuse(entry->path, strerror(errno)));
}

/* PATH has no slash at its end. */
static bool make_recording(struct output_made *made, const char *path, bool replace, long user)
{
	struct wcm_path itself, entry;
	bool done = output_find(&itself, path, false);

	if (!done)
		return false;
	if (!itself.is_there)
		done = make_folder(made, &itself);
	else if ((done = output_find(&entry, path, true))) {
		done = clear(made, &itself, &entry, replace);
		wcm__path_leave(&entry);
	}
	wcm__path_leave(&itself);
	if (!done || !output_find(&entry, path, true))
		return false;
	done = mark(made, &entry, user);
	wcm__path_leave(&entry);
	return done;
}

bool output_make_recording(struct output_made *made, const char *pattern, bool replace, long user)
{
	char *path = output_expand(pattern, "");
	bool done;

	*made = (struct output_made){ .folder = -1, .file = -1 };
	if (!path)
		return false;
	for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
		path[end - 1] = '\0';
	done = make_recording(made, path, replace, user);
	free(path);
	return done;
}

void output_leave_made(struct output_made *made, bool used)
{
	const bool is_file = made->other[0];
	char *path = made->path && !used && made->is_new ? output_expand(made->path, "") : NULL;

	if (made->file >= 0 && !used)
		unlinkat(made->folder, is_file ? made->other : WCM_MARKER, 0);
	if (path)
		rmdir(path);
	if (made->file >= 0)
		close(made->file);
	if (made->folder >= 0)
		close(made->folder);
	free(path);
	free(made->path);
}
