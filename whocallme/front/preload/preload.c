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
#include <sys/auxv.h>
#include <unistd.h>

#include "core/modules/linked.h"
#include "core/modules/module_origin.h"
#include "core/modules/modules.h"
#include "core/os/file.h"
#include "core/os/start_page.h"
#include "core/report/line.h"
#include "front/preload/preload_hooks.h"
#include "front/preload/settings.h"
#include "trace/control/flight_start.h"
#include "trace/probe/trace_stderr.h"
#include "watch/signals.h"

static void complain(const char *what)
{
	wcm__line_say(STDERR_FILENO, what, NULL, "");
}

/* What is left out is the one thing that each alone cannot tell. */
static void install(struct wcm_crash_options *options)
{
	const uint32_t of_file = WCM_CRASH_FILE_ONLY | WCM_CRASH_APPEND;

	if (!options->file && (options->flags & WCM_CRASH_FILE_ONLY))
		complain("WHOCALLME_STDERR=no is ignored; there is no "
			 "WHOCALLME_FILE");
	if (!options->file && (options->flags & WCM_CRASH_APPEND))
		complain("WHOCALLME_APPEND=yes is ignored; there is no "
			 "WHOCALLME_FILE");
	if (!options->file)
		options->flags &= ~of_file;
	if (wcm_crash_install(options) != WCM_EINVAL)
		return;
	complain("WHOCALLME_FILE is ignored; it takes a name of up to 4095 bytes "
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
	wcm__settings_read(&options);
	wcm__preload_hooks_prepare();
	install(&options);
	start_flight();
	if (wcm__settings_are_kept_from_children() &&
	    dladdr((void *)(uintptr_t)install_all, &ours))
		wcm__settings_keep_from_children(ours.dli_fname);
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
