/* SPDX-License-Identifier: MIT */
/* record_dir.c - the directory of a recording.
 *
 * Programs that a recorded one executes join its recording, if their environment
 * says so; the next run of the same program has a recording of its own.  Which of
 * both it is, is told by a number in the environment, or else by the first process
 * of the recording being there.
 */
#include "trace/record_dir.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hook/recording.h"
#include "hook/ring.h"
#include "report/line.h"

enum { STAT_ROOM = 1024, START_FIELD = 22, ID_DIGITS = 16, IDS_ROOM = 64,
       LONGEST = PATH_MAX + NAME_MAX };

static const char marker[] = "whocallme", variable[] = "WHOCALLME_RECORDING";

static void make_path(char path[static LONGEST], const char *name)
{
	snprintf(path, LONGEST, "%s/%s", wcm__recording.directory, name);
}

FILE *wcm__record_dir_file(const char *name, const char *mode)
{
	char path[LONGEST];

	make_path(path, name);
	return fopen(path, mode);
}

bool wcm__record_dir_close(FILE *file)
{
	const bool written = !ferror(file);

	return fclose(file) == 0 && written;
}

void wcm__record_dir_remove(const char *name)
{
	char path[LONGEST];

	make_path(path, name);
	unlink(path);
}

static enum wcm_status refuse(const char *why)
{
	struct wcm_line line;

	wcm__line_init(&line, STDERR_FILENO);
	wcm__line_text(&line, "<whocallme>: cannot record to ");
	wcm__line_name(&line, wcm__recording.directory);
	wcm__line_text(&line, ": ");
	wcm__line_text(&line, why);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
	return WCM_EOPEN;
}

/* When the process PID was started, in ticks since the machine was; 0: it is not
 * there. */
static unsigned long long start_of(long pid)
{
	char path[IDS_ROOM], text[STAT_ROOM] = "", *field;
	unsigned long long start = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	field = strrchr(text, ')'); /* ends the second field, the name */
	for (int i = 2; field && i < START_FIELD; i++)
		field = strchr(field + 1, ' ');
	if (field)
		start = strtoull(field, NULL, 10);
	return start;
}

/* Whether the recording that is there is that of the run this process is of.  Who has
 * made the directory for the program may have left the marker in it. */
static bool is_ours(void)
{
	const char *expected = secure_getenv(variable);
	char id[ID_DIGITS + 1] = "";
	unsigned long long start = 0;
	long pid = 0;
	FILE *file = wcm__record_dir_file(marker, "re");

	if (!file)
		return false;
	if (fscanf(file, "%16s %ld %llu", id, &pid, &start) != 3)
		start = 0;
	fclose(file);
	return start != 0 && ((expected && strcmp(expected, id) == 0) ||
			      start_of(pid) == start);
}

static bool has_info(void)
{
	FILE *file = wcm__record_dir_file("info", "re");

	if (file)
		fclose(file);
	return file != NULL;
}

static void make_id(char id[ID_DIGITS + 1])
{
	unsigned long long random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = start_of(getpid()) << 32 ^ (unsigned)getpid();
	snprintf(id, ID_DIGITS + 1, "%016llx", random);
}

/* Where the environment has the program traced, it tells the programs that this
 * one executes whose recording to join. */
static bool mark(void)
{
	char id[ID_DIGITS + 1];
	FILE *file = wcm__record_dir_file(marker, "we");

	if (!file)
		return false;
	make_id(id);
	fprintf(file, "%s %ld %llu\n", id, (long)getpid(), start_of(getpid()));
	if (secure_getenv("WHOCALLME_TRACE"))
		setenv(variable, id, 1);
	return fclose(file) == 0;
}

/* Remove the recording PATH; what else there may be in it keeps it. */
static void remove_recording(const char *path)
{
	char name[2 * PATH_MAX];
	struct dirent *entry;
	DIR *directory;

	snprintf(name, sizeof(name), "%s/info", path);
	if (access(name, F_OK) != 0)
		return;
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		unlink(name);
	}
	if (directory)
		closedir(directory);
	rmdir(path);
}

static enum wcm_status move_away(void)
{
	char old[PATH_MAX + sizeof(".old")], info[PATH_MAX + sizeof("/info")];

	snprintf(info, sizeof(info), "%s/info", wcm__recording.directory);
	if (access(info, F_OK) != 0)
		return refuse("it is there, and no recording: name another");
	snprintf(old, sizeof(old), "%s.old", wcm__recording.directory);
	remove_recording(old);
	if (rename(wcm__recording.directory, old) != 0)
		return refuse("the recording that is there cannot be renamed");
	return mkdir(wcm__recording.directory, 0777) == 0 ?
		       WCM_OK :
		       refuse(strerror(errno));
}

/* NAME from the root, with the process for %p and a percent sign for %%. */
static bool set_path(const char *name)
{
	char *path = wcm__recording.directory;
	size_t length = 0, room = sizeof(wcm__recording.directory);

	if (*name != '/') {
		if (!getcwd(path, room - 1))
			return false;
		length = strlen(path);
		path[length++] = '/';
	}
	for (; *name && length < room - 1; name++) {
		if (name[0] == '%' && name[1] == 'p') {
			length += (size_t)snprintf(path + length, room - length,
						   "%ld", (long)getpid());
			name++;
		} else {
			name += name[0] == '%' && name[1] == '%';
			path[length++] = *name;
		}
	}
	if (length >= room - 1)
		return false;
	while (length > 1 && path[length - 1] == '/')
		length--;
	path[length] = '\0';
	return true;
}

enum wcm_status wcm__record_dir_open(const char *name, bool *joined)
{
	*joined = false;
	if (!set_path(name))
		return refuse("the name is too long");
	if (mkdir(wcm__recording.directory, 0777) != 0) {
		if (errno != EEXIST)
			return refuse(strerror(errno));
		if (is_ours()) {
			*joined = has_info();
			return WCM_OK;
		}
		if (rmdir(wcm__recording.directory) == 0 &&
		    mkdir(wcm__recording.directory, 0777) != 0)
			return refuse(strerror(errno));
		/* A link, a mount point and "." cannot be removed, empty or not. */
		else if ((errno == ENOTEMPTY || has_info()) && move_away() != WCM_OK)
			return WCM_EOPEN;
	}
	return mark() ? WCM_OK : refuse("no file can be made in it");
}

void wcm__record_dir_trim(void)
{
	DIR *directory = opendir(wcm__recording.directory);
	struct dirent *entry;
	char *end;

	while (directory && (entry = readdir(directory))) {
		long tid = strtol(entry->d_name, &end, 10);

		if (tid > 0 && strcmp(end, ".dat") == 0 &&
		    kill((pid_t)tid, 0) != 0 && errno == ESRCH)
			wcm__ring_trim((int)tid);
	}
	if (directory)
		closedir(directory);
}
