/* SPDX-License-Identifier: MIT */
/* hand_over.c - hands prototypes over to the program that this command becomes, or to a process.
 *
 * The list is in memory that has a descriptor alone and that nobody can change: the program has it
 * open, and so have programs that it becomes.  Another process makes it, which damaged debug data
 * may take the time or the memory of, but not the trace.
 * The modules of a process that runs are the files that it has mapped: its program is not run, nor
 * what that names as its dynamic linker, for it may be somebody else's.
 */
#include "prototypes/hand_over.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/complain.h"
#include "format/sled_code.h"
#include "launch/hooks.h"
#include "launch/launch.h"

#define VARIABLE "WHOCALLME_PROTOTYPES"
#define DESCRIPTOR "/proc/self/fd/"

enum { MOST_SECONDS = 20, HIGH = 1000, PATH_ROOM = 64 };

/* What modules are listed by. */
struct making {
	FILE *list;
	struct enums *enums;
	const char *globs;
	struct wanted_names wanted;
};

static void list_module(const char *path, void *data)
{
	const struct making *making = data;

	prototypes_list(making->list, making->enums, path, making->globs, &making->wanted);
}

/* What elfutils takes for damaged data is not in proportion to the file. */
static void limit(void)
{
	const rlim_t pages = (rlim_t)sysconf(_SC_PHYS_PAGES), page = (rlim_t)sysconf(_SC_PAGESIZE);
	struct rlimit seconds = { MOST_SECONDS, MOST_SECONDS }, none = { 0, 0 }, memory;

	setrlimit(RLIMIT_CPU, &seconds);
	setrlimit(RLIMIT_CORE, &none);
	if (getrlimit(RLIMIT_DATA, &memory) == 0 && memory.rlim_cur > pages / 2 * page) {
		memory.rlim_cur = pages / 2 * page;
		setrlimit(RLIMIT_DATA, &memory);
	}
	/* A trace does not wait for the network. */
	unsetenv("DEBUGINFOD_URLS");
}

/* Whether what libraries are given is asked for, too. */
static bool calls_of_libraries(void)
{
	const char *globs = getenv("WHOCALLME_TRACE_LIBRARY_CALLS");

	return globs && *globs;
}

/* The file that LINE of /proc/PID/maps has code of, if it is still the one by that path.  Devices
 * are not compared: file systems in layers show others there. */
static bool read_code_path(const char *line, char path[static PATH_MAX])
{
	unsigned long long inode;
	struct stat found;
	char access[5];

	return sscanf(line, "%*s %4s %*s %*s %llu %4095[^\n]", access, &inode, path) == 3 &&
	       access[2] == 'x' && path[0] == '/' && stat(path, &found) == 0 &&
	       found.st_ino == inode;
}

/* List the files that process PID has code of: one piece each, nearly always. */
static void list_mapped(long pid, struct making *making)
{
	char name[PATH_ROOM], line[PATH_MAX + 128], path[PATH_MAX], last[PATH_MAX] = "";
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%ld/maps", pid);
	maps = fopen(name, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!read_code_path(line, path) || strcmp(path, last) == 0)
			continue;
		strcpy(last, path);
		list_module(path, making);
	}
}

/* The process that makes it, of the program at PATH, or of process PID if that is not 0. */
static _Noreturn void make(int fd, const char *path, long pid, const char *globs)
{
	struct making making = { .list = fdopen(fd, "w"), .globs = globs };
	struct elf_file program;

	limit();
	if (calls_of_libraries() && elf_file_open(&program, path))
		wanted_names_read(&making.wanted, &program); /* it stays open */
	making.enums = making.list ? enums_new(making.list) : NULL;
	if (!making.enums)
		_exit(1);
	if (pid) {
		list_mapped(pid, &making);
	} else {
		list_module(path, &making);
		hooks_visit_libraries(path, list_module, &making);
	}
	_exit(fclose(making.list) == 0 ? 0 : 1);
}

/* False: it did not come to an end. */
static bool make_apart(int fd, const char *path, long pid, const char *globs)
{
	struct sigaction before;
	pid_t child;

	fflush(NULL);
	child_expect(&before);
	child = fork();
	if (child == 0)
		make(fd, path, pid, globs);
	return child_succeeded(child, &before);
}

/* The program's own descriptors begin where they would without the list. */
static int move_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD, HIGH);

	if (moved < 0) {
		fcntl(fd, F_SETFD, 0); /* the program is to have it */
		return fd;
	}
	close(fd);
	return moved;
}

static void set_path(int fd)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), DESCRIPTOR "%d", fd);
	launch_set(VARIABLE, path);
}

/* A list that somebody else has made takes the place of ours. */
static bool is_given(void)
{
	const char *value = getenv(VARIABLE);

	if (value && strncmp(value, DESCRIPTOR, sizeof(DESCRIPTOR) - 1) != 0)
		return *value;
	unsetenv(VARIABLE);
	return false;
}

/* The list, sealed; -1: there is none. */
static int make_sealed(const char *path, long pid, const char *globs)
{
	const int fd = memfd_create("whocallme-prototypes", MFD_ALLOW_SEALING | MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!make_apart(fd, path, pid, globs)) {
		complain("%s: arguments of its functions are not known: its debug data is "
			 "damaged, or too large", path);
	} else if (lseek(fd, 0, SEEK_END) > 0) {
		fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
		return fd;
	}
	close(fd);
	return -1;
}

void prototypes_hand_over(const char *path, const char *globs)
{
	char whole[PATH_MAX];
	int fd;

	if (!wcm__sled_code_tells_values() || is_given() || !realpath(path, whole))
		return;
	fd = make_sealed(whole, 0, globs);
	if (fd >= 0)
		set_path(move_up(fd));
}

int prototypes_of_process(long pid, const char *globs)
{
	char exe[PATH_ROOM], path[PATH_MAX];
	ssize_t size;

	snprintf(exe, sizeof(exe), "/proc/%ld/exe", pid);
	size = readlink(exe, path, sizeof(path) - 1);
	if (!wcm__sled_code_tells_values() || size <= 0)
		return -1;
	path[size] = '\0';
	return make_sealed(path, pid, globs);
}
