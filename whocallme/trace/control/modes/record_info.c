/* SPDX-License-Identifier: MIT */
/* record_info.c - writes the file `info`: what was recorded, and on which machine.
 *
 * The file is a header and lines of text; a mask in the header says which lines there are.
 */
#include "trace/control/modes/record_info.h"

#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/modules/modules.h"
#include "core/os/file.h"
#include "core/report/line.h"
#include "format/uftrace.h"
#include "format/wall_time.h"
#include "trace/control/modes/lost.h"
#include "trace/control/modes/record_dir.h"
#include "trace/control/modes/record_session.h"
#include "trace/probe/gate.h"
#include "trace/probe/tracer.h"
#include "trace/record/record_files.h"
#include "trace/record/sink_record.h"
#include "whocallme/trace.h"

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
	/* Files beside those of symbols say it: see values_file.c. */
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

bool wcm__info_write(void)
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

void wcm__info_finish(void)
{
	uint32_t deepest = 0;

	for (const struct wcm_tracer *tracer = wcm__tracer_first(); tracer;
	     tracer = tracer->next)
		if (tracer->deepest > deepest)
			deepest = tracer->deepest;
	if (deepest > LEAST_STACK)
		raise_max_stack(deepest);
	wcm__lost_tell_recording(wcm__recording.directory, wcm__recording_lost());
}
