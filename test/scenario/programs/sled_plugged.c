/* SPDX-License-Identifier: MIT */
/* sled_plugged.c - a library that can be patched is unloaded while it is traced, and comes
 * again: sled_plugged LIBRARY ANOTHER */
#include <dlfcn.h>
#include <stdio.h>
#include <whocallme.h>

static void call(void *library)
{
	void (*run)(void) = (void (*)(void))dlsym(library, "plugin_run");

	run();
}

int main(int argc, char *argv[])
{
	const struct wcm_trace_options options = { .mode = WCM_TRACE_LOG };
	void *library;

	for (int i = 0; argc > 2 && i < 20; i++) {
		library = dlopen(argv[1 + i % 2], RTLD_NOW);
		if (!library || wcm_trace_start(&options) != WCM_OK)
			return 1;
		call(library);
		dlclose(library);
		if (i % 3 == 0) /* other code where it was */
			library = dlopen(argv[1 + (i + 1) % 2], RTLD_NOW);
		wcm_trace_stop();
		if (i % 3 == 0) {
			call(library);
			dlclose(library);
		}
	}
	puts("done");
	return 0;
}
