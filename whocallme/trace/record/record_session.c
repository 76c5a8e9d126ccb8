/* SPDX-License-Identifier: MIT */
/* record_session.c - writes a session of a recording: one program in one
 * process, and where its modules are.
 *
 * uftrace reads them from a file in the form of /proc/self/maps, named after the session.
 * It has the modules that will most likely be called; others are announced when they are.
 */
#include "trace/record/record_session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/modules/dynsym.h"
#include "core/symbols/slot_names.h"
#include "load/loaded.h"
#include "trace/record/record_dir.h"
#include "trace/names/recorded_modules.h"
#include "trace/system/system_slots.h"
#include "trace/record/record_files.h"

enum { SECOND = 1000000000, NAME_ROOM = 32, LINE_ROOM = 8192, PAGE = 4096 };

static bool is_executable(const struct wcm_known_module *module)
{
	return wcm__loaded_module((struct wcm_known_module *)module)->kind ==
	       WCM_EXECUTABLE;
}

void wcm__session_write_path(FILE *file, const struct wcm_known_module *module)
{
	const char *path = module ? module->map.path : NULL;

	for (; path && *path; path++)
		if ((unsigned char)*path <= ' ' || *path == '"' || *path == '\\')
			fprintf(file, "\\x%02x", (unsigned char)*path);
		else
			putc(*path, file);
}

void wcm__session_write_id(FILE *file, const struct wcm_known_module *module)
{
	for (uint32_t i = 0; i < module->map.build_id_size; i++)
		fprintf(file, "%02x", module->build_id[i]);
}

uintptr_t wcm__session_execve, wcm__session_fork;

static uintptr_t libcs_execve(void)
{
	return wcm__session_execve ? wcm__session_execve : (uintptr_t)&execve;
}

static bool has(const struct wcm_known_module *module, uintptr_t address)
{
	return address >= module->map.lo && address < module->map.hi;
}

/* Whether calls have the address of a word of MODULE's. */
static bool has_slots(const struct wcm_known_module *module)
{
	const struct wcm_slot_names *names = wcm__slot_names_first();

	for (; names; names = names->next)
		if (names->count > 0 && names->slot[0].at >= module->map.lo &&
		    names->slot[0].at < module->map.hi)
			return true;
	return false;
}

/* Whether MODULE is in the session from its beginning.  What can be unloaded is announced when it
 * is first called; this library stays. */
static bool is_mapped(const struct wcm_known_module *module)
{
	return module->map.path && module->map.path[0] == '/' &&
	       (module->permanent ||
		(has(module, (uintptr_t)wcm__system_slot) && has_slots(module)));
}

bool wcm__session_calls(const struct wcm_known_module *module)
{
	return has_slots(module) ||
	       (is_mapped(module) &&
		(is_executable(module) ||
		 wcm__dynsym_wants(&module->map.dynsym, "__cyg_profile_func_enter") ||
		 has(module, libcs_execve()) || has(module, wcm__recording.fork)));
}

static void write_module(FILE *file, const struct wcm_known_module *module)
{
	fprintf(file, "%08" PRIxPTR "-%08" PRIxPTR " r-xp 00000000 00:00 0 %*s",
		module->map.lo, module->map.hi, 25, "");
	wcm__session_write_path(file, module);
	if (module->map.build_id_size > 0) {
		fputs(" build-id:", file);
		wcm__session_write_id(file, module);
	}
	putc('\n', file);
}

struct wcm_known_module wcm__session_place(const struct wcm_slot_names *names)
{
	return (struct wcm_known_module){ .map = *names->place,
					  .build_id = names->place->build_id };
}

/* uftrace takes each entry of a function `execve` for the end of all calls; the system call may
 * fail. */
const char *wcm__session_symbol(const struct wcm_slot_name *slot)
{
	return wcm__is_system_address(slot->at) && strcmp(slot->name, "execve") == 0 ?
		       "sys_execve" : slot->name;
}

