/* SPDX-License-Identifier: MIT */
/* program.c - finds the file that a command's name leads to, and checks that ld.so
 * preloads into it.
 *
 * What preloading cannot reach runs as if nothing had been asked for, so it is
 * found out here: ld.so(8), LD_PRELOAD and "secure-execution mode".
 */
#include "launch/program.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/regular_file.h"

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

const char program_privileged[] =
	"it is set-user-ID or otherwise privileged, and what is to be preloaded into such a "
	"program is ignored";

bool program_gains_privileges(const char *path)
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

/* The first segment of TYPE.  False: there is none; of size zero where that is not for us to
 * say. */
static bool find_segment(int fd, const ElfW(Ehdr) *header, uint32_t type, ElfW(Phdr) *segment)
{
	for (size_t i = 0; i < header->e_phnum; i++) {
		off_t offset = (off_t)(header->e_phoff + i * header->e_phentsize);

		if (!read_at(fd, segment, sizeof(*segment), offset)) {
			segment->p_filesz = 0;
			return true;
		}
		if (segment->p_type == type)
			return true;
	}
	return false;
}

/* The segment that names the dynamic linker. */
static bool find_interpreter(int fd, const ElfW(Ehdr) *header, ElfW(Phdr) *segment)
{
	return find_segment(fd, header, PT_INTERP, segment);
}

/* Whether it is a dynamic linker: it needs none, and has a name for the programs that do, which
 * a static program that can be moved has not. */
static bool is_linker(int fd, const ElfW(Ehdr) *header)
{
	ElfW(Phdr) segment;
	ElfW(Dyn) entry;

	if (header->e_type != ET_DYN || find_interpreter(fd, header, &segment) ||
	    !find_segment(fd, header, PT_DYNAMIC, &segment))
		return false;
	for (size_t at = 0; at < segment.p_filesz; at += sizeof(entry)) {
		if (!read_at(fd, &entry, sizeof(entry), (off_t)(segment.p_offset + at)) ||
		    entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag == DT_SONAME)
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
	int fd = regular_open(library, NULL);
	bool same = true;

	if (fd >= 0 && read_at(fd, &ours, sizeof(ours), 0))
		same = ours.e_ident[EI_CLASS] == header->e_ident[EI_CLASS] &&
		       ours.e_machine == header->e_machine;
	if (fd >= 0)
		close(fd);
	return same;
}

const char program_static[] = "it is linked statically and loads no library";

static const char *elf_refuses(int fd, const ElfW(Ehdr) *header,
			       const char *library)
{
	ElfW(Phdr) segment;

	if (!same_machine(header, library))
		return "it is for another kind of machine than the library";
	if (!find_interpreter(fd, header, &segment) && !is_linker(fd, header))
		return program_static;
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

/* The same of a program that is none. */
static char *elf_interpreter(int fd, const ElfW(Ehdr) *header, char *text)
{
	ElfW(Phdr) segment;

	if (!find_interpreter(fd, header, &segment) || segment.p_filesz == 0 ||
	    segment.p_filesz > PATH_MAX ||
	    !read_at(fd, text, segment.p_filesz, (off_t)segment.p_offset))
		return NULL;
	text[segment.p_filesz] = '\0';
	return text;
}

/* The start of the file FD, as much as TEXT holds. */
static char *read_text(int fd, char text[PATH_MAX + 1])
{
	ssize_t size = pread(fd, text, PATH_MAX, 0);

	text[size > 0 ? size : 0] = '\0';
	return text;
}

/* Why LIBRARY cannot be preloaded into one file; *NEXT is the interpreter in TEXT of a script. */
static const char *file_refuses(int fd, const char *path, const char *library,
				char *text, const char **next)
{
	ElfW(Ehdr) header;

	*next = NULL;
	if (read_at(fd, &header, sizeof(header), 0) && is_elf(&header))
		return program_gains_privileges(path) ?
			       program_privileged :
			       elf_refuses(fd, &header, library);
	/* A script runs with no more privileges than its caller. */
	*next = interpreter(read_text(fd, text));
	return NULL;
}

enum { DEEPEST = 5 /* scripts whose interpreter is one: execve(2) */ };

/* The options of dynamic linkers that take a value, in an argument of its own. */
static bool takes_value(const char *option)
{
	static const char *const known[] = {
		"--library-path", "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask",
		"--inhibit-rpath", "--audit", "--preload", "--argv0",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(option, known[i]) == 0)
			return true;
	return false;
}

const char *program_of_linker(const char *path, char *argv[])
{
	const int fd = regular_open(path, NULL);
	ElfW(Ehdr) header;
	bool links;

	if (fd < 0)
		return NULL;
	links = read_at(fd, &header, sizeof(header), 0) && is_elf(&header) &&
		is_linker(fd, &header);
	close(fd);
	if (!links)
		return NULL;
	for (argv++; *argv && strncmp(*argv, "--", 2) == 0; argv++) {
		if (takes_value(*argv) && argv[1])
			argv++;
		else if (!(*argv)[2])
			return argv[1];
	}
	return *argv;
}

const char *program_refuses(const char *path, const char *library)
{
	char text[PATH_MAX + 1];
	const char *why = NULL;

	for (int depth = 0; path && !why && depth < DEEPEST; depth++) {
		int fd = regular_open(path, NULL);

		/* What may be run need not be readable. */
		if (fd < 0)
			return program_gains_privileges(path) ? program_privileged : NULL;
		why = file_refuses(fd, path, library, text, &path);
		close(fd);
	}
	return why;
}

char *program_bad_interpreter(const char *path)
{
	char text[PATH_MAX + 1];

	for (int depth = 0; path && depth <= DEEPEST; depth++) {
		int fd = regular_open(path, NULL);
		ElfW(Ehdr) header;

		if (fd < 0)
			return NULL;
		path = read_at(fd, &header, sizeof(header), 0) && is_elf(&header) ?
			       elf_interpreter(fd, &header, text) :
			       interpreter(read_text(fd, text));
		close(fd);
		if (path && !is_executable(path))
			return strdup(path);
	}
	return NULL;
}
