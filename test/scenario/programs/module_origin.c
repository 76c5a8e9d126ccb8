/* SPDX-License-Identifier: MIT */
/* module_origin.c - a program whose files are moved and replaced while it runs.
 *
 * module_origin LIBRARY COMMAND DIRECTORY WHAT: opens LIBRARY, or has it ("needed"), runs
 * COMMAND, goes to DIRECTORY, each unless it is empty; then WHAT, in a function of the library
 * if there is one.
 */
#include <whocallme.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *what;

static void resolve(uintptr_t address)
{
	struct wcm_sources *sources;
	struct wcm_symbol symbol;
	enum wcm_status status = wcm_symbol_find(address, &symbol);

	printf("name: %s in %s\n", symbol.name ? symbol.name : "??", symbol.module);
	status = wcm_symbol_resolve(address, &sources);
	if (status == WCM_OK)
		printf("source: %s at %s:%u\n", sources->source[0].function,
		       sources->source[0].file, sources->source[0].line);
	else
		printf("source: %s\n", wcm_status_text(status));
	wcm_sources_free(sources);
}

/* Called by a hidden function, which is at ADDRESS. */
__attribute__((noinline)) void arrive(uintptr_t address)
{
	if (strcmp(what, "crash") == 0)
		*(volatile char *)0 = 1;
	else if (strcmp(what, "lines") == 0)
		full_backtrace();
	else if (strcmp(what, "wait") == 0)
		for (;;)
			pause();
	else
		resolve(address);
}

__attribute__((noinline)) static void inner(void)
{
	arrive((uintptr_t)inner);
	__asm__ volatile("");
}

int main(int argc, char *argv[])
{
	void (*plug)(void (*)(uintptr_t)) = NULL;
	void *library = NULL;

	if (argc != 5)
		return 2;
	what = argv[4];
	if (strcmp(what, "crash") == 0 && !getenv("LD_PRELOAD"))
		wcm_crash_install(NULL);
	if (argv[1][0])
		library = dlopen(strcmp(argv[1], "needed") == 0 ? NULL : argv[1], RTLD_NOW);
	if (argv[1][0] && !library)
		return 3;
	if (library)
		*(void **)&plug = dlsym(library, "plug");
	if ((argv[2][0] && system(argv[2]) != 0) || (argv[3][0] && chdir(argv[3]) != 0))
		return 4;
	if (plug)
		plug(arrive);
	else
		inner();
	return 0;
}
