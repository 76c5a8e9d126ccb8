/* SPDX-License-Identifier: MIT */
/* addresses.c - a file of addresses, as a recording.
 *
 * It becomes one in a temporary directory, with a task a process, whose times are the
 * order of the lines.  An exit ends the calls above the latest one of that function; one
 * of a function that was not called is passed over.
 */
#include "addresses.h"

#include <dirent.h>
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
#include "regular.h"
#include "reports/event_line.h"

enum {
	HEADER = 40, MARK = 5, EXIT = 1, DEPTHS = 1024,
	NAMELESS = 1, /* the process whose lines come first, if it does not come back */
	RELATIVE = 1 << 5, /* as recording_info.c has it */
	MOST = 1 << 15, /* processes, and programs that they run: each is looked for */
};

struct process {
	long id;
	unsigned session; /* the program that it runs; 0: none is known */
	uint64_t *open;   /* functions that were called and have not returned */
	size_t depth, room;
};

struct writer {
	const char *dir;
	FILE *tasks, *records; /* records: of the process AT, or NULL: not open */
	struct process *processes;
	size_t count, at;
	unsigned sessions;
	uint64_t time;
	bool failed, has_too_many;
};

static bool is_event(const char *line)
{
	return (*line == 'E' || *line == 'X') && strncmp(line + 1, "0x", 2) == 0;
}

static bool is_module(const char *line)
{
	return strncmp(line, "# 0x", 4) == 0;
}

bool addresses_are_in(const char *path)
{
	char begin[16] = "";
	FILE *file = regular_stream(path);

	if (!file)
		return false;
	if (!fgets(begin, sizeof(begin), file))
		begin[0] = '\0';
	fclose(file);
	return is_event(begin) || is_module(begin) || event_process(begin) > 0;
}

/* Open a part of the recording, to write more to it. */
static FILE *open_part(struct writer *writer, const char *name)
{
	char path[PATH_MAX];
	FILE *file = NULL;

	if (snprintf(path, sizeof(path), "%s/%s", writer->dir, name) < (int)sizeof(path))
		file = fopen(path, "ae");
	writer->failed = writer->failed || !file;
	return file;
}

static void close_part(struct writer *writer, FILE **part)
{
	if (*part && fclose(*part) != 0)
		writer->failed = true;
	*part = NULL;
}

/* What is said next comes after all that was. */
static void write_time(struct writer *writer, const char *kind)
{
	const uint64_t second = 1000000000, time = second + ++writer->time;

	fprintf(writer->tasks, "%s timestamp=%" PRIu64 ".%09" PRIu64, kind, time / second,
		time % second);
}

static void write_quoted(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++)
		if (*text == '"')
			fputs("\\x22", out);
		else
			putc(*text, out);
	fputs("\"\n", out);
}

/* The process at hand, which runs PROGRAM if it has not been heard of before. */
static struct process *with_session(struct writer *writer, const char *program)
{
	struct process *process = &writer->processes[writer->at];
	char name[32];
	FILE *map;

	if (process->session)
		return process;
	if (writer->sessions == MOST)
		writer->failed = writer->has_too_many = true;
	process->session = ++writer->sessions;
	write_time(writer, "SESS");
	fprintf(writer->tasks, " pid=%ld sid=%u exename=", process->id, process->session);
	write_quoted(writer->tasks, program);
	write_time(writer, "TASK");
	fprintf(writer->tasks, " tid=%ld pid=%ld\n", process->id, process->id);
	/* Its modules come later, and some in the places of others. */
	snprintf(name, sizeof(name), "sid-%u.map", process->session);
	map = open_part(writer, name);
	close_part(writer, &map);
	return process;
}

/* What libmcount of uftrace would have written. */
static void write_record(struct writer *writer, const struct process *process,
			 unsigned type, uint64_t address)
{
	const uint64_t record[] = {
		UINT64_C(1000000000) + ++writer->time,
		type | MARK << 3 | (process->depth % DEPTHS) << 6 | address << 16,
	};
	char name[32];

	if (!writer->records) {
		snprintf(name, sizeof(name), "%ld.dat", process->id);
		writer->records = open_part(writer, name);
	}
	if (writer->records)
		fwrite(record, sizeof(record), 1, writer->records);
}

static void enter(struct writer *writer, struct process *process, uint64_t address)
{
	if (process->depth == process->room) {
		size_t room = 2 * process->room + 64;
		uint64_t *more = realloc(process->open, room * sizeof(*more));

		if (!more) {
			writer->failed = true;
			return;
		}
		process->open = more;
		process->room = room;
	}
	write_record(writer, process, 0, address);
	process->open[process->depth++] = address;
}

static void leave(struct writer *writer, struct process *process, uint64_t address)
{
	size_t depth = process->depth;

	while (depth > 0 && process->open[depth - 1] != address)
		depth--;
	while (depth > 0 && process->depth >= depth) {
		process->depth--;
		write_record(writer, process, EXIT, process->open[process->depth]);
	}
}

