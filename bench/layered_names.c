/* SPDX-License-Identifier: MIT */
/* layered_names.c - what the name of a frame takes, by the kind of module it lies in.
 *
 * The call sites of a layered program, in an order drawn by their hash, are looked up over
 * and over; for the contenders whose name ends in -libc it is functions of libc.
 * full_backtrace() writes a whole stack to /dev/null, and a line is what counts.
 */
#include "layered.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_LIBBACKTRACE
#include <backtrace.h>
#endif

#include <whocallme.h>

#include "clock.h"

enum { MOST_SITES = 4000 };

typedef const char *name_function(uintptr_t address);

static uintptr_t sites[MOST_SITES];
static size_t site_count;

static const char *name_find(uintptr_t address)
{
	struct wcm_symbol symbol;

	return wcm_symbol_find(address, &symbol) == WCM_OK ? symbol.name : NULL;
}

static const char *name_classic(uintptr_t address)
{
	return find_function_by_addr(address);
}

static const char *name_dladdr(uintptr_t address)
{
	Dl_info info;

	return dladdr((const void *)address, &info) ? info.dli_sname : NULL;
}

#ifdef HAVE_LIBBACKTRACE
static void keep_name(void *data, uintptr_t pc, const char *name, uintptr_t value,
		      uintptr_t size)
{
	const char **kept = data;

	(void)pc, (void)value, (void)size;
	*kept = name;
}

static void ignore_error(void *data, const char *text, int number)
{
	(void)data, (void)text, (void)number;
}

static const char *name_libbacktrace(uintptr_t address)
{
	static struct backtrace_state *state;
	const char *name = NULL;

	if (!state)
		state = backtrace_create_state(NULL, 0, ignore_error, NULL);
	backtrace_syminfo(state, address, keep_name, ignore_error, &name);
	return name;
}
#endif

static void leaf_collect(void)
{
	static struct wcm_frame frames[MOST_FRAMES];
	size_t count = wcm_stack_capture(frames, MOST_FRAMES, 1, NULL);

	for (size_t i = 0; i < count; i++)
		if (site_count < MOST_SITES && note_site(frames[i].pc))
			sites[site_count++] = wcm_frame_site(&frames[i]);
	frames_taken += count;
}

static void leaf_write(void)
{
	frames_taken += (size_t)full_backtrace();
}

static void collect_libc(void)
{
	static const char *const names[] = {
		"qsort", "printf", "malloc", "free", "fopen", "getenv", "strtoul", "memcpy",
		"nanosleep", "read", "write", "fputs", "setlocale", "time", "mktime", "glob",
		"regexec", "getaddrinfo", "strftime", "scandir", "popen", "system", "fread",
		"vsnprintf", "qsort_r", "bsearch", "realpath", "tmpfile", "wordexp", "ftw",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *function = dlsym(RTLD_DEFAULT, names[i]);

		if (function)
			sites[site_count++] = (uintptr_t)function + 1;
	}
}

static int compare_hashes(const void *left, const void *right)
{
	uintptr_t a = *(const uintptr_t *)left * 0x9e3779b97f4a7c15u;
	uintptr_t b = *(const uintptr_t *)right * 0x9e3779b97f4a7c15u;

	return (a > b) - (a < b);
}

/* Nearly all of them, but for main and what called it, are in functions layer_N_M. */
static bool is_right(const char *name, bool in_libc)
{
	return name && (in_libc || strncmp(name, "layer", 5) == 0);
}

static void measure_names(name_function *name, bool in_libc)
{
	enum { BETWEEN_LOOKS = 256 };
	const double longest = 2e8;
	size_t count = 0, named = 0, known = 0;
	double start;

	qsort(sites, site_count, sizeof(*sites), compare_hashes);
	for (size_t i = 0; i < site_count; i++)
		named += is_right(name(sites[i]), in_libc);
	emit("sites", (double)site_count);
	emit("named", (double)named / (double)site_count);
	start = thread_ns();
	do {
		for (size_t i = 0; i < BETWEEN_LOOKS; i++, count++)
			known += name(sites[count % site_count]) != NULL;
	} while (thread_ns() - start < longest);
	emit("name_ns", (thread_ns() - start) / (double)count);
	emit("known", (double)known / (double)count);
}

static void measure_lines(const struct programs *programs)
{
	size_t stacks = programs->stacks;
	double first;

	if (dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) < 0)
		give_up("there is no /dev/null");
	pass(programs, programs->enter[0], leaf_write, 0, &stacks);
	frames_taken = 0;
	first = pass(programs, programs->enter[0], leaf_write, 0, &stacks);
	emit("name_ns", first / (double)frames_taken);
}

static name_function *find_name_function(const char *contender)
{
	if (strncmp(contender, "wcm_symbol_find", 15) == 0)
		return name_find;
	if (strncmp(contender, "find_function_by_addr", 21) == 0)
		return name_classic;
	if (strncmp(contender, "dladdr", 6) == 0)
		return name_dladdr;
#ifdef HAVE_LIBBACKTRACE
	if (strncmp(contender, "libbacktrace", 12) == 0)
		return name_libbacktrace;
#endif
	exit(77);
}

void case_names(const struct programs *programs, const char *contender)
{
	const bool in_libc = strstr(contender, "-libc") != NULL;
	size_t stacks = programs->stacks;

	if (strcmp(contender, "full_backtrace") == 0) {
		measure_lines(programs);
		return;
	}
	if (in_libc)
		collect_libc();
	else
		pass(programs, programs->enter[0], leaf_collect, 0, &stacks);
	measure_names(find_name_function(contender), in_libc);
}
