/* SPDX-License-Identifier: MIT */
/* preload.c - installs the crash report in a program that knows nothing of it.
 *
 *	LD_PRELOAD=libwhocallme-preload.so program
 *
 * Links nothing but libc; names come from each module's mapped .dynsym, and in a crash
 * from the executable's file.
 *
 * It is initialised first of all libraries (-z initfirst), so that a crash in the
 * constructor of another one is reported.  glibc, which does so, has not initialised
 * itself then.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/modules/linked.h"
#include "core/modules/module_origin.h"
#include "core/modules/modules.h"
#include "core/os/file.h"
#include "core/os/start_page.h"
#include "core/report/refuse_setting.h"
#include "format/line.h"
#include "format/settings.h"
#include "trace/engine/gate.h"
#include "trace/engine/trace_stderr.h"
#include "trace/flight/flight_ring.h"
#include "trace/start/flight_start.h"
#include "watch/interposed.h"
#include "whocallme/crash.h"
#include "whocallme/trace.h"

/* Reads what the environment asks of the preloaded crash report.
 *
 * It runs at the start of a program that did not ask for it, so it allocates nothing
 * and prints only what is wrong. */

static void complain(enum wcm_setting_id which)
{
	wcm__setting_refuse(STDERR_FILENO, "", NULL, which, " is ignored");
}

/* Seconds, with up to three decimals, in milliseconds; 0: it is none. */
static uint32_t milliseconds(const char *text)
{
	enum { LONGEST = 1000000 };
	uint64_t value = 0, unit = 1000;

	for (; *text >= '0' && *text <= '9'; text++) {
		value = value * 10 + (uint64_t)(*text - '0') * 1000;
		if (value > LONGEST * 1000u)
			return 0;
	}
	if (*text == '.')
		while (*++text >= '0' && *text <= '9') {
			unit /= 10;
			value += (uint64_t)(*text - '0') * unit;
		}
	return *text ? 0 : (uint32_t)value;
}

static uint32_t read_deadline(void)
{
	const char *value = wcm__setting(NULL, WCM_SET_DEADLINE);
	uint32_t deadline = value ? milliseconds(value) : 0;

	if (value && !deadline)
		complain(WCM_SET_DEADLINE);
	return deadline;
}

/* The library reads it; it has no word for what is wrong with it. */
static void check_helper(void)
{
	enum { LONGEST = 4095 };
	const char *value = wcm__setting(NULL, WCM_SET_HELPER);

	if (value && strlen(value) > LONGEST)
		complain(WCM_SET_HELPER);
}

/* The setting after WHICH of the crash report. */
static enum wcm_setting_id next_setting(enum wcm_setting_id which)
{
	do
		which++;
	while (which < WCM_SETTINGS && wcm__settings[which].reader != WCM_SETTING_CRASH);
	return which;
}

/* Fill OPTIONS from the WHOCALLME_ variables of whocallme-environment(7).  A value that makes no
 * sense gets a line on stderr and is as if it were not there. */
static void settings_read(struct wcm_crash_options *options)
{
	enum wcm_setting_id each;

	options->file = wcm__setting(NULL, WCM_SET_FILE);
	options->deadline_ms = read_deadline();
	check_helper();
	for (each = WCM_SET_FILE; each < WCM_SETTINGS; each = next_setting(each)) {
		const bool is_list = wcm__settings[each].kind == WCM_SETTING_WORDS;

		if (wcm__settings[each].kind != WCM_SETTING_TEXT &&
		    !wcm__setting_flags(NULL, each,
					is_list ? &options->sections : &options->flags))
			complain(each);
	}
}

/* Take the words of LIST that end in the file name of LIBRARY out of it, where it
 * is: what main() was given is the same memory. */
static void remove_library(char *list, const char *library)
{
	const char *slash = strrchr(library, '/');
	const char *name = slash ? slash + 1 : library;
	char *to = list;

	while (*list) {
		size_t word = strcspn(list, ": "), length = strlen(name);
		size_t next = word + (list[word] ? 1 : 0);

		if (word < length ||
		    memcmp(list + word - length, name, length) != 0 ||
		    (word > length && list[word - length - 1] != '/')) {
			memmove(to, list, next);
			to += next;
		}
		list += next;
	}
	*to = '\0';
}

/* Whether WHOCALLME_CHILDREN says so. */
static bool settings_are_kept_from_children(void)
{
	enum { YES, NO };
	int word;

	return wcm__setting_word(NULL, WCM_SET_CHILDREN, &word) && word == NO;
}

/* Take the variables of the crash report, and LIBRARY out of LD_PRELOAD, from what children of this
 * process inherit. */
static void settings_keep_from_children(const char *library)
{
	enum wcm_setting_id each;
	char *preloaded;

	for (each = WCM_SET_FILE; each < WCM_SETTINGS; each = next_setting(each))
		unsetenv(wcm__settings[each].variable);
	preloaded = getenv("LD_PRELOAD");
	if (!preloaded)
		return;
	remove_library(preloaded, library);
	if (!*preloaded)
		unsetenv("LD_PRELOAD");
}

