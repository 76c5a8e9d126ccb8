/* SPDX-License-Identifier: MIT */
/* beside.c - uses much of what the library takes over: memory, threads, modules, processes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <whocallme.h>

static __attribute__((noinline)) void *asker(void *nothing)
{
	who_call_me();
	return nothing;
}

static __attribute__((noinline)) void caller(void)
{
	asker(NULL);
}

/* Blocks of many sizes, which allocators map, unmap and move. */
static void *allocate(void *nothing)
{
	char *block[64];

	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < 64; i++) {
			block[i] = malloc((i + 1) * (size_t)(round + 1) * 1000);
			memset(block[i], 1, (i + 1) * 1000);
		}
		for (size_t i = 0; i < 64; i++)
			free(realloc(block[i], (i + 1) * 3000));
	}
	return nothing;
}

static void use_memory(void)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (page == MAP_FAILED || mprotect(page, size, PROT_READ) != 0 ||
	    munmap(page, 2 * size) != 0)
		abort();
}

int main(int argc, char *argv[])
{
	pthread_t thread[4];
	int status;

	if (init_function_table(argv[0]) != 0 || wcm_crash_install(NULL) != WCM_OK)
		return 1;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, allocate, NULL) != 0)
			return 2;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	use_memory();
	for (int i = 0; i < 20; i++) {
		void *module = dlopen("libm.so.6", RTLD_NOW);

		caller();
		if (!module || dlclose(module) != 0)
			return 3;
	}
	if (fork() == 0)
		_exit(7);
	if (wait(&status) < 0 || WEXITSTATUS(status) != 7)
		return 4;
	if (argc > 1)
		*(volatile int *)(argc - 2) = 1;
	puts("well");
	return 0;
}
