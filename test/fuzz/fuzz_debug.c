/* SPDX-License-Identifier: MIT */
/* fuzz_debug.c - any debug data, in any of the files that have it, to the command's
 * resolver (elfutils) and to the library's loader (BFD).
 *
 * Programs come from debug_seeds, with .dwo files, with what dwz moved out, with debug
 * files by .gnu_debuglink or build-id, with .gnu_debugdata.  One or more of a program's
 * files are damaged, and some of its addresses are asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <whocallme.h>

#include "debug/binary.h"
#include "objects.h"

const char fuzz_name[] = "debug";

/* BFD loses the bytes of a .gnu_debuglink whose name has no end. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:bfd_get_full_section_contents\n";
}

enum { MOST_KINDS = 16, MOST_FILES = 4 };

/* A program and what it refers to: its own file is the last. */
static struct kind {
	struct object files[MOST_FILES];
	size_t count;
	uint64_t text, text_size;
} kinds[MOST_KINDS];
static size_t kind_count;

static void add_file(struct kind *kind, const char *path)
{
	if (kind->count < MOST_FILES)
		object_read(&kind->files[kind->count++], path);
}

static void read_kind(struct kind *kind, const char *dir)
{
	static const char *const names[] = { "a.dwo", "b.dwo", "common", "main.debug",
					     "main.mini", "main", NULL };
	const Elf64_Shdr *text;
	char path[512];

	for (const char *const *name = names; *name; name++) {
		snprintf(path, sizeof(path), "%s%s", dir, *name);
		if (access(path, R_OK) == 0)
			add_file(kind, path);
	}
	text = object_section(&kind->files[kind->count - 1].whole, ".text");
	if (!text)
		fuzz_fail("%s: no code", path);
	kind->text = text->sh_addr;
	kind->text_size = text->sh_size;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char command[1024];
	glob_t found;

	(void)argc, (void)argv;
	snprintf(command, sizeof(command), "mkdir -p %s/seeds && sh '%s' %s/seeds "
		 ">%s/log 2>&1", fuzz_dir(), SEEDS, fuzz_dir(), fuzz_dir());
	if (system(command) != 0)
		fuzz_fail("%s", command);
	snprintf(command, sizeof(command), "%s/seeds/*/", fuzz_dir());
	if (glob(command, 0, NULL, &found) != 0)
		fuzz_fail("no seeds");
	for (size_t i = 0; i < found.gl_pathc && kind_count < MOST_KINDS; i++)
		read_kind(&kinds[kind_count++], found.gl_pathv[i]);
	globfree(&found);
	return 0;
}

/* What a run that was not survived has left of the files. */
static void write_all(void)
{
	for (struct kind *kind = kinds; kind < kinds + kind_count; kind++)
		for (size_t i = 0; i < kind->count; i++) {
			kind->files[i].is_damaged = true;
			object_mend(&kind->files[i]);
		}
}

/* In the object MAIN, put SIZE bytes at the end of the section NAME. */
static void put_at_end(struct text *main, const char *name, const void *bytes, size_t size)
{
	const Elf64_Shdr *section = object_section(main, name);

	if (section && section->sh_size >= size)
		memcpy(main->bytes + section->sh_offset + section->sh_size - size, bytes,
		       size);
}

/* Have the program's file refer to its damaged debug file. */
static void link_debug_file(struct object *main, const struct object *debug,
			    struct choices *choices)
{
	const uint32_t sum = object_sum(&debug->now);

	if (!main->is_damaged) {
		text_clear(&main->now);
		text_put(&main->now, main->whole.bytes, main->whole.size);
		main->is_damaged = true;
	}
	if (debug->hole == 0 && !chance(choices, 8))
		put_at_end(&main->now, ".gnu_debuglink", &sum, sizeof(sum));
	object_write(main);
}