static void add_module(struct writer *writer, uint64_t lo, uint64_t hi,
		       const char *path, const char *id)
{
	/* The first function that is called is the program's. */
	const struct process *process = with_session(writer, path);

	write_time(writer, "DLOP");
	fprintf(writer->tasks, " tid=%ld sid=%u base=%" PRIx64 " end=%" PRIx64
		" build-id=%s libname=", process->id, process->session, lo, hi, id);
	write_quoted(writer->tasks, path);
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

/* Where process ID is among those that are known; COUNT of these: nowhere. */
static size_t find_process(const struct writer *writer, long id)
{
	size_t at = 0;

	while (at < writer->count && writer->processes[at].id != id)
		at++;
	return at;
}

static size_t add_process(struct writer *writer, long id)
{
	const size_t at = find_process(writer, id);
	struct process *more;

	if (at < writer->count)
		return at;
	if (at == MOST) {
		writer->failed = writer->has_too_many = true;
		return writer->at;
	}
	more = realloc(writer->processes, (at + 1) * sizeof(*more));
	if (!more) {
		writer->failed = true;
		return writer->at;
	}
	writer->processes = more;
	more[writer->count++] = (struct process){ .id = id };
	return at;
}

/* The lines that follow are of process ID; BEGINS: which runs a program from its start. */
static void take_process(struct writer *writer, long id, bool begins)
{
	close_part(writer, &writer->records);
	writer->at = add_process(writer, id);
	if (begins) {
		writer->processes[writer->at].session = 0;
		writer->processes[writer->at].depth = 0;
	}
}

static void take_line(struct writer *writer, char *line)
{
	const long id = event_process(line);
	struct process *process;
	uint64_t address;

	line[event_line_length(line)] = '\0';
	if (is_module(line))
		take_module(writer, line);
	else if (id > 0)
		take_process(writer, id, event_process_begins(line));
	if (!is_event(line))
		return;
	address = strtoull(line + 1, NULL, 16);
	process = with_session(writer, "");
	if (*line == 'E')
		enter(writer, process, address);
	else
		leave(writer, process, address);
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

/* Take the processes that begin in FILE; the first lines are of one that does not, and is
 * named when it goes on.  Whether FILE says where modules were. */
static bool look_through(struct writer *writer, FILE *file)
{
	bool has_modules = false;
	char *line = NULL;
	size_t room = 0;
	long first = 0;

	while (!writer->failed && getline(&line, &room, file) >= 0) {
		const long id = event_process(line);

		has_modules |= is_module(line);
		if (id > 0 && event_process_begins(line))
			add_process(writer, id);
		else if (id > 0 && !first && find_process(writer, id) == writer->count)
			first = id;
	}
	free(line);
	rewind(file);
	writer->at = add_process(writer, first ? first : NAMELESS);
	return has_modules;
}

static bool take_file(struct writer *writer, const char *path, const char *program)
{
	FILE *file = regular_stream(path);
	char *line = NULL;
	size_t room = 0;
	bool known;

	if (!file) {
		complain("%s: %s", path, regular_error(errno));
		return false;
	}
	known = look_through(writer, file) || writer->failed ||
		(program && add_program(writer, program));
	if (!known && !program)
		complain("%s: it does not say of which program the addresses are; "
			 "--program does", path);
	while (known && !writer->failed && getline(&line, &room, file) >= 0)
		take_line(writer, line);
	free(line);
	fclose(file);
	return known;
}

static void write_info(struct writer *writer, const char *path)
{
	unsigned char header[HEADER] = "Ftrace!";
	FILE *info = open_part(writer, "info");

	header[8] = 4;       /* the version */
	header[12] = HEADER;
	header[14] = 1;      /* little endian */
	header[15] = 2;      /* of 64 bits */
	header[16] = RELATIVE;
	if (info) {
		fwrite(header, 1, sizeof(header), info);
		fprintf(info, "cmdline:%s\n", path);
	}
	close_part(writer, &info);
}

/* False, after a line on stderr, where not all of it was done. */
static bool record(struct writer *writer, const char *path, const char *program)
{
	bool done = false;

	write_info(writer, path);
	writer->tasks = open_part(writer, "task.txt");
	if (!writer->failed)
		done = take_file(writer, path, program);
	close_part(writer, &writer->tasks);
	close_part(writer, &writer->records);
	if (writer->has_too_many)
		complain("%s: it has more than %d processes and programs", path, MOST);
	else if (writer->failed)
		complain("%s: %s", writer->dir, strerror(errno));
	for (size_t i = 0; i < writer->count; i++)
		free(writer->processes[i].open);
	free(writer->processes);
	return done && !writer->failed;
}

char *addresses_record(const char *path, const char *program)
{
	const char *place = getenv("TMPDIR");
	struct writer writer = { 0 };
	char *dir = NULL;

	if (asprintf(&dir, "%s/whocallme-XXXXXX", place && *place ? place : "/tmp") < 0)
		return NULL;
	if (!mkdtemp(dir)) {
		complain("%s: %s", dir, strerror(errno));
		free(dir);
		return NULL;
	}
	writer.dir = dir;
	if (record(&writer, path, program))
		return dir;
	addresses_remove(dir);
	return NULL;
}

void addresses_remove(char *dir)
{
	DIR *folder = dir ? opendir(dir) : NULL;
	struct dirent *part;

	while (folder && (part = readdir(folder)))
		if (part->d_name[0] != '.')
			unlinkat(dirfd(folder), part->d_name, 0);
	if (folder)
		closedir(folder);
	if (dir)
		rmdir(dir);
	free(dir);
}
