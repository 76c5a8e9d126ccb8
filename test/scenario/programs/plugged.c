/* SPDX-License-Identifier: MIT */
/* plugged.c - uses plugin.c: linked, or opened before or after the table is
 * loaded. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <whocallme.h>

#define CALLER __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("")

static void (*asks)(void), (*calls)(void);

#ifdef LINKED
extern void plugin_asks(void), plugin_calls(void);

static void open_plugin(const char *path)
{
	(void)path;
	asks = plugin_asks;
	calls = plugin_calls;
}
#else
static void open_plugin(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW);

	asks = (void (*)(void))dlsym(plugin, "plugin_asks");
	calls = (void (*)(void))dlsym(plugin, "plugin_calls");
}
#endif

CALLER static void use_plugin(void)
{
	asks();
	NO_TAIL_CALL;
	calls();
	NO_TAIL_CALL;
}

/* plugged before|after|again PLUGIN: when the plugin is opened; "again" loads
 * the table once more. */
int main(int argc, char *argv[])
{
	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "before") == 0)
		open_plugin(argv[2]);
	init_function_table(argv[0]);
	if (strcmp(argv[1], "before") != 0)
		open_plugin(argv[2]);
	if (strcmp(argv[1], "again") == 0)
		init_function_table(argv[0]);
	use_plugin();
	return 0;
}
