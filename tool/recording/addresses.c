/* SPDX-License-Identifier: MIT */
/* addresses.c - turns a file of addresses, pvtrace's too, into a recording.
 *
 * It becomes one in a temporary directory, with a task a process, or a thread of the log,
 * whose times are the order of the lines.  An exit ends the calls above the latest one of that
 * function; one of a function that was not called is passed over.
 */
#include "recording/addresses.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/number.h"
#include "base/regular_file.h"
#include "base/tree.h"
#include "format/uftrace.h"
#include "modules/build_id.h"
#include "recording/scratch.h"
#include "resolve/event_line.h"
#include "resolve/inject_line.h"
#include "symbols/module_file.h"

struct inject_names {
	struct tree by_name;
	uint64_t count;
};

/* The functions of a log of the plugin's runtime, as those of a module: the log has their names, a
 * recording addresses and a table of names. */

/* The name of the table's file in a recording. */
static const char inject_names_file[] = "log.sym";

/* Addresses as a program's are; how far one function is from the next. */
enum { FIRST = 0x10000, APART = 16 };

struct inject_name {
	const char *name;
	size_t length;
	uint64_t address;
	char *kept; /* the name, in memory of its own */
};

static int by_name(const void *left, const void *right)
{
	const struct inject_name *a = left, *b = right;
	const int order = memcmp(a->name, b->name,
				 a->length < b->length ? a->length : b->length);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

static struct inject_name *add(struct inject_names *names, const struct inject_line *line)
{
	struct inject_name *name = calloc(1, sizeof(*name));

	if (name)
		name->kept = strndup(line->name, line->length);
	if (name && name->kept) {
		name->name = name->kept;
		name->length = line->length;
		name->address = FIRST + APART * names->count;
		if (tree_add(&names->by_name, name)) {
			names->count++;
			return name;
		}
	}
	if (name)
		free(name->kept);
	free(name);
	return NULL;
}

/* The address that stands for LINE's function, 0 where memory is out. */
static uint64_t inject_names_address(struct inject_names *names, const struct inject_line *line)
{
	const struct inject_name key = { .name = line->name, .length = line->length };
	struct inject_name *name;

	names->by_name.compare = by_name;
	name = tree_find(&names->by_name, &key);
	if (!name)
		name = add(names, line);
	return name ? name->address : 0;
}

/* Write what a session says of its memory, and the table. */
static void inject_names_write_map(FILE *map)
{
	fprintf(map, "%08x-7fffffff0000 r-xp 00000000 00:00 0 /log\n", FIRST);
}

static void inject_names_write(const struct inject_names *names, FILE *table)
{
	const struct inject_name first = { .name = "" }, *name = &first;

	fputs("# path name: /log\n", table);
	while (names->count > 0 && (name = tree_behind(&names->by_name, name)))
		fprintf(table, "%016" PRIx64 " %08x T %s\n", name->address - FIRST, APART,
			name->kept);
}

static void free_name(void *item)
{
	struct inject_name *name = item;

	free(name->kept);
	free(name);
}

static void inject_names_free(struct inject_names *names)
{
	tree_free_each(&names->by_name, free_name);
}

/* Finds where a program is that is not position-independent. */

/* The whole path of PROGRAM, where it starts and where it ends.  False, after a line on stderr,
 * where it cannot be read, or may be anywhere. */
static bool fixed_program(const char *program, char path[PATH_MAX], uint64_t *start, uint64_t *end)
{
	struct elf_file file;
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t count = 0;
	bool moves;

	*end = 0;
	if (!realpath(program, path) || !elf_file_open(&file, path)) {
		complain("%s: %s", program, errno ? strerror(errno) : "not an ELF file");
		return false;
	}
	moves = !gelf_getehdr(file.elf, &header) || header.e_type != ET_EXEC;
	if (elf_getphdrnum(file.elf, &count) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(file.elf, (int)i, &segment) &&
		    segment.p_type == PT_LOAD && segment.p_vaddr + segment.p_memsz > *end)
			*end = segment.p_vaddr + segment.p_memsz;
	elf_file_close(&file);
	*start = module_file_start(path);
	if (moves)
		complain("%s: it is position-independent, and the addresses do not say "
			 "where it was: link it with -no-pie, or make them with "
			 "\"whocallme trace --addresses\"", program);
	return !moves;
}

enum {
	NAMELESS = 1, /* the process whose lines come first, if it does not come back */
	LOOKED_AT = 4096, /* parts of lines, for the first that tells what this is */
	MOST_OPEN = 128, /* files of records */
	MOST = 1 << 15, /* processes, and programs that they run: each is looked for */
};

struct process {
	long id;
	unsigned session; /* the program that it runs; 0: none is known */
	uint64_t *open;   /* functions that were called and have not returned */
	size_t depth, room;
	FILE *records;    /* NULL: not open */
	struct tree counts; /* of each that was called, how often it is among them */
};

struct count {
	uint64_t address;
	size_t open;
};

struct writer {
	const char *dir;
	FILE *tasks;
	size_t open; /* files of records */
	struct tree processes;
	struct process *at; /* among them */
	size_t count;
	unsigned sessions;
	uint64_t time;
	bool failed, has_too_many;
	struct inject_names names; /* of a log */
};

/* What the plugin's runtime writes may stand among what the program has written to stderr. */
bool addresses_are_in(const char *path)
{
	char part[16];
	FILE *file = regular_stream(path);
	bool found = false, begins = true;

	for (int i = 0; file && !found && i < LOOKED_AT && fgets(part, sizeof(part), file); i++) {
		found = begins && (inject_line_begins(part) ||
				   (i == 0 && (event_is_address(part) || event_is_module(part) ||
					       event_process(part) > 0)));
		begins = strchr(part, '\n') != NULL;
	}
	if (file)
		fclose(file);
	return found;
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
	struct process *process = writer->at;
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
	if (map && writer->names.count)
		inject_names_write_map(map);
	close_part(writer, &map);
	return process;
}

static void close_records(struct writer *writer)
{
	struct process *process = tree_behind(&writer->processes, &(struct process){ .id = 0 });

	for (; process; process = tree_behind(&writer->processes, process))
		close_part(writer, &process->records);
	writer->open = 0;
}

static FILE *records_of(struct writer *writer, struct process *process)
{
	char name[32];

	if (!process->records) {
		if (writer->open++ == MOST_OPEN)
			close_records(writer);
		snprintf(name, sizeof(name), "%ld.dat", process->id);
		process->records = open_part(writer, name);
	}
	return process->records;
}

/* What libmcount of uftrace would have written. */
static void write_record(struct writer *writer, struct process *process,
			 enum wcm_record_type type, uint64_t address)
{
	const struct wcm_record record = {
		UINT64_C(1000000000) + ++writer->time,
		wcm__record_bits(type, (uint32_t)process->depth, address),
	};
	FILE *records = records_of(writer, process);

	if (records)
		fwrite(&record, sizeof(record), 1, records);
}

static int by_address(const void *left, const void *right)
{
	const struct count *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* The count of ADDRESS; NULL where it was never called, or memory is out. */
static struct count *count_of(struct process *process, uint64_t address)
{
	const struct count key = { .address = address };

	process->counts.compare = by_address;
	return tree_find(&process->counts, &key);
}

static struct count *new_count(struct process *process, uint64_t address)
{
	struct count *count = malloc(sizeof(*count));

	if (count)
		*count = (struct count){ .address = address };
	if (count && tree_add(&process->counts, count))
		return count;
	free(count);
	return NULL;
}

static void enter(struct writer *writer, struct process *process, uint64_t address)
{
	struct count *count;

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
	count = count_of(process, address);
	if (!count)
		count = new_count(process, address);
	if (!count) {
		writer->failed = true;
		return;
	}
	count->open++;
	write_record(writer, process, WCM_RECORD_ENTRY, address);
	process->open[process->depth++] = address;
}

/* UNWOUND: an exception has ended it, as what is not recorded tells. */
static void leave(struct writer *writer, struct process *process, uint64_t address,
		  bool unwound)
{
	const struct count *count = count_of(process, address);
	uint64_t ended;

	if (!count || count->open == 0)
		return;
	do {
		ended = process->open[--process->depth];
		count_of(process, ended)->open--;
		if (!unwound)
			write_record(writer, process, WCM_RECORD_EXIT, ended);
	} while (ended != address);
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

static void take_module(struct writer *writer, const char *line)
{
	uint64_t lo, hi, bias;
	char id[EVENT_ID];
	const char *path = event_module(line, &lo, &hi, &bias, id);

	if (path)
		add_module(writer, lo, hi, path, id);
}

static int by_id(const void *left, const void *right)
{
	const struct process *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

static struct process *find_process(struct writer *writer, long id)
{
	const struct process key = { .id = id };

	writer->processes.compare = by_id;
	return tree_find(&writer->processes, &key);
}

/* The process ID; where there can be no more of them, the one at hand. */
static struct process *add_process(struct writer *writer, long id)
{
	struct process *process = find_process(writer, id);

	if (process)
		return process;
	writer->has_too_many = writer->count == MOST;
	process = writer->has_too_many ? NULL : calloc(1, sizeof(*process));
	if (process)
		process->id = id;
	if (process && tree_add(&writer->processes, process)) {
		writer->count++;
		return process;
	}
	free(process);
	writer->failed = true;
	return writer->at;
}

static void free_process(void *item)
{
	struct process *process = item;

	tree_free_each(&process->counts, free);
	free(process->open);
	free(process);
}

/* Its calls that are open have not been made. */
static void forget_calls(struct process *process)
{
	while (process->depth > 0)
		count_of(process, process->open[--process->depth])->open--;
}

/* The lines that follow are of process ID; BEGINS: which runs a program from its start. */
static void take_process(struct writer *writer, long id, bool begins)
{
	writer->at = add_process(writer, id);
	if (begins) {
		writer->at->session = 0;
		forget_calls(writer->at);
	}
}

static void take_log_line(struct writer *writer, const struct inject_line *line)
{
	const uint64_t address = inject_names_address(&writer->names, line);
	struct process *process;

	writer->failed |= address == 0;
	if (writer->at->id != line->tid)
		take_process(writer, line->tid, false);
	process = with_session(writer, "");
	if (line->kind == INJECT_ENTRY)
		enter(writer, process, address);
	else
		leave(writer, process, address, line->kind == INJECT_UNWIND);
}

static void take_line(struct writer *writer, char *line)
{
	const long id = event_process(line);
	struct inject_line event;
	struct process *process;
	uint64_t address;

	line[event_line_length(line)] = '\0';
	if (inject_line(line, &event))
		take_log_line(writer, &event);
	if (event_is_module(line))
		take_module(writer, line);
	else if (id > 0)
		take_process(writer, id, event_process_begins(line));
	if (!event_is_address(line))
		return;
	if (!number_read(line + 1, 16, UINT64_MAX, &address))
		return;
	process = with_session(writer, "");
	if (*line == 'E')
		enter(writer, process, address);
	else
		leave(writer, process, address, false);
}

/* Where a program that is not position-independent is. */
static bool add_program(struct writer *writer, const char *program)
{
	char path[PATH_MAX];
	uint64_t start, end;

	if (!fixed_program(program, path, &start, &end))
		return false;
	add_module(writer, start, end, path, "");
	return true;
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

		has_modules |= event_is_module(line) || inject_line_begins(line);
		if (id > 0 && event_process_begins(line))
			add_process(writer, id);
		else if (id > 0 && !first && !find_process(writer, id))
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
	const struct wcm_info_header header = {
		.magic = WCM_INFO_MAGIC,
		.version = WCM_INFO_VERSION,
		.size = sizeof(header),
		.endian = WCM_INFO_ENDIAN,
		.class = WCM_INFO_CLASS,
		.features = WCM_FEATURE_RELATIVE,
	};
	FILE *info = open_part(writer, "info");

	if (info) {
		fwrite(&header, sizeof(header), 1, info);
		fprintf(info, "cmdline:%s\n", path);
	}
	close_part(writer, &info);
}

static void write_names(struct writer *writer)
{
	FILE *table = open_part(writer, inject_names_file);

	if (table)
		inject_names_write(&writer->names, table);
	close_part(writer, &table);
	inject_names_free(&writer->names);
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
	close_records(writer);
	if (writer->names.count)
		write_names(writer);
	if (writer->has_too_many)
		complain("%s: it has more than %d processes and programs", path, MOST);
	else if (writer->failed)
		complain("%s: %s", writer->dir, strerror(errno));
	else if (done && writer->sessions == 0)
		complain("%s: none of its lines tells a call", path);
	tree_free_each(&writer->processes, free_process);
	return done && !writer->failed && writer->sessions > 0;
}

char *addresses_record(const char *path, const char *program)
{
	struct writer writer = { 0 };
	char *dir = scratch_make(NULL);

	writer.dir = dir;
	if (!dir || record(&writer, path, program))
		return dir;
	scratch_remove(dir);
	return NULL;
}
