/* SPDX-License-Identifier: MIT */
/* addresses.c - a file of addresses, as a recording.
 *
 * It becomes one in a temporary directory, in which everything happens at one time, so
 * that no time is shown.  An exit ends the calls above the latest one of that function; one
 * of a function that was not called is passed over.
 */
#include "addresses.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "debug/build_id.h"
#include "module_file.h"

enum {
	HEADER = 40, TASK = 1, MARK = 5, EXIT = 1, DEPTHS = 1024,
	RELATIVE = 1 << 5, /* as recording_info.c has it */
};

static const uint64_t when = 1000000000; /* all of it, in nanoseconds */
static const char *const parts[] = { "info", "task.txt", "sid-1.map", "1.dat" };

struct writer {
	FILE *part[sizeof(parts) / sizeof(*parts)];
	uint64_t *open; /* functions that were called and have not returned */
	size_t depth, room;
	char **modules;
	size_t module_count;
	bool failed;
};

static bool is_event(const char *line)
{
	return (*line == 'E' || *line == 'X') && strncmp(line + 1, "0x", 2) == 0;
}

bool addresses_are_in(const char *path)
{
	char begin[5] = "";
	struct stat status;
	FILE *file;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
	    !(file = fopen(path, "re")))
		return false;
	if (!fgets(begin, sizeof(begin), file))
		begin[0] = '\0';
	fclose(file);
	return is_event(begin) || strcmp(begin, "# 0x") == 0;
}

static void write_word(struct writer *writer, uint64_t word)
{
	fwrite(&word, sizeof(word), 1, writer->part[3]);
}

/* What libmcount of uftrace would have written. */
static void write_record(struct writer *writer, unsigned type, uint64_t address)
{
	write_word(writer, when);
	write_word(writer, type | MARK << 3 | (writer->depth % DEPTHS) << 6 |
			   address << 16);
}

static void enter(struct writer *writer, uint64_t address)
{
	if (writer->depth == writer->room) {
		size_t room = 2 * writer->room + 64;
		uint64_t *more = realloc(writer->open, room * sizeof(*more));

		if (!more) {
			writer->failed = true;
			return;
		}
		writer->open = more;
		writer->room = room;
	}
	write_record(writer, 0, address);
	writer->open[writer->depth++] = address;
}

static void leave(struct writer *writer, uint64_t address)
{
	size_t depth = writer->depth;

	while (depth > 0 && writer->open[depth - 1] != address)
		depth--;
	while (depth > 0 && writer->depth >= depth) {
		writer->depth--;
		write_record(writer, EXIT, writer->open[writer->depth]);
	}
}

static void add_module(struct writer *writer, uint64_t lo, uint64_t hi,
		       const char *path, const char *id)
{
	char *line = NULL, **more;

	if (asprintf(&line,
		     "%016" PRIx64 "-%016" PRIx64 " r-xp 00000000 00:00 0 %*s%s%s%s\n",
		     lo, hi, 25, "", path, *id ? " build-id:" : "", id) < 0) {
		writer->failed = true;
		return;
	}
	for (size_t i = 0; i < writer->module_count; i++)
		if (strcmp(writer->modules[i], line) == 0) {
			free(line);
			return;
		}
	more = realloc(writer->modules, (writer->module_count + 1) * sizeof(*more));
	if (!more) {
		free(line);
		writer->failed = true;
		return;
	}
	writer->modules = more;
	more[writer->module_count++] = line;
	/* The first function that is called is the program's. */
	if (writer->module_count == 1)
		fprintf(writer->part[1], "SESS timestamp=1.000000000 pid=%d sid=1 "
			"exename=\"%s\"\nTASK timestamp=1.000000000 tid=%d pid=%d\n",
			TASK, path, TASK, TASK);
}

/* "# 0xLO-0xHI bias 0xBIAS build-id ID PATH" */
static void take_module(struct writer *writer, const char *line)
{
	uint64_t lo, hi;
	char id[129];
	int path = 0;

	if (sscanf(line, "# %" SCNx64 "-%" SCNx64 " bias %*x build-id %128s %n", &lo, &hi,
		   id, &path) == 3 && line[path])
		add_module(writer, lo, hi, line + path, strcmp(id, "none") ? id : "");
}

static void take_line(struct writer *writer, char *line)
{
	uint64_t address;

	line[strcspn(line, "\r\n")] = '\0';
	if (*line == '#')
		take_module(writer, line);
	if (!is_event(line))
		return;
	address = strtoull(line + 1, NULL, 16);
	if (*line == 'E')
		enter(writer, address);
	else
		leave(writer, address);
}

