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
#include "core/report/line.h"
#include "trace/start/flight_start.h"
#include "trace/flight/flight_ring.h"
#include "trace/engine/gate.h"
#include "trace/engine/trace_stderr.h"
#include "watch/signals.h"
#include "whocallme/crash.h"
#include "whocallme/trace.h"

/* Reads what the environment asks of the preloaded crash report.
 *
 * It runs at the start of a program that did not ask for it, so it allocates nothing
 * and prints only what is wrong. */

static const char prefix[] = "WHOCALLME_";

/* The trace is not of the crash report. */
static const char *const names[] = { "FILE",	"APPEND", "FORMAT",
				     "SECTIONS", "DEADLINE", "STDERR",
				     "QUIT",	"CHAIN", "CHILDREN",
				     "HELPER",	"DEMANGLE", "ARGUMENTS",
				     "FLIGHT" };
enum { NAMES = sizeof(names) / sizeof(*names) };

/* WHOCALLME_NAME, or NULL; what is empty is not set. */
static const char *setting(const char *name)
{
	char variable[32];
	const char *value;

	strcpy(variable, prefix);
	strcat(variable, name);
	value = getenv(variable);
	return value && *value ? value : NULL;
}

static void complain(const char *name, const char *value, const char *takes)
{
	struct wcm_line line;

	wcm__line_begin(&line, STDERR_FILENO);
	wcm__line_text(&line, prefix);
	wcm__line_text(&line, name);
	wcm__line_text(&line, "=");
	wcm__line_name(&line, value);
	wcm__line_text(&line, " is ignored; it takes ");
	wcm__line_text(&line, takes);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

/* A setting that takes a word.  The first is what holds without the setting. */
struct word_setting {
	const char *name, *takes;
	struct {
		const char *word;
		uint32_t flags;
	} word[3];
};

static const struct word_setting settings[] = {
	{ "DEMANGLE", "short, full or no",
	  { { "short", 0 }, { "full", WCM_CRASH_FULL_NAMES }, { "no", WCM_CRASH_MANGLED_NAMES } } },
	{ "FORMAT", "text or json", { { "text", 0 }, { "json", WCM_CRASH_JSON } } },
	{ "STDERR", "yes, no or any",
	  { { "yes", 0 }, { "no", WCM_CRASH_FILE_ONLY }, { "any", WCM_CRASH_ANY_DESCRIPTOR } } },
	{ "APPEND", "yes or no", { { "no", 0 }, { "yes", WCM_CRASH_APPEND } } },
	{ "QUIT", "yes or no", { { "no", 0 }, { "yes", WCM_CRASH_THREADS_ON_QUIT } } },
	{ "ARGUMENTS", "yes or no", { { "yes", 0 }, { "no", WCM_CRASH_NO_ARGUMENTS } } },
	{ "CHAIN", "first or last", { { "last", 0 }, { "first", WCM_CRASH_CHAIN_FIRST } } },
};

static uint32_t read_word(const struct word_setting *known)
{
	const char *value = setting(known->name);

	for (size_t i = 0; value && i < 3 && known->word[i].word; i++)
		if (strcmp(value, known->word[i].word) == 0)
			return known->word[i].flags;
	if (value)
		complain(known->name, value, known->takes);
	return 0;
}

/* The section that the LENGTH bytes at WORD name; 0: none. */
static uint32_t section(const char *word, size_t length)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} sections[] = {
		{ "stack", WCM_SECTION_STACK },
		{ "registers", WCM_SECTION_REGISTERS },
		{ "code", WCM_SECTION_CODE },
		{ "threads", WCM_SECTION_THREADS },
		{ "modules", WCM_SECTION_MODULES },
		{ "program", WCM_SECTION_PROGRAM },
		{ "calls", WCM_SECTION_CALLS },
		{ "thread-calls", WCM_SECTION_THREAD_CALLS },
		{ "all", WCM_SECTION_STACK | WCM_SECTION_REGISTERS |
				 WCM_SECTION_CODE | WCM_SECTION_THREADS |
				 WCM_SECTION_MODULES | WCM_SECTION_PROGRAM |
				 WCM_SECTION_CALLS },
	};

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (strlen(sections[i].name) == length &&
		    memcmp(sections[i].name, word, length) == 0)
			return sections[i].bits;
	return 0;
}

static uint32_t read_sections(void)
{
	const char *value = setting("SECTIONS"), *word = value;
	uint32_t bits = 0, more;

	while (word) {
		size_t length = strcspn(word, ",");

		more = section(word, length);
		if (!more) {
			complain("SECTIONS", value,
				 "stack, registers, code, threads, modules, "
				 "program, calls, thread-calls, between commas, or all");
			return 0;
		}
		bits |= more;
		word = word[length] ? word + length + 1 : NULL;
	}
	return bits;
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
	const char *value = setting("DEADLINE");
	uint32_t deadline = value ? milliseconds(value) : 0;

	if (value && !deadline)
		complain("DEADLINE", value, "seconds, up to 1000000");
	return deadline;
}

/* The library reads it; it has no word for what is wrong with it. */
static void check_helper(void)
{
	enum { LONGEST = 4095 };
	const char *value = setting("HELPER");

	if (value && strlen(value) > LONGEST)
		complain("HELPER", value, "a path of up to 4095 bytes, or no");
}

/* Fill OPTIONS from the WHOCALLME_ variables of README.md.  A value that makes no
 * sense gets a line on stderr and is as if it were not there. */
static void settings_read(struct wcm_crash_options *options)
{
	options->file = setting("FILE");
	options->sections = read_sections();
	options->deadline_ms = read_deadline();
	check_helper();
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		options->flags |= read_word(&settings[i]);
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

/* Whether WHOCALLME_CHILDREN says so; take those variables, and LIBRARY out of
 * LD_PRELOAD, from what children of this process inherit. */
static bool settings_are_kept_from_children(void)
{
	static const struct word_setting children = { "CHILDREN", "yes or no",
						      { { "yes", 0 }, { "no", 1 } } };

	return read_word(&children) != 0;
}

static void settings_keep_from_children(const char *library)
{
	char variable[32], *preloaded;

	for (int i = 0; i < NAMES; i++) {
		strcpy(variable, prefix);
		strcat(variable, names[i]);
		unsetenv(variable);
	}
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