/* Make what was .gnu_debugdata's content the section's again, which moves to the end. */
static void pack(struct object *main, const struct object *inner)
{
	static uint8_t packed[1 << 16];
	size_t size = 0;
	Elf64_Shdr *section;

	if (!main->is_damaged) {
		text_clear(&main->now);
		text_put(&main->now, main->whole.bytes, main->whole.size);
		main->is_damaged = true;
	}
	section = object_section(&main->now, ".gnu_debugdata");
	if (!section || lzma_easy_buffer_encode(0, LZMA_CHECK_NONE, NULL,
						(const uint8_t *)inner->now.bytes,
						inner->now.size, packed, &size,
						sizeof(packed)) != LZMA_OK)
		return;
	section->sh_offset = main->now.size;
	section->sh_size = size;
	text_put(&main->now, packed, size);
	object_write(main);
}

/* Put something in the place of FILE that is none, or another of its kind. */
static void replace(struct kind *kind, struct object *file, struct choices *choices)
{
	unlink(file->path);
	file->is_damaged = true;
	switch (choose(choices, 4)) {
	case 0:
		if (mkfifo(file->path, 0600) != 0)
			fuzz_fail("%s: %s", file->path, strerror(errno));
		break;
	case 1:
		if (symlink("/dev/zero", file->path) != 0)
			fuzz_fail("%s: %s", file->path, strerror(errno));
		break;
	case 2:
		break;
	default:
		if (link(kind->files[choose(choices, kind->count)].path, file->path) != 0 &&
		    errno != ENOENT)
			fuzz_fail("%s: %s", file->path, strerror(errno));
	}
}

static void damage(struct kind *kind, struct choices *choices)
{
	struct object *main = &kind->files[kind->count - 1];
	struct object *first = &kind->files[choose(choices, kind->count)];

	object_damage(first, choices);
	if (chance(choices, 4))
		object_damage(&kind->files[choose(choices, kind->count)], choices);
	for (struct object *file = kind->files; file < main; file++) {
		if (file->is_damaged && strstr(file->path, "main.debug"))
			link_debug_file(main, file, choices);
		if (file->is_damaged && strstr(file->path, "main.mini"))
			pack(main, file);
	}
	if (chance(choices, 50))
		replace(kind, first, choices);
}

static volatile size_t sum;

static void read_text(const char *text)
{
	sum += text ? strlen(text) : 0;
}

static void resolve(const struct kind *kind, struct choices *choices)
{
	struct binaries *binaries = binaries_new("/nowhere", 2);
	struct binary *binary = binaries_open(
		binaries, kind->files[kind->count - 1].path, NULL, 0);
	struct locations locations = { 0 };

	for (size_t i = 2 + choose(choices, 6); i > 0; i--) {
		binary_find(binary, kind->text + choose(choices, kind->text_size), &locations);
		for (size_t j = 0; j < locations.count; j++) {
			read_text(locations.location[j].function);
			read_text(locations.location[j].file);
		}
	}
	read_text(binary_complaint(binary));
	read_text(binary_missing(binary));
	locations_free(&locations);
	binaries_free(binaries);
}

static void load(const struct kind *kind, struct choices *choices)
{
	struct wcm_functions *functions;
	struct wcm_function function;

	if (wcm_functions_load(&functions, kind->files[kind->count - 1].path) != WCM_OK)
		return;
	for (size_t i = wcm_functions_count(functions); i-- > 0;)
		read_text(wcm_functions_get(functions, i).name);
	for (size_t i = 0; i < 4; i++)
		if (wcm_functions_find(functions,
				       kind->text + choose(choices, kind->text_size),
				       &function))
			read_text(function.name);
	wcm_functions_free(functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool is_begun;
	struct choices choices = { data, data + size };
	struct kind *kind;

	if (!is_begun)
		write_all();
	is_begun = true;
	kind = &kinds[choose(&choices, kind_count)];
	damage(kind, &choices);
	if (chance(&choices, 3))
		load(kind, &choices);
	else
		resolve(kind, &choices);
	for (size_t i = 0; i < kind->count; i++)
		object_mend(&kind->files[i]);
	return 0;
}
