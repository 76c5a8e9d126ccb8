/* SPDX-License-Identifier: MIT */
/* record_mode.c - the mode "record": starts, flushes and finishes a uftrace data directory.
 *
 * All that uftrace 0.13 needs to read a recording is written when the trace starts, before
 * the first record, so that it can be read however the process ends.
 */
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/modules/modules.h"
#include "core/os/file.h"
#include "format/line.h"
#include "core/symbols/function_table.h"
#include "core/symbols/slot_names.h"
#include "crash/files/descriptor.h"
#include "format/uftrace.h"
#include "format/wall_time.h"
#include "load/load.h"
#include "load/loaded.h"
#include "trace/engine/gate.h"
#include "trace/engine/ticks.h"
#include "trace/engine/trace_stderr.h"
#include "trace/engine/tracer.h"
#include "trace/engine/tracer_life.h"
#include "trace/filter/known_values.h"
#include "trace/names/recorded_modules.h"
#include "trace/process/modes.h"
#include "trace/process/process_end.h"
#include "trace/process/trace_environment.h"
#include "trace/record/lost.h"
#include "trace/record/record_dir.h"
#include "trace/record/record_files.h"
#include "trace/record/record_session.h"
#include "trace/record/sink_record.h"
#include "trace/record/task_file.h"
#include "trace/record/worded_data.h"
#include "trace/system/system_calls.h"
#include "trace/system/system_slots.h"
#include "trace/values/enumeration.h"
#include "trace/values/value_data.h"
#include "whocallme/symbol.h"
#include "whocallme/trace.h"

/* Writes the file `info`: what was recorded, and on which machine.
 *
 * The file is a header and lines of text; a mask in the header says which lines there are. */

enum {
	SHA1_SIZE = 20,
	LEAST_STACK = 1024, /* what uftrace takes for granted */
};

static void write_header(FILE *file, bool has_id)
{
	const struct wcm_info_header header = {
		.magic = WCM_INFO_MAGIC,
		.version = WCM_INFO_VERSION,
		.size = sizeof(header),
		.endian = WCM_INFO_ENDIAN,
		.class = WCM_INFO_CLASS,
		.features = WCM_FEATURE_SESSIONS | WCM_FEATURE_RELATIVE |
			    WCM_FEATURE_MAX_STACK |
			    (wcm__recording.has_data ?
				     WCM_FEATURE_ARGUMENTS | WCM_FEATURE_RESULTS |
					     WCM_FEATURE_AUTOMATIC | WCM_FEATURE_DEBUG_DATA : 0),
		.lines = (wcm__recording.has_data ? WCM_INFO_VALUES | WCM_INFO_PATTERNS : 0) |
			 WCM_INFO_EXE | (has_id ? WCM_INFO_BUILD_ID : 0) |
			 WCM_INFO_CMDLINE | WCM_INFO_CPU | WCM_INFO_OS |
			 WCM_INFO_TASKS | WCM_INFO_DATE | WCM_INFO_WRITER,
		.max_stack = LEAST_STACK,
	};

	fwrite(&header, sizeof(header), 1, file);
}

/* The arguments with spaces between; uftrace puts the line into JSON as it is. */
static void write_cmdline(FILE *file)
{
	FILE *arguments = fopen("/proc/self/cmdline", "re");
	int byte;

	fputs("cmdline:", file);
	while (arguments && (byte = getc(arguments)) != EOF) {
		if (byte == '"' || byte == '\\')
			putc('\\', file);
		putc((unsigned)byte < ' ' || byte == 0x7f ? ' ' : byte, file);
	}
	putc('\n', file);
	if (arguments)
		fclose(arguments);
}

static void write_cpu(FILE *file)
{
	char text[512], *name = NULL;
	FILE *cpus = fopen("/proc/cpuinfo", "re");

	while (cpus && fgets(text, sizeof(text), cpus))
		if (strncmp(text, "model name", 10) == 0) {
			name = strchr(text, ':');
			break;
		}
	if (cpus)
		fclose(cpus);
	fprintf(file, "cpuinfo:lines=2\ncpuinfo:nr_cpus=%ld / %ld (online/possible)\n",
		sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF));
	fprintf(file, "cpuinfo:desc=%s", name ? name + 2 : "unknown\n");
}

