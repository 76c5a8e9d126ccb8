/* SPDX-License-Identifier: MIT */
/* launch.c - becomes another program, with one of our libraries preloaded. */
#include "launch/launch.h"

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
#include <whocallme.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/regular_file.h"
#include "format/agent_protocol.h"
#include "launch/tree_file.h"

/* What program_refuses() returns of a program that is linked statically, or set-user-ID. */
extern const char program_static[], program_privileged[];

/* Finds the file that a command's name leads to, and checks that ld.so
 * preloads into it.
 *
 * What preloading cannot reach runs as if nothing had been asked for, so it is
 * found out here: ld.so(8), LD_PRELOAD and "secure-execution mode". */

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

/* The path that execvp(3) would take for NAME, the caller's to free; NULL, with
 * errno, where there is none. */
static char *program_find(const char *name)
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
	"it is set-user-ID or otherwise privileged, and such a program ignores LD_PRELOAD";

/* Whether the program at PATH has privileges that its caller has not. */
static bool program_gains_privileges(const char *path)
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

/* The name of the program that ARGV has the dynamic linker at PATH run.  NULL if PATH is no dynamic
 * linker, or ARGV names no program. */
static const char *program_of_linker(const char *path, char *argv[])
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

/* Why LIBRARY cannot be preloaded into the program at PATH, in words, or NULL if
 * nothing speaks against it. */
static const char *program_refuses(const char *path, const char *library)
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

/* The interpreter for want of which the program at PATH, a script or not, cannot run,
 * the caller's to free, and in errno what speaks against it; NULL: that is not why. */
static char *program_bad_interpreter(const char *path)
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

static _Noreturn void out_of_memory(void)
{
	complain_of_memory();
	exit(EXIT_NOT_OURS);
}

void launch_set(const char *name, const char *value)
{
	if (setenv(name, value, 1) != 0)
		out_of_memory();
}

bool launch_set_option(const struct command_option *option, const char *value)
{
	if (option->variable)
		launch_set(option->variable, option->sets ? option->sets : value);
	if (option->takes == TAKES_WORD)
		return wcm__word_of(option->words, value, strlen(value)) >= 0;
	return option->takes != TAKES_WORDS || words_are(option->words, value);
}

bool launch_set_flight(const char *value)
{
	launch_set("WHOCALLME_FLIGHT", value ? value : "yes");
	return !value || (*value && strspn(value, "0123456789") == strlen(value) &&
			  strtoul(value, NULL, 10) - 1 < WCM_FLIGHT_MOST);
}

void launch_set_path(const char *name, const char *pattern)
{
	char here[PATH_MAX], made[3 * PATH_MAX], *to = made;

	if (pattern[0] == '/' || !getcwd(here, sizeof(here)) ||
	    strlen(pattern) >= PATH_MAX - 1) {
		launch_set(name, pattern);
		return;
	}
	for (const char *from = here; *from; from++) {
		*to++ = *from;
		if (*from == '%')
			*to++ = '%';
	}
	*to++ = '/';
	strcpy(to, pattern);
	launch_set(name, made);
}

/* The one that runs the program knows the library that it runs it with. */
static void set_default_helper(void)
{
	const char *asked = getenv("WHOCALLME_HELPER");
	char ours[PATH_MAX];

	if ((!asked || !*asked) && realpath("/proc/self/exe", ours))
		launch_set("WHOCALLME_HELPER", ours);
}

/* The library lies where launch_file() looks, unless the environment says otherwise. */
static bool find_library(const struct launch *how, char path[PATH_MAX])
{
	const char *asked = getenv(how->variable);
	char built[64];

	if (asked && *asked)
		return realpath(asked, path) != NULL;
	snprintf(built, sizeof(built), ".libs/%s", how->library);
	return launch_file(built, how->library, path);
}

static void preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char *list;

	if (asprintf(&list, "%s%s%s", library, others && *others ? ":" : "",
		     others ? others : "") < 0)
		out_of_memory();
	launch_set("LD_PRELOAD", list);
	free(list);
}

/* gcc's address sanitizer ends a program in which another library comes first; of ours
 * it has nothing to fear.  What the program runs may have it where the program has
 * not. */
static void calm_sanitizer(void)
{
	static const char option[] = "verify_asan_link_order=0";
	const char *others = getenv("ASAN_OPTIONS");
	char *list;

	if (others && strstr(others, "verify_asan_link_order"))
		return;
	if (asprintf(&list, "%s%s%s", others ? others : "",
		     others && *others ? ":" : "", option) < 0)
		out_of_memory();
	launch_set("ASAN_OPTIONS", list);
	free(list);
}

static int refuse(const char *path, const char *with, const char *why, int status)
{
	complain("%s cannot be run with %s: %s", path, with, why);
	return status;
}

/* Say why PATH, which is there, did not become NAME. */
static int complain_of_start(const char *name, const char *path)
{
	const int error = errno;
	char *interpreter = program_bad_interpreter(path);

	if (interpreter)
		complain("%s: its interpreter %s: %s", name, interpreter, strerror(errno));
	else
		complain("%s: %s", name, strerror(error));
	free(interpreter);
	return EXIT_NOT_RUN;
}

/* Become ARGV, whose file is at STARTED: it is the program, or the dynamic linker that is told
 * to run it, without any privileges of its own. */
static int become(char *argv[], const char *started, struct launch *how,
		  const char *library)
{
	const char *told = program_of_linker(started, argv);
	const char *path = told && access(told, R_OK) == 0 ? told : started;
	int status = EXIT_NOT_RUN;
	const char *also = how->refuses ? how->refuses(how, path, &status) : NULL;
	const char *why = how->is_linked ? NULL : program_refuses(path, library);

	if (why == program_static && how->if_static)
		why = how->if_static;
	if (why == program_privileged && path != started)
		why = NULL;
	if (how->is_linked && program_gains_privileges(started))
		why = "it is set-user-ID or otherwise privileged, and obeys nobody";
	if (why)
		return refuse(path, how->with, why, EXIT_NOT_RUN);
	if (also)
		return refuse(path, how->with, also, status);
	if (how->prepare && !how->prepare(path))
		return EXIT_NOT_OURS;
	if (!how->is_linked) {
		preload(library);
		calm_sanitizer();
	}
	set_default_helper();
	fflush(NULL);
	/* By its name, for a script without "#!" to be run by the shell. */
	execvp(argv[0], argv);
	return complain_of_start(argv[0], started);
}

static int run(char *argv[], struct launch *how, const char *library)
{
	char *path = program_find(argv[0]);
	int status;

	if (!path) {
		status = errno == ENOENT || errno == ENOTDIR ? EXIT_NOT_FOUND :
							       EXIT_NOT_RUN;
		complain("%s: %s", argv[0], strerror(errno));
		return status;
	}
	status = become(argv, path, how, library);
	free(path);
	return status;
}

int launch_options(const struct command *command, int argc, char *argv[],
		   bool (*apply)(void *to, int key, const char *value), int *status)
{
	const int program = options_read(command, argc, argv, apply, NULL, status);

	if (program == argc)
		*status = options_refuse("it needs a PROGRAM");
	return program < argc ? program : 0;
}

int launch(char *argv[], struct launch *how)
{
	char library[PATH_MAX];

	if (!find_library(how, library)) {
		complain("%s: not found; set %s to its path", how->library,
			 how->variable);
		return EXIT_NOT_OURS;
	}
	/* ld.so(8) takes both for separators. */
	if (strpbrk(library, ": ")) {
		complain("%s: its path has a colon or a space in it", library);
		return EXIT_NOT_OURS;
	}
	return run(argv, how, library);
}