/* The hooks of -finstrument-functions, for a preloaded crash report that has
 * last calls.
 *
 * They take the place of those of trace/hooks/cyg.c.  A program may be
 * linked with libwhocallme.so, or bring other hooks in a library: those are called next, as
 * a jump, so that they see who called. */

typedef void hook(void *func, void *call_site);

static hook *next_enter, *next_exit;

/* Find the hooks that would be called without ours. */
static void preload_hooks_prepare(void)
{
	*(void **)&next_enter = dlsym(RTLD_NEXT, "__cyg_profile_func_enter");
	*(void **)&next_exit = dlsym(RTLD_NEXT, "__cyg_profile_func_exit");
}

void __cyg_profile_func_enter(void *func, void *call_site)
{
	const uint32_t flight = wcm__gate_word().flight;

	if (flight)
		wcm__flight_enter((uintptr_t)func, WCM_ARCH_CALLER().sp, flight);
	if (next_enter)
		next_enter(func, call_site);
}

void __cyg_profile_func_exit(void *func, void *call_site)
{
	const uint32_t flight = wcm__gate_word().flight;

	if (flight)
		wcm__flight_leave(flight);
	if (next_exit)
		next_exit(func, call_site);
}

static void say(const char *what)
{
	wcm__line_say(STDERR_FILENO, what, NULL, "");
}

/* What is left out is the one thing that each alone cannot tell. */
static void install(struct wcm_crash_options *options)
{
	const uint32_t of_file = WCM_CRASH_FILE_ONLY | WCM_CRASH_APPEND;

	if (!options->file && (options->flags & WCM_CRASH_FILE_ONLY))
		say("WHOCALLME_STDERR=no is ignored; there is no "
			 "WHOCALLME_FILE");
	if (!options->file && (options->flags & WCM_CRASH_APPEND))
		say("WHOCALLME_APPEND=yes is ignored; there is no "
			 "WHOCALLME_FILE");
	if (!options->file)
		options->flags &= ~of_file;
	if (wcm_crash_install(options) != WCM_EINVAL)
		return;
	say("WHOCALLME_FILE is ignored; it takes a name of up to 4095 bytes "
		 "with %p, %e, %t and %% in it");
	options->file = NULL;
	options->flags &= ~of_file;
	wcm_crash_install(options);
}

/* A report may be read from anywhere, and so may "./program".  Where the dynamic linker was told
 * to run the program, the kernel's reference is to that linker. */
static void name_executable(void)
{
	static char path[WCM_MODULE_PATH];
	const char *given = (const char *)getauxval(AT_EXECFN);
	const bool by_linker = getauxval(AT_BASE) == 0;
	struct wcm_module module;

	if (given && given[0] == '/' && !by_linker)
		return;
	if (!by_linker)
		wcm__readlinkat(AT_FDCWD, "/proc/self/exe", path, sizeof(path) - 1);
	else if (wcm__module_find_live(&module, getauxval(AT_PHDR)))
		wcm__module_file_find(&module, path);
	if (path[0] == '/')
		wcm__modules_name_executable(path);
}

static void start_flight(void)
{
	const uint32_t calls = wcm__flight_asked();

	if (calls > 0)
		wcm__flight_start(calls);
}

static void install_all(void)
{
	struct wcm_crash_options options = { 0 };
	Dl_info ours;

	name_executable();
	wcm__trace_stderr_note();
	settings_read(&options);
	preload_hooks_prepare();
	install(&options);
	start_flight();
	if (settings_are_kept_from_children() &&
	    dladdr((void *)(uintptr_t)install_all, &ours))
		settings_keep_from_children(ours.dli_fname);
}

static bool is_left_to_start WCM_START_PAGE;

/* A program with privileges of its own is not told what to do by whoever started it.  A
 * libc that hands constructors no arguments has an environment by now.  A sanitizer's
 * functions in the place of libc's cannot be called before it is initialised. */
__attribute__((constructor)) static void install_at_load(int argc, char **argv, char **envp)
{
	(void)argc, (void)argv;
	if (getauxval(AT_SECURE))
		return;
	if (!environ) {
		is_left_to_start = wcm__sigaction_is_interposed();
		if (!is_left_to_start)
			environ = envp;
	}
	if (!is_left_to_start)
		install_all();
}

typedef int start_function(int (*run)(int, char **, char **), int argc, char **argv,
			   void (*init)(void), void (*fini)(void), void (*leave)(void),
			   void *stack_end);

extern start_function __libc_start_main; /* libc's headers have none */

/* What the program's first code calls, all libraries being initialised.  It leaves no
 * frame on the stack. */
WCM_API int __libc_start_main(int (*run)(int, char **, char **), int argc, char **argv,
			      void (*init)(void), void (*fini)(void), void (*leave)(void),
			      void *stack_end)
{
	start_function *real;

	*(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
	if (is_left_to_start)
		install_all();
	return real(run, argc, argv, init, fini, leave, stack_end);
}

/* What the hooks and the lines refer to; nobody starts either from here. */
extern const char wcm__trace_control, wcm__lines_control;
const char wcm__trace_control = 0, wcm__lines_control = 0;