static void write_system(FILE *file)
{
	struct utsname system;
	char date[WCM_WALL_TIME];

	if (uname(&system) != 0)
		memset(&system, 0, sizeof(system));
	fprintf(file, "osinfo:lines=3\nosinfo:kernel=%s %s\nosinfo:hostname=%s\n"
		"osinfo:distro=\"%s\"\n",
		system.sysname, system.release, system.nodename, system.machine);
	fputs("taskinfo:lines=2\ntaskinfo:nr_tid=0\ntaskinfo:tids=\n", file);
	/* Files beside those of symbols say it: see below. */
	if (wcm__recording.has_data)
		fputs("argspec:lines=1\nauto-args:1\n", file);
	/* libc's own words would take the time zone from the program for good. */
	wcm__format_wall_time(date, wcm__gate.wall);
	fprintf(file, "record_date:%.*s\n", (int)sizeof(date), date);
	fputs("elapsed_time:unknown\n", file); /* before the process ends */
	/* Without it, uftrace applies debug data to no function. */
	if (wcm__recording.has_data)
		fputs("pattern_type:regex\n", file);
	fputs("uftrace_version:" PACKAGE_STRING "\n", file);
	/* uftrace reads no further. */
	fprintf(file, WCM_INFO_BEGUN "%" PRIu64 ",%" PRIu64 "\n", wcm__gate.start,
		wcm__gate.wall);
}

/* Write it, without tasks. */
static bool info_write(void)
{
	const struct wcm_known_module *module = wcm__session_executable();
	const bool has_id = module && module->map.build_id_size == SHA1_SIZE;
	FILE *file = wcm__record_dir_file("info", WCM_NEW_FILE);

	if (!file)
		return false;
	write_header(file, has_id);
	fputs("exename:", file);
	wcm__session_write_path(file, module);
	putc('\n', file);
	if (has_id) {
		fputs("build_id:", file);
		wcm__session_write_id(file, module);
		putc('\n', file);
	}
	write_cmdline(file);
	write_cpu(file);
	write_system(file);
	return wcm__record_dir_close(file);
}

/* uftrace shows no calls deeper than this says. */
static void raise_max_stack(uint32_t deepest)
{
	const uint16_t depth = deepest < UINT16_MAX ? (uint16_t)deepest : UINT16_MAX;
	const off_t at = offsetof(struct wcm_info_header, max_stack);
	const int lock = wcm__recording_lock();
	int fd;
	uint16_t said;

	if (lock < 0)
		return;
	fd = wcm__recording_open_file("info", O_RDWR);
	if (fd >= 0 && wcm__pread(fd, &said, sizeof(said), at) == sizeof(said) &&
	    said < depth && wcm__pwrite(fd, &depth, sizeof(depth), at) < 0)
		wcm__recording_fail(0);
	if (fd >= 0)
		wcm__close(fd);
	wcm__recording_unlock(lock);
}

/* At a terminal, at the beginning: later a filter may kill for asking. */
static bool is_read;
static uint64_t recorded; /* bytes that the reader is to know; 0: none */
static bool goes_on;      /* system calls are still to come, and the files have room for them */

/* "3.2 M" of 3'241'117. */
static void add_rounded(struct wcm_line *line, uint64_t number)
{
	static const char *const units[] = { " ", " k", " M", " G", " T" };
	uint64_t tenths = 10 * number;
	unsigned unit = 0;

	for (; tenths >= 10000 && unit < 4; unit++)
		tenths /= 1000;
	wcm__line_decimal(line, (int64_t)(tenths / 10));
	if (unit > 0 && tenths < 1000) {
		wcm__line_text(line, ".");
		wcm__line_decimal(line, (int64_t)(tenths % 10));
	}
	wcm__line_text(line, units[unit]);
}