/* The places that are made up for probes: they stay, too. */
static void write_places(FILE *file)
{
	const struct wcm_slot_names *names = wcm__slot_names_first();

	for (; names; names = names->next)
		if (names->place && names->place->path[0] == '/') {
			const struct wcm_known_module place = wcm__session_place(names);

			write_module(file, &place);
			wcm__recorded_add(&place);
		}
}

/* uftrace passes over the first line; by the last it knows whose half of all
 * addresses is the kernel's. */
static bool write_map(void)
{
	const uintptr_t stack = (uintptr_t)__builtin_frame_address(0) &
				~(uintptr_t)(PAGE - 1);
	const struct wcm_module_list *list = wcm__modules_get();
	char name[NAME_ROOM];
	FILE *file;

	snprintf(name, sizeof(name), "sid-%s.map", wcm__recording.session);
	file = wcm__record_dir_file(name, WCM_NEW_FILE);
	if (!file)
		return false;
	fprintf(file, "# execve %" PRIxPTR "\n", libcs_execve());
	for (size_t i = 0; i < list->count; i++)
		if (is_mapped(list->module[i])) {
			write_module(file, list->module[i]);
			wcm__recorded_add(list->module[i]);
		}
	write_places(file);
	fprintf(file, "%08" PRIxPTR "-%08" PRIxPTR " rw-p 00000000 00:00 0 %*s[stack]\n",
		stack, stack + PAGE, 25, "");
	return wcm__record_dir_close(file);
}

const struct wcm_known_module *wcm__session_executable(void)
{
	const struct wcm_module_list *list = wcm__modules_get();

	for (size_t i = 0; i < list->count; i++)
		if (is_executable(list->module[i]))
			return list->module[i];
	return NULL;
}

static bool append_line(void)
{
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size), *file;
	bool written;

	if (!line)
		return false;
	fprintf(line, "SESS timestamp=%" PRIu64 ".%09" PRIu64 " pid=%ld sid=%s exename=\"",
		wcm__recording.start / SECOND, wcm__recording.start % SECOND,
		(long)getpid(), wcm__recording.session);
	wcm__session_write_path(line, wcm__session_executable());
	fputs("\"\n", line);
	fclose(line);
	file = wcm__record_dir_file("task.txt", O_WRONLY | O_CREAT | O_APPEND);
	if (!file)
		return false;
	setvbuf(file, NULL, _IOFBF, size + 1);
	fwrite(text, size, 1, file);
	written = wcm__record_dir_close(file);
	free(text);
	return written;
}

bool wcm__session_write(void)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = wcm__recording.start ^ (uint64_t)getpid() << 40;
	snprintf(wcm__recording.session, sizeof(wcm__recording.session),
		 "%016" PRIx64, random);
	return write_map() && append_line();
}

static uint64_t read_execve(const char *session)
{
	char name[NAME_ROOM];
	uint64_t address = 0;
	FILE *file;

	snprintf(name, sizeof(name), "sid-%.16s.map", session);
	file = wcm__record_dir_file(name, O_RDONLY);
	if (!file)
		return 0;
	if (fscanf(file, "# execve %" SCNx64, &address) != 1)
		address = 0;
	fclose(file);
	return address;
}

/* The last session that task.txt names for PID; or who its parent is. */
static void find_session(long pid, char session[WCM_SESSION_DIGITS + 1], long *parent)
{
	char line[LINE_ROOM], sid[WCM_SESSION_DIGITS + 1];
	long id, of;
	FILE *file = wcm__record_dir_file("task.txt", O_RDONLY);

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SESS timestamp=%*s pid=%ld sid=%16s", &id, sid) == 2 &&
		    id == pid)
			strcpy(session, sid);
		else if (sscanf(line, "FORK timestamp=%*s pid=%ld ppid=%ld", &id,
				&of) == 2 &&
			 id == pid)
			*parent = of;
	if (file)
		fclose(file);
}

uint64_t wcm__session_find_execve(void)
{
	char session[WCM_SESSION_DIGITS + 1] = "";
	long pid = getpid(), parent = 0;

	find_session(pid, session, &parent);
	if (!*session && parent)
		find_session(parent, session, &parent);
	return *session ? read_execve(session) : 0;
}
