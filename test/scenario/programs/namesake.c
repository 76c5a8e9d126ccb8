/* SPDX-License-Identifier: MIT */
/* namesake.c - a library is loaded that has the file name of one that is needed,
 * and unloaded: its function is known to be gone. */
#include <dlfcn.h>
#include <stdio.h>
#include <whocallme.h>

extern int needed(void);

int main(int argc, char *argv[])
{
	void *plugin = dlopen(argv[1], RTLD_NOW);
	void *function = plugin ? dlsym(plugin, "plugged") : NULL;
	struct wcm_symbol symbol;

	(void)argc;
	needed();
	init_function_table(argv[0]);
	if (!function)
		return 1;
	dlclose(plugin);
	wcm_symbol_peek((uintptr_t)function, &symbol);
	printf("%s %d\n", symbol.name ? symbol.name : "?",
	       (symbol.flags & WCM_SYMBOL_UNLOADED) != 0);
	return 0;
}