/* The calls are this process's, the bytes those of all. */
static void tell_size(void)
{
	struct wcm_trace_counts counts;
	struct wcm_line line;

	if (recorded == 0 || wcm__tracer_is_in_child())
		return;
	wcm_trace_count(&counts);
	wcm__line_begin(&line, wcm__trace_stderr());
	add_rounded(&line, counts.calls);
	wcm__line_text(&line, counts.calls < 1000 ? "calls" : " calls");
	if (!goes_on) {
		wcm__line_text(&line, ", ");
		add_rounded(&line, recorded);
		wcm__line_text(&line, "B");
	}
	wcm__line_text(&line, " in ");
	wcm__line_name(&line, wcm__recording.directory);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
	recorded = 0;
}

/* Say in it how deep the calls went; and on stderr how many events were lost. */
static void info_finish(void)
{
	uint32_t deepest = 0;

	for (const struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next)
		if (tracer->deepest > deepest)
			deepest = tracer->deepest;
	if (deepest > LEAST_STACK)
		raise_max_stack(deepest);
	wcm__lost_tell_recording(wcm__recording.directory, wcm__recording_lost(),
				__atomic_load_n(&wcm__recording.refused, __ATOMIC_RELAXED));
	tell_size();
}

/* Writes the names of a module's functions, and of what kinds their values are, as
 * uftrace reads them.
 *
 * A file is written from the loaded table of each module that was called or likely will be. */

/* Writes of what kinds the values of a module's functions are, as uftrace reads it.
 *
 *	E: enum color {RED=0,GREEN=5}
 *	F: 1136 mix
 *	#C: iE0id
 *	A: @arg1/e:color,fparg1/64
 *	R: @retval/d32
 *
 * A line of codes, as trace/values/prototype.h has them, is a comment for uftrace; enumerations of
 * bits are followed by #B.  uftrace makes such files of debug data.  Functions are known by their
 * addresses there, so that those of the same name may differ. */

static struct wcm_known_values values_of(const struct wcm_known_module *module)
{
	return wcm__known_values_between(module->map.lo, module->map.hi);
}

/* The codes of what is known by SLOT; NULL: none are. */
static const char *codes_of(const struct wcm_slot_name *slot)
{
	if (slot->is_probe)
		return WCM_PROBE_CODES;
	return wcm__is_system_address(slot->at) ? WCM_SYSTEM_CODES : slot->prototype;
}

/* Those that are known of MODULE's calls into others, of system calls and probes. */
static void visit_slots(const struct wcm_known_module *module,
			void (*tell)(const struct wcm_slot_name *slot, void *data), void *data)
{
	const struct wcm_slot_names *names = wcm__slot_names_first();

	for (; names; names = names->next)
		for (size_t i = 0; i < names->count; i++) {
			const struct wcm_slot_name *slot = &names->slot[i];

			if (codes_of(slot) && slot->at >= module->map.lo &&
			    slot->at < module->map.hi)
				tell(slot, data);
		}
}

static void count(const struct wcm_slot_name *slot, void *data)
{
	(void)slot;
	++*(size_t *)data;
}

/* Whether any of MODULE's functions are known. */
static bool values_file_is_needed(const struct wcm_known_module *module)
{
	size_t slots = 0;

	visit_slots(module, count, &slots);
	return slots > 0 || values_of(module).count > 0;
}

static void write_enumerations(FILE *file)
{
	const struct wcm_enumeration *names;

	for (size_t i = 0; (names = wcm__enumeration_get(i)); i++) {
		fprintf(file, "E: enum %s {", names->name);
		for (size_t k = 0; k < names->count; k++)
			fprintf(file, "%s%s=%" PRId64, k > 0 ? "," : "",
				names->enumerator[k].name, names->enumerator[k].value);
		fputs(names->are_flags ? "}\n#B\n" : "}\n", file);
	}
}

