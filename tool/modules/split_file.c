/* SPDX-License-Identifier: MIT */
/* split_file.c - finds the file with the other half of a unit of split debug data. */
#include "modules/split_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/absolute.h"
#include "modules/abbrevs.h"
#include "modules/build_id.h"
#include "modules/debug_bytes.h"
#include "modules/linked_file.h"
#include "modules/trust.h"

enum { MOST_PLACES = 16 };

struct places {
	char *path[MOST_PLACES];
	size_t count;
};

/* PATH is taken. */
static void add_place(struct places *places, char *path)
{
	bool known = !path || *path != '/' || places->count == MOST_PLACES;

	for (size_t i = 0; i < places->count && !known; i++)
		known = strcmp(places->path[i], path) == 0;
	if (known)
		free(path);
	else
		places->path[places->count++] = path;
}

/* FOLDER/INNER/NAME, each but the last perhaps NULL. */
static char *join(const char *folder, const char *inner, const char *name)
{
	char *path;

	if (asprintf(&path, "%s%s%s%s%s", folder ? folder : "", folder ? "/" : "",
		     inner ? inner : "", inner ? "/" : "", name) < 0)
		return NULL;
	return path;
}

/* Where the compiler has put it, or would have if its folder were the program's; and beside the
 * program, where a tree was moved. */
static void find_places(struct places *places, const char *home,
			const struct split_wanted *wanted)
{
	const char *slash = strrchr(wanted->name, '/'), *folder = wanted->folder;

	if (*wanted->name == '/') {
		add_place(places, strdup(wanted->name));
	} else {
		if (home)
			add_place(places, join(home, NULL, wanted->name));
		if (folder)
			add_place(places, *folder == '/' ? join(folder, NULL, wanted->name) :
					  home ? join(home, folder, wanted->name) : NULL);
	}
	if (home && slash)
		add_place(places, join(home, NULL, slash + 1));
}

/* Whether debug data of the name is not of the other half. */
static bool is_other_half(const char *name)
{
	const size_t length = name ? strlen(name) : 0;

	return length > 4 && (strncmp(name, ".debug_", 7) == 0 ||
			      strncmp(name, ".zdebug_", 8) == 0) &&
	       strcmp(name + length - 4, ".dwo") != 0;
}

/* The same file as FD, in memory. */
static int copy_of(int fd)
{
	const int copy = memfd_create("whocallme-split", MFD_CLOEXEC);
	char bytes[65536];
	ssize_t count;
	off_t at = 0;

	for (; copy >= 0 && (count = pread(fd, bytes, sizeof(bytes), at)) > 0; at += count)
		if (pwrite(copy, bytes, (size_t)count, at) != count) {
			close(copy);
			return -1;
		}
	return copy;
}

/* Have the section INDEX of the file FD, as ELF has it, have no name, by which libdw would know
 * it: names begin with an empty one (gABI, "String Table"). */
static bool drop_section(int fd, Elf *elf, size_t index)
{
	const uint32_t none = 0;
	GElf_Ehdr head;

	/* sh_name is the first field of either class. */
	errno = EIO; /* of what is written in part, or is no header */
	return gelf_getehdr(elf, &head) &&
	       pwrite(fd, &none, sizeof(none),
		      (off_t)(head.e_shoff + index * head.e_shentsize)) == sizeof(none);
}

/* The next section of FILE behind SECTION that the linked half has; NULL: there is none. */
static Elf_Scn *next_of_first_half(const struct elf_file *file, Elf_Scn *section)
{
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    is_other_half(elf_strptr(file->elf, names, header.sh_name)))
			return section;
	return NULL;
}

/* An object file has both halves of its unit, of which libdw would read the one that is not
 * linked: a copy of FILE has the other alone.  Returns a descriptor. */
static int without_first_half(const struct elf_file *file)
{
	enum { LARGEST = 1 << 30 };
	const bool is_small = lseek(file->fd, 0, SEEK_END) <= LARGEST;
	const int copy = is_small ? copy_of(file->fd) : -1;
	Elf_Scn *section = NULL;

	if (!is_small)
		errno = EFBIG;
	while (copy >= 0 && (section = next_of_first_half(file, section)))
		if (!drop_section(copy, file->elf, elf_ndxscn(section))) {
			close(copy);
			return -1;
		}
	return copy;
}

/* Whether the file FD has the half with that ID.  Else *FAULT says why none of its is looked at;
 * NULL: it has none of that ID. */
static bool has_half(int fd, uint64_t id, const char **fault)
{
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	Dwarf_CU *unit = NULL;
	bool found = false;
	uint64_t its;
	uint8_t type;

	*fault = !dwarf ? NULL :
		 linked_further(dwarf_getelf(dwarf)) ? "it names another file in its turn" :
		 !abbrevs_are_fit(dwarf) ? "its units share too many abbreviations" : NULL;
	while (dwarf && !*fault && !found &&
	       dwarf_get_units(dwarf, unit, &unit, NULL, &type, NULL, NULL) == 0)
		found = type == DW_UT_split_compile &&
			dwarf_cu_info(unit, NULL, NULL, NULL, NULL, &its, NULL, NULL) == 0 &&
			its == id;
	dwarf_end(dwarf);
	return found;
}

