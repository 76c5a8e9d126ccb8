/* SPDX-License-Identifier: MIT */
/* loads.c - a library that comes, calls back, goes, and comes again. */
#include <dlfcn.h>
#include <stdio.h>

static volatile int sink;

__attribute__((noinline)) static void called_back(int number)
{
	sink += number;
}

__attribute__((noinline)) static int use(const char *path)
{
	void *library = dlopen(path, RTLD_LAZY);
	void (*visit)(void (*)(int), int) = NULL;

	if (library)
		*(void **)&visit = dlsym(library, "visit");
	if (!visit)
		return 1;
	visit(called_back, 3);
	return dlclose(library);
}

int main(int argc, char *argv[])
{
	int failed = 0;

	for (int round = 0; round < 2; round++)
		for (int i = 1; i < argc; i++)
			failed |= use(argv[i]);
	if (failed)
		puts(dlerror());
	return failed;
}
