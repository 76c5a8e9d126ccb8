/* SPDX-License-Identifier: MIT */
/* hooks.c - tells whether a program, or a library that it needs, has calls to be traced.
 *
 * Code built with -finstrument-functions refers to its hooks by name.  glibc has some that
 * do nothing, so that such a program links and runs without this library.  What was built
 * with sleds refers to nothing: the compiler has listed them, or functions are seen to have
 * them.
 */
#include "launch/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "modules/file_sleds.h"

extern char **environ;

/* What the symbols of a file say. */
struct seen {
	bool is_elf, has_symbols, has_sections;
	bool called, defined, ours;
	bool sleds, listed;
	char interpreter[PATH_MAX];
};

static void see_symbol(struct seen *seen, const GElf_Sym *symbol, const char *name)
{
	const bool undefined = symbol->st_shndx == SHN_UNDEF;

	if (strcmp(name, "__cyg_profile_func_enter") == 0) {
		seen->called |= undefined;
		seen->defined |= !undefined;
	}
	seen->ours |= !undefined && strcmp(name, "wcm_trace_start") == 0;
}

static void see_section(struct seen *seen, Elf *elf, Elf_Scn *section)
{
	Elf_Data *data;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!gelf_getshdr(section, &header) ||
	    (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) ||
	    !(data = elf_getdata(section, NULL)) || header.sh_entsize == 0)
		return;
	seen->has_symbols = true;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

		if (name)
			see_symbol(seen, &symbol, name);
	}
}

/* Whether a function of the symbol table in SECTION has one. */
static bool has_sled(struct file_sleds *sleds, Elf_Scn *section)
{
	Elf_Data *data;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!gelf_getshdr(section, &header) ||
	    (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) ||
	    !(data = elf_getdata(section, NULL)))
		return false;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++)
		if (symbol.st_shndx != SHN_UNDEF &&
		    GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    file_sleds_of(sleds, symbol.st_value, UINT64_MAX, 0).why == SLED_IS_THERE)
			return true;
	return false;
}

/* What is listed and in front of a function is none: it counts where there is no symbol. */
bool hooks_have_sleds(const struct elf_file *file, bool *listed)
{
	struct file_sleds sleds;
	Elf_Scn *section = NULL;
	bool found = false;

	if (file_sleds_read(&sleds, file) != NULL)
		return false;
	while (!found && (section = elf_nextscn(file->elf, section)))
		found = has_sled(&sleds, section);
	for (size_t i = 0; i < sleds.listed_count && !found; i++)
		found = !sleds.is_named[i] &&
			file_sleds_listed(&sleds, i).why == SLED_IS_THERE;
	*listed = sleds.is_listed;
	file_sleds_free(&sleds);
	return found;
}

static void see_interpreter(struct seen *seen, Elf *elf, int fd)
{
	GElf_Phdr segment;
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &segment) &&
		    segment.p_type == PT_INTERP &&
		    segment.p_filesz < sizeof(seen->interpreter) &&
		    pread(fd, seen->interpreter, segment.p_filesz,
			  (off_t)segment.p_offset) != (ssize_t)segment.p_filesz)
			seen->interpreter[0] = '\0';
}

static struct seen see_file(const char *path)
{
	struct seen seen = { 0 };
	struct elf_file file;

	if (!elf_file_open(&file, path))
		return seen;
	seen.is_elf = true;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(file.elf, section));) {
		seen.has_sections = true;
		see_section(&seen, file.elf, section);
	}
	if (!seen.called)
		seen.sleds = hooks_have_sleds(&file, &seen.listed);
	see_interpreter(&seen, file.elf, file.fd);
	elf_file_close(&file);
	return seen;
}

/* The library's path on LINE, "NAME => PATH (0xADDRESS)" or without NAME, which is changed; NULL:
 * there is none. */
static char *path_on(char *line)
{
	char *arrow = strstr(line, "=> "), *path = arrow ? arrow + 3 : line + strspn(line, " \t");
	char *end = strrchr(path, '(');

	if (!strchr(path, '/') || !end || end == path)
		return NULL;
	end[-1] = '\0';
	return path;
}

/* Have the dynamic linker at INTERPRETER list what the program at PATH needs.  Returns
 * the process, or -1. */
static pid_t list(char *interpreter, const char *path, int output)
{
	char option[] = "--list";
	char *arguments[] = { interpreter, option, (char *)path, NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
	error = posix_spawn(&child, interpreter, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error == 0 ? child : -1;
}

static void visit(char *interpreter, const char *path,
		  void (*tell)(const char *path, void *data), void *data)
{
	char line[2 * PATH_MAX], *library;
	FILE *output;
	pid_t child;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	child = list(interpreter, path, ends[1]);
	close(ends[1]);
	output = fdopen(ends[0], "r");
	while (output && fgets(line, sizeof(line), output))
		if ((library = path_on(line)))
			tell(library, data);
	if (output)
		fclose(output);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

void hooks_visit_libraries(const char *path, void (*tell)(const char *path, void *data),
			   void *data)
{
	struct seen seen = { 0 };
	struct elf_file file;

	if (!elf_file_open(&file, path))
		return;
	see_interpreter(&seen, file.elf, file.fd);
	elf_file_close(&file);
	if (seen.interpreter[0])
		visit(seen.interpreter, path, tell, data);
}

static void see_library(const char *path, void *data)
{
	const struct seen seen = see_file(path);

	*(bool *)data |= seen.called || seen.sleds;
}

static bool libraries_call(char *interpreter, const char *path)
{
	bool found = false;

	visit(interpreter, path, see_library, &found);
	return found;
}

enum hooks hooks_find(const char *path)
{
	struct seen seen = see_file(path);

	if (!seen.is_elf || (!seen.has_symbols && !seen.interpreter[0]))
		return HOOKS_UNKNOWN;
	if (seen.ours && (seen.defined || seen.called || seen.sleds))
		return HOOKS_LINKED;
	if (seen.called || seen.sleds)
		return seen.called || seen.listed ? HOOKS_CALLED : HOOKS_UNLISTED;
	if (seen.defined)
		return HOOKS_OWN;
	if (seen.interpreter[0] && libraries_call(seen.interpreter, path))
		return HOOKS_CALLED;
	if (!seen.has_sections)
		return HOOKS_UNSEEN;
	return seen.has_symbols ? HOOKS_NONE : HOOKS_UNKNOWN;
}