static void write_spec(FILE *file, char letter, wcm_value_spec_maker *make, const char *codes)
{
	char text[WCM_VALUE_SPEC_ROOM];
	const size_t size = make(text, codes);

	if (size > 0)
		fprintf(file, "%c: @%.*s\n", letter, (int)size, text);
}

static void write_function(FILE *file, uintptr_t offset, const char *name, const char *codes)
{
	fprintf(file, "F: %" PRIxPTR " %s\n#C: %s\n", offset, name, codes);
	write_spec(file, 'A', wcm__value_spec_arguments, codes);
	write_spec(file, 'R', wcm__value_spec_result, codes);
}

/* A file that is written. */
struct writing {
	FILE *file;
	const struct wcm_known_module *module;
};

static void write_slot(const struct wcm_slot_name *slot, void *data)
{
	const struct writing *writing = data;

	write_function(writing->file, slot->at - writing->module->map.lo,
		       wcm__session_symbol(slot), codes_of(slot));
}

/* Write what is known of them. */
static void values_file_write(FILE *file, const struct wcm_known_module *module)
{
	const struct wcm_known_values values = values_of(module);
	struct writing writing = { file, module };

	write_enumerations(file);
	for (size_t i = 0; i < values.count; i++) {
		const struct wcm_known_value *value = &values.value[i];
		struct wcm_symbol symbol;
		const bool is_named = wcm_symbol_peek(value->at, &symbol) == WCM_OK;

		write_function(file, value->at - module->map.lo, is_named ? symbol.name : "?",
			       value->codes);
	}
	visit_slots(module, write_slot, &writing);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What stands in the files for MODULE's path, the caller's to free. */
static char *path_of(const struct wcm_known_module *module)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	wcm__session_write_path(file, module);
	fclose(file);
	return text;
}

/* Whether the file NAME is that of PATH and ID. */
static bool is_of(const char *name, const char *path, const char *id)
{
	char line[2 * PATH_MAX];
	bool same_path = false, same_id = !*id;
	FILE *file = wcm__record_dir_file(name, O_RDONLY);

	while (file && fgets(line, sizeof(line), file) && *line == '#') {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "# path name: ", 13) == 0)
			same_path = strcmp(line + 13, path) == 0;
		if (strncmp(line, "# build-id: ", 12) == 0)
			same_id = strcmp(line + 12, id) == 0;
	}
	if (file)
		fclose(file);
	return same_path && same_id;
}

/* What a module is in the files. */
struct named {
	char *path, *id;
};

/* Make the file of KIND for MODULE, NAME being that which uftrace will look for: another module
 * may have the same last part.  NULL: there is one. */
static FILE *make_file(char name[static NAME_MAX + 1], const struct named *module,
		       const char *kind)
{
	const char *path = module->path, *id = module->id;
	uint16_t sum = 0;
	FILE *file;

	snprintf(name, NAME_MAX + 1, "%s.%s", last_part(path), kind);
	file = wcm__record_dir_file(name, WCM_NEW_FILE);
	if (file || is_of(name, path, id))
		return file;
	for (const char *byte = path; *byte; byte++)
		sum = (uint16_t)(sum + *byte);
	if (*id)
		snprintf(name, NAME_MAX + 1, "%s-%.4s.%s", last_part(path), id, kind);
	else
		snprintf(name, NAME_MAX + 1, "%s-%04x.%s", last_part(path), sum, kind);
	return wcm__record_dir_file(name, WCM_NEW_FILE);
}

/* A line is a function: what would end it stands as \\x0a. */
static void write_name(FILE *file, const char *name)
{
	for (; *name; name++)
		if (*name == '\n')
			fputs("\\x0a", file);
		else
			putc(*name, file);
	putc('\n', file);
}

/* Of this one's names, uftrace goes by one alone. */
static bool is_fork(const struct wcm_known_module *module,
		    const struct wcm_function_entry *entry)
{
	return module->table_base + entry->start == wcm__recording.fork;
}

