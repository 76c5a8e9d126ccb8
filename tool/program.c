/* SPDX-License-Identifier: MIT */
/* program.c - which file is run, and does the dynamic linker serve it?
 *
 * What preloading cannot reach runs as if nothing had been asked for, so it is
 * found out here: ld.so(8), LD_PRELOAD and "secure-execution mode".
 */
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Whether PATH can be executed; errno tells what kind of no it is. */
static bool is_executable(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return false;
	if (S_ISREG(status.st_mode))
		return access(path, X_OK) == 0;
	errno = EACCES;
	return false;
}

static char *find_in(const char *directories, const char *name)
{
	int error = ENOENT;
	char *path;

	for (;;) {
		size_t length = strcspn(directories, ":");

		if (asprintf(&path, "%.*s%s%s", (int)length, directories,
			     length > 0 ? "/" : "", name) < 0)
			return NULL;
		if (is_executable(path))
			return path;
		/* A file that cannot be executed is told, unless another can. */
		if (errno == EACCES)
			error = EACCES;
		free(path);
		if (!directories[length])
			break;
		directories += length + 1;
	}
	errno = error;
	return NULL;
}

char *program_find(const char *name)
{
	const char *directories = getenv("PATH");

	if (!*name) {
		errno = ENOENT;
		return NULL;
	}
	if (strchr(name, '/'))
		return is_executable(name) ? strdup(name) : NULL;
	return find_in(directories ? directories : "/bin:/usr/bin", name);
}

static const char privileged[] = "it is set-user-ID or otherwise privileged";

static bool gains_privileges(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return false;
	if ((status.st_mode & S_ISUID) && status.st_uid != getuid())
		return true;
	if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) &&
	    status.st_gid != getgid())
		return true;
	return getuid() != 0 &&
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

static bool read_at(int fd, void *buffer, size_t size, off_t offset)
{
	return pread(fd, buffer, size, offset) == (ssize_t)size;
}

static bool has_interpreter(int fd, const ElfW(Ehdr) *header)
{
	ElfW(Phdr) segment;

	for (size_t i = 0; i < header->e_phnum; i++) {
		off_t place = (off_t)(header->e_phoff + i * header->e_phentsize);

		if (!read_at(fd, &segment, sizeof(segment), place))
			return true; /* not for us to say */
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static bool is_elf(const ElfW(Ehdr) *header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

static bool same_machine(const ElfW(Ehdr) *header, const char *library)
{
	ElfW(Ehdr) ours;
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	bool same = true;

	if (fd >= 0 && read_at(fd, &ours, sizeof(ours), 0))
		same = ours.e_ident[EI_CLASS] == header->e_ident[EI_CLASS] &&
		       ours.e_machine == header->e_machine;
	if (fd >= 0)
		close(fd);
	return same;
}

static const char *elf_refuses(int fd, const ElfW(Ehdr) *header,
			       const char *library)
{
	if (!same_machine(header, library))
		return "it is for another kind of machine than the library";
	if (!has_interpreter(fd, header))
		return "it is linked statically and loads no library";
	return NULL;
}

/* The interpreter that TEXT, the start of a script, names; NULL: none. */
static const char *interpreter(char *text)
{
	char *path;

	if (text[0] != '#' || text[1] != '!')
		return NULL;
	path = text + 2 + strspn(text + 2, " \t");
	path[strcspn(path, " \t\n")] = '\0';
	return *path ? path : NULL;
}

/* The same for one file; *NEXT is the interpreter in TEXT of a script. */
static const char *file_refuses(int fd, const char *path, const char *library,
				char *text, const char **next)
{
	ElfW(Ehdr) header;
	ssize_t size;

	*next = NULL;
	if (read_at(fd, &header, sizeof(header), 0) && is_elf(&header))
		return gains_privileges(path) ?
			       privileged :
			       elf_refuses(fd, &header, library);
	/* A script runs with no more privileges than its caller. */
	size = pread(fd, text, PATH_MAX, 0);
	text[size > 0 ? size : 0] = '\0';
	*next = interpreter(text);
	return NULL;
}

const char *program_refuses(const char *path, const char *library)
{
	enum { DEEPEST = 5 /* scripts whose interpreter is one: execve(2) */ };
	char text[PATH_MAX + 1];
	const char *why = NULL;

	for (int depth = 0; path && !why && depth < DEEPEST; depth++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		/* What may be run need not be readable. */
		if (fd < 0)
			return gains_privileges(path) ? privileged : NULL;
		why = file_refuses(fd, path, library, text, &path);
		close(fd);
	}
	return why;
}