/* FAULT, of what is at PATH; NULL: it has no half of that ID. */
static void add_why(char **why, const char *path, const char *fault, uint64_t id)
{
	char no_half[64], *all;

	snprintf(no_half, sizeof(no_half), "it has no unit of the id %016" PRIx64, id);
	if (asprintf(&all, "%s%s%s: %s", *why ? *why : "", *why ? "; " : "", path,
		     fault ? fault : no_half) < 0)
		return;
	free(*why);
	*why = all;
}

/* FD, if that has the half with that ID, or -1. */
static int if_half(int fd, uint64_t id, const char **fault)
{
	if (fd < 0 || has_half(fd, id, fault))
		return fd;
	close(fd);
	return -1;
}

/* The file at PATH as libdw can read it, if it is WANTED, or -1. */
static int open_place(const char *path, uid_t owner, const struct split_wanted *wanted,
		      char **why)
{
	const char *fault = distrust_path(path, owner);
	struct elf_file file;
	int fd = -1;

	if (!fault && elf_file_open(&file, path)) {
		fd = next_of_first_half(&file, NULL) ? without_first_half(&file) :
						       fcntl(file.fd, F_DUPFD_CLOEXEC, 0);
		fault = fd < 0 ? strerror(errno) : NULL;
		fd = if_half(fd, wanted->id, &fault);
		if (fd < 0 && !fault)
			fault = zstd_lack(file.elf);
		elf_file_close(&file);
	} else if (!fault) {
		fault = errno ? strerror(errno) : "it is not an ELF file";
	}
	if (fd < 0)
		add_why(why, path, fault, wanted->id);
	return fd;
}

/* FOLDER/NAME.dwp, for the LENGTH bytes of FOLDER, which may be one that was given by a relative
 * name. */
static char *package_in(const char *folder, size_t length, const char *name)
{
	char room[WCM_PATH_ROOM], *path;
	const char *absolute = NULL;

	if (asprintf(&path, "%.*s/%s.dwp", (int)length, folder, name) < 0)
		return NULL;
	absolute = absolute_path(path, room);
	if (absolute == path)
		return path;
	free(path);
	return absolute ? strdup(absolute) : NULL;
}

static const char *last_part(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* As gdb does, and by the whole path below a folder of debug files. */
static void find_packages(struct places *places, const struct split_home *home)
{
	const char *program = home->program, *data = home->data;
	size_t length;

	if (!program || *program != '/')
		return;
	if (home->folder)
		add_place(places, package_in(home->folder, strlen(home->folder),
					     last_part(program)));
	add_place(places, package_in("", 0, program + 1));
	if (data && *data == '/')
		add_place(places, package_in("", 0, data + 1));
	for (const char *folder = home->folders; folder && *folder; folder += length) {
		folder += strspn(folder, ":");
		length = strcspn(folder, ":");
		if (length == 0)
			break;
		add_place(places, package_in(folder, length, program + 1));
		add_place(places, package_in(folder, length, last_part(program)));
	}
}

/* The first that is there counts, whatever is wrong with it, as with a debug file's name.  One that
 * nobody may look for is not known to be there: others are looked for, and it is said. */
static void find_package(struct split_home *home)
{
	struct places places = { .count = 0 };
	size_t found = 0;
	bool is_over = false;

	home->is_sought = true;
	find_packages(&places, home);
	for (size_t i = 0; i < places.count && !is_over; i++) {
		const char *fault;

		home->package = split_package_open(places.path[i], home->owner, &fault);
		is_over = home->package || (fault && errno != EACCES);
		if (is_over || (fault && !home->package_fault)) {
			found = i;
			home->package_fault = fault;
		}
	}
	if (!home->package && !home->package_fault)
		home->package_fault = places.count == 1 ? strerror(ENOENT) :
			"No such file or directory, nor where else it is looked for";
	for (size_t i = 0; i < places.count; i++)
		if (i != found)
			free(places.path[i]);
	home->package_path = places.count > 0 ? places.path[found] : NULL;
}

static int open_in_package(struct split_home *home, const struct split_wanted *wanted, char **why)
{
	const char *fault;
	int fd;

	if (!home->is_sought)
		find_package(home);
	if (!home->package) {
		if (home->package_path)
			add_why(why, home->package_path, home->package_fault, wanted->id);
		return -1;
	}
	fd = if_half(split_package_half(home->package, wanted->id, &fault), wanted->id, &fault);
	if (fd < 0)
		add_why(why, home->package_path, fault, wanted->id);
	return fd;
}

void split_home_close(struct split_home *home)
{
	split_package_close(home->package);
	free(home->package_path);
	home->package = NULL;
	home->package_path = NULL;
}

int split_file_open(struct split_home *home, const struct split_wanted *wanted, char **path,
		    char **why)
{
	struct places places = { .count = 0 };
	int fd = -1;

	*path = *why = NULL;
	find_places(&places, home->folder, wanted);
	for (size_t i = 0; i < places.count; i++) {
		if (fd < 0)
			fd = open_place(places.path[i], home->owner, wanted, why);
		if (fd >= 0 && !*path)
			*path = places.path[i];
		else
			free(places.path[i]);
	}
	if (fd < 0 && (fd = open_in_package(home, wanted, why)) >= 0)
		*path = strdup(home->package_path);
	if (fd >= 0) {
		free(*why);
		*why = NULL;
	}
	return fd;
}