static void write_functions(FILE *file, const struct wcm_known_module *module,
			    const struct wcm_function_table *table)
{
	const uintptr_t base = module->table_base - module->map.lo;
	uintptr_t end = 0;

	for (uint32_t i = 0; i < table->count; i++) {
		const struct wcm_function_entry *entry = &table->entry[i];

		if (entry->size & WCM_ENTRY_PART_OF ||
		    table->flags[i] & WCM_SYMBOL_PLT)
			continue;
		fprintf(file, "%016" PRIxPTR " T ", base + entry->start);
		write_name(file, is_fork(module, entry) ? "fork" :
					 table->names + entry->name);
		end = base + entry->start + entry->size;
	}
	fprintf(file, "%016" PRIxPTR " ? __sym_end\n", end);
}

/* Calls of other modules' functions have the address of the word that they are made by. */
static void write_slots(FILE *file, const struct wcm_module *map)
{
	const struct wcm_slot_names *names = wcm__slot_names_first();

	for (; names; names = names->next)
		for (size_t i = 0; i < names->count; i++) {
			const struct wcm_slot_name *slot = &names->slot[i];

			if (slot->at < map->lo || slot->at >= map->hi)
				continue;
			fprintf(file, "%016" PRIxPTR " P ", slot->at - map->lo);
			write_name(file, wcm__session_symbol(slot));
			fprintf(file, "%016" PRIxPTR " ? __sym_end\n",
				slot->at - map->lo + sizeof(slot->at));
		}
}

static void write_head(FILE *file, const struct named *named)
{
	fprintf(file, "# path name: %s\n", named->path);
	if (*named->id)
		fprintf(file, "# build-id: %s\n", named->id);
}

/* The module's own file is better than a part. */
static void close_file(FILE *file, const char *name)
{
	if (!wcm__record_dir_close(file))
		wcm__record_dir_remove(name);
}

/* The names of what is in no module that is loaded. */
static void write_made_up(const struct wcm_known_module *module, const struct named *named)
{
	char name[NAME_MAX + 1];
	FILE *file = make_file(name, named, "sym");

	if (file) {
		write_head(file, named);
		write_slots(file, &module->map);
		close_file(file, name);
	}
}

static void write_symbols(const struct wcm_known_module *module, const struct named *named)
{
	const struct wcm_function_table *table = wcm__module_table(module);
	char name[NAME_MAX + 1];
	FILE *file = table ? make_file(name, named, "sym") : NULL;

	if (file) {
		fprintf(file, "# symbols: %" PRIu32 "\n", table->count);
		write_head(file, named);
		write_functions(file, module, table);
		write_slots(file, &module->map);
		close_file(file, name);
	}
}

static void write_values(const struct wcm_known_module *module, const struct named *named)
{
	char name[NAME_MAX + 1];
	FILE *file = make_file(name, named, "dbg");

	if (file) {
		write_head(file, named);
		values_file_write(file, module);
		close_file(file, name);
	}
}

static void write_module(const struct wcm_known_module *module,
			 void (*write)(const struct wcm_known_module *module,
				       const struct named *named))
{
	struct named named = { path_of(module), NULL };
	size_t size;
	FILE *file = open_memstream(&named.id, &size);

	if (file) {
		wcm__session_write_id(file, module);
		fclose(file);
	}
	if (named.path && named.id)
		write(module, &named);
	free(named.path);
	free(named.id);
}

static void write_needed_values(const struct wcm_known_module *module)
{
	if (wcm__recording.has_data && values_file_is_needed(module))
		write_module(module, write_values);
}

/* Write one for each module that functions were, or may be, recorded of, unless it
 * is there. */
static void symbol_files_write(void)
{
	const struct wcm_slot_names *names = wcm__slot_names_first();
	const struct wcm_module_list *list;

	for (; names; names = names->next) {
		struct wcm_known_module place;

		if (!names->place)
			continue;
		place = wcm__session_place(names);
		if (!wcm__recorded_is_first(place.map.lo) && !wcm__recorded_is_called(&place))
			continue;
		write_module(&place, write_made_up);
		write_needed_values(&place);
	}
	wcm__load_all(NULL);
	list = wcm__modules_get();
	for (size_t i = 0; i < list->count; i++) {
		const struct wcm_known_module *module = list->module[i];

		if (wcm__session_calls(module) ||
		    wcm__recorded_is_called(module))
			write_module(module, write_symbols);
		write_needed_values(module);
	}
}

