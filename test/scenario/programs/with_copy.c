/* SPDX-License-Identifier: MIT */
/* with_copy.c - a plugin with a copy of the library in it starts something of that.  With -DHOST,
 * the program that opens the plugin, has it start HOW, closes it, and goes on for some time; then
 * it reads where nothing is.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef HOST

#include <dlfcn.h>

#ifdef LINKED
#include <whocallme.h>
#endif

static volatile int *volatile nowhere;

int main(int argc, char *argv[])
{
	void *plugin = dlopen(argv[1], RTLD_NOW);
	union {
		void *object;
		int (*function)(const char *);
	} start;

	if (!plugin || argc < 3)
		return 2;
#ifdef LINKED
	wcm_crash_install(NULL);
#endif
	start.object = dlsym(plugin, "plug_start");
	if (start.function(argv[2]) != 0)
		return 3;
	dlclose(plugin);
	usleep(300000);
	puts("here");
	fflush(stdout);
	return *nowhere;
}

#else

#include <whocallme.h>

static void hook(void)
{
}

int plug_start(const char *how);
int plug_start(const char *how)
{
	const struct wcm_trace_options options = { .mode = WCM_TRACE_LOG, .output = "/dev/null" };

	if (strcmp(how, "crash") == 0)
		return wcm_crash_install(NULL);
	if (strcmp(how, "watchdog") == 0)
		return wcm_watchdog_start(100);
	if (strcmp(how, "agent") == 0)
		return wcm_agent_start();
	if (strcmp(how, "trace") == 0)
		return wcm_trace_start(&options);
	if (strcmp(how, "flight") == 0)
		return wcm_flight_start(10);
	if (strcmp(how, "lines") == 0)
		return wcm_lines_start(NULL);
	if (strcmp(how, "hook") == 0)
		wcm_hook(hook);
	return 0;
}

#endif
