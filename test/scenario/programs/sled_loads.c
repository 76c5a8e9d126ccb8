/* SPDX-License-Identifier: MIT */
/* sled_loads.c - opens a library that can be patched while it is traced, again and again,
 * while other threads call into others: sled_loads LIBRARY ANOTHER TIMES THREADS
 *
 * Every second time another library takes the place of the first, which then comes to
 * another one. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static const char *names[2];
static int times;

static void *open_and_call(void *argument)
{
	for (int i = 0; i < times; i++) {
		void *other = i % 2 ? dlopen(names[1], RTLD_NOW) : NULL;
		void *library = dlopen(names[0], i % 3 ? RTLD_NOW : RTLD_LAZY);
		void (*run)(void) = library ? (void (*)(void))dlsym(library, "plugin_run") : NULL;

		if (!run) {
			puts(dlerror());
			exit(1);
		}
		run();
		dlclose(library);
		if (other)
			dlclose(other);
	}
	return argument;
}

int main(int argc, char *argv[])
{
	pthread_t thread[MOST];
	const int threads = argc > 4 ? atoi(argv[4]) : 0;

	if (threads < 1 || threads > MOST)
		return 2;
	names[0] = argv[1];
	names[1] = argv[2];
	times = atoi(argv[3]);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, open_and_call, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	puts("done");
	return 0;
}