enum { USUAL = 1 << 20, LEAST = 64 << 10 };

/* A thread has one window that it fills, and one that is made ready. */
static uint32_t window_size(uint32_t ring)
{
	uint32_t size = LEAST;

	while (size < (ring ? ring : USUAL) / 2)
		size *= 2;
	return size;
}

static void stop_quickly(void)
{
	if (!wcm__process_end_comes_later())
		wcm_trace_stop();
}

/* quick_exit(3) runs no destructors. */
static void stop_at_quick_exit(void)
{
	static bool registered;

	if (!registered)
		registered = at_quick_exit(stop_quickly) == 0;
}

/* The system call says it where it is traced. */
static void before_fork(void)
{
	if (!wcm__system_calls_tell_of_fork())
		wcm__recording_before_fork();
}

/* Handlers stay for good. */
static void notice_forks(void)
{
	static bool registered;

	wcm__recording.fork = wcm__session_fork ? wcm__session_fork :
						  (uintptr_t)&fork;
	if (!registered)
		registered = pthread_atfork(before_fork, wcm__recording_after_fork,
					    NULL) == 0;
}

/* What system calls and probes are given is always asked for. */
static bool has_data(const struct wcm_trace_options *options)
{
	return wcm__known_values_asked() || (options->system_calls && *options->system_calls) ||
	       (options->probes && *options->probes);
}

static enum wcm_status open_recording(const struct wcm_trace_options *options)
{
	bool joined;
	enum wcm_status status = wcm__record_dir_open(
		options->output && *options->output ? options->output :
						      "uftrace.data",
		options->flags & WCM_TRACE_REPLACE, &joined);

	if (status != WCM_OK)
		return status;
	is_read = wcm__trace_is_of_command() && wcm__is_terminal(wcm__trace_stderr());
	wcm__recording.failed = false;
	wcm__recording.pid = (int)getpid();
	wcm__recording.has_data = has_data(options);
	wcm__recording.most = window_size(options->ring_size);
	wcm__recording.start = wcm__ticks_ns();
	wcm__recording.execve = joined ? wcm__session_find_execve() : 0;
	notice_forks();
	wcm__recorded_begin(wcm__recording_add_module);
	wcm__recording_forget_lost();
	if ((!joined && !info_write()) || !wcm__session_write())
		return WCM_EOPEN;
	symbol_files_write();
	stop_at_quick_exit();
	return WCM_OK;
}

static enum wcm_status flush_recording(void)
{
	symbol_files_write();
	return wcm__recording.failed ? WCM_ESYSTEM : WCM_OK;
}

static void prepare_end(bool is_over)
{
	recorded = 0;
	wcm__record_dir_trim(is_read ? &recorded : NULL);
	goes_on = !is_over;
	symbol_files_write();
}

static void prepare_end_later(void)
{
	prepare_end(false);
}

static void finish_recording(void)
{
	wcm__recording_end(); /* a trace that has failed was not stopped */
	prepare_end(true);
	info_finish();
}

const struct wcm_sink wcm__mode_record = {
	.wants_ends = true,
	.goes_on = true,
	.begin = wcm__record_begin,
	.enter = wcm__record_enter,
	.leave = wcm__record_leave,
	.enter_fast = wcm__record_enter_fast,
	.leave_fast = wcm__record_leave_fast,
	.tell_apart = wcm__record_apart,
	.end = wcm__record_end,
	.fork = wcm__record_fork,
	.before_close = wcm__record_before_close,
	.open = open_recording,
	.flush = flush_recording,
	.before_end = prepare_end_later,
	.stop = wcm__recording_stop,
	.crash = wcm__recording_note_elapsed,
	.exec = wcm__recording_before_exec,
	.exit = info_finish,
	.finish = finish_recording,
};
