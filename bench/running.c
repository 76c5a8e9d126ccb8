/* SPDX-License-Identifier: MIT */
/* running.c - the same questions asked by the running program about itself.
 *
 *	running peek|find|libbacktrace|dladdr LIST
 *
 * It is linked with the generated functions.  Loading takes in every module of
 * the process, and its debug file where there is one, for all contenders.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#ifdef HAVE_LIBBACKTRACE
#include <backtrace.h>
#endif
#include <whocallme.h>

#include "clock.h"
#include "targets.h"

enum { TARGETS = 65536 };

struct contender {
	const char *name;
	void (*load)(uint64_t first); /* may be NULL */
	const char *(*find)(uint64_t address);
};

static void load_table(uint64_t first)
{
	(void)first;
	if (init_function_table(NULL) != 0)
		give_up(wcm_status_text(wcm_status_get()));
}

static const char *find_by_peek(uint64_t address)
{
	struct wcm_symbol symbol;

	return wcm_symbol_peek(address, &symbol) == WCM_OK ? symbol.name : NULL;
}

static const char *find_by_classic(uint64_t address)
{
	return find_function_by_addr(address);
}

static const char *find_by_dladdr(uint64_t address)
{
	Dl_info info;

	return dladdr((void *)(uintptr_t)address, &info) ? info.dli_sname
							 : NULL;
}

#ifdef HAVE_LIBBACKTRACE
static struct backtrace_state *state;

static void ignore_error(void *data, const char *message, int number)
{
	(void)data, (void)message, (void)number;
}

static void keep_name(void *data, uintptr_t pc, const char *name,
		      uintptr_t value, uintptr_t size)
{
	(void)pc, (void)value, (void)size;
	*(const char **)data = name;
}

static const char *find_by_libbacktrace(uint64_t address)
{
	const char *name = NULL;

	backtrace_syminfo(state, address, keep_name, ignore_error, &name);
	return name;
}

static void load_libbacktrace(uint64_t first)
{
	state = backtrace_create_state(NULL, 0, ignore_error, NULL);
	if (!state || !find_by_libbacktrace(first))
		give_up("libbacktrace knows nothing of this program");
}
#endif

static const struct contender contenders[] = {
	{ "peek", load_table, find_by_peek },
	{ "find", load_table, find_by_classic },
	{ "dladdr", NULL, find_by_dladdr },
#ifdef HAVE_LIBBACKTRACE
	{ "libbacktrace", load_libbacktrace, find_by_libbacktrace },
#endif
};

/* The executable is reported first. */
static int keep_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

static void measure(const struct contender *contender, const char *list)
{
	struct target *target = targets_read(list, TARGETS);
	uint64_t bias = 0;
	double start;

	dl_iterate_phdr(keep_bias, &bias);
	start = clock_ns();
	if (contender->load) {
		contender->load(target[0].address + bias);
		emit("load_ns", clock_ns() - start);
	}
	targets_measure(target, TARGETS, bias, contender->find);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		give_up("usage: running CONTENDER LIST");
	for (size_t i = 0; i < sizeof(contenders) / sizeof(*contenders); i++)
		if (strcmp(contenders[i].name, argv[1]) == 0) {
			measure(&contenders[i], argv[2]);
			return 0;
		}
	return 77; /* built without it */
}