/* Where a program that is not position-independent is. */
static bool add_program(struct writer *writer, const char *program)
{
	char path[PATH_MAX];
	struct elf_file file;
	GElf_Ehdr header;
	GElf_Phdr segment;
	uint64_t end = 0;
	size_t count = 0;
	bool moves;

	if (!realpath(program, path) || !elf_file_open(&file, path)) {
		complain("%s: %s", program, errno ? strerror(errno) : "not an ELF file");
		return false;
	}
	moves = !gelf_getehdr(file.elf, &header) || header.e_type != ET_EXEC;
	if (elf_getphdrnum(file.elf, &count) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(file.elf, (int)i, &segment) &&
		    segment.p_type == PT_LOAD && segment.p_vaddr + segment.p_memsz > end)
			end = segment.p_vaddr + segment.p_memsz;
	elf_file_close(&file);
	if (moves)
		complain("%s: it is position-independent, and the addresses do not say "
			 "where it was: link it with -no-pie, or make them with "
			 "\"whocallme trace --addresses\"", program);
	else
		add_module(writer, module_file_start(path), end, path, "");
	return !moves;
}

static bool take_file(struct writer *writer, const char *path, const char *program)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	while (!writer->failed && getline(&line, &room, file) >= 0)
		take_line(writer, line);
	free(line);
	fclose(file);
	if (writer->module_count > 0 || (program && add_program(writer, program)))
		return true;
	if (!program)
		complain("%s: it does not say of which program the addresses are; "
			 "--program does", path);
	return false;
}

static void write_info(FILE *info, const char *path)
{
	unsigned char header[HEADER] = "Ftrace!";

	header[8] = 4;       /* the version */
	header[12] = HEADER;
	header[14] = 1;      /* little endian */
	header[15] = 2;      /* of 64 bits */
	header[16] = RELATIVE;
	fwrite(header, 1, sizeof(header), info);
	fprintf(info, "cmdline:%s\n", path);
}

static bool open_parts(struct writer *writer, const char *dir)
{
	bool opened = true;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char *name = NULL;

		if (asprintf(&name, "%s/%s", dir, parts[i]) >= 0)
			writer->part[i] = fopen(name, "we");
		free(name);
		opened = opened && writer->part[i];
	}
	return opened;
}

static int downwards(const void *left, const void *right)
{
	return strcmp(*(char *const *)right, *(char *const *)left);
}

/* Upwards, a program that ran at two places would be one with two segments. */
static void write_map(struct writer *writer)
{
	if (writer->module_count)
		qsort(writer->modules, writer->module_count, sizeof(*writer->modules),
		      downwards);
	for (size_t i = 0; i < writer->module_count; i++)
		fputs(writer->modules[i], writer->part[2]);
}

static bool close_parts(struct writer *writer)
{
	bool closed = true;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (writer->part[i])
			closed = fclose(writer->part[i]) == 0 && closed;
	for (size_t i = 0; i < writer->module_count; i++)
		free(writer->modules[i]);
	free(writer->modules);
	free(writer->open);
	return closed;
}

char *addresses_record(const char *path, const char *program)
{
	const char *place = getenv("TMPDIR");
	struct writer writer = { 0 };
	bool opened, done = false;
	char *dir = NULL;

	if (asprintf(&dir, "%s/whocallme-XXXXXX", place && *place ? place : "/tmp") < 0)
		return NULL;
	if (!mkdtemp(dir)) {
		complain("%s: %s", dir, strerror(errno));
		free(dir);
		return NULL;
	}
	opened = open_parts(&writer, dir);
	if (opened) {
		write_info(writer.part[0], path);
		done = take_file(&writer, path, program);
		write_map(&writer);
	}
	if ((!close_parts(&writer) || writer.failed || !opened) && (done || !opened)) {
		complain("%s: %s", dir, strerror(errno));
		done = false;
	}
	if (done)
		return dir;
	addresses_remove(dir);
	return NULL;
}

void addresses_remove(char *dir)
{
	for (size_t i = 0; dir && i < sizeof(parts) / sizeof(*parts); i++) {
		char *name = NULL;

		if (asprintf(&name, "%s/%s", dir, parts[i]) >= 0)
			unlink(name);
		free(name);
	}
	if (dir)
		rmdir(dir);
	free(dir);
}
