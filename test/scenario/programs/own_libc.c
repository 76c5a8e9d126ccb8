/* SPDX-License-Identifier: MIT */
/* own_libc.c - a program that has functions of its own in libc's place: all that handlers and
 * hooks of the library could call, in an instrumented file.
 *
 * Four threads call work() 100 times each; their sum is printed.  With an argument, it crashes
 * then.  BYTES: those on bytes and strings alone, as a static link takes them.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void *memcpy(void *to, const void *from, size_t size)
{
	char *a = to;
	const char *b = from;

	while (size--)
		*a++ = *b++;
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	char *a = to;
	const char *b = from;

	if (a <= b)
		return memcpy(to, from, size);
	while (size--)
		a[size] = b[size];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	for (char *a = to; size--; a++)
		*a = (char)byte;
	return to;
}

int memcmp(const void *one, const void *other, size_t size)
{
	const unsigned char *a = one, *b = other;

	for (; size--; a++, b++)
		if (*a != *b)
			return *a - *b;
	return 0;
}

void *memchr(const void *from, int byte, size_t size)
{
	for (const unsigned char *a = from; size--; a++)
		if (*a == (unsigned char)byte)
			return (void *)a;
	return NULL;
}

size_t strlen(const char *string)
{
	const char *end = string;

	while (*end)
		end++;
	return (size_t)(end - string);
}

char *strrchr(const char *string, int byte)
{
	const char *found = NULL;

	for (;; string++) {
		if (*string == (char)byte)
			found = string;
		if (!*string)
			return (char *)found;
	}
}

#ifndef BYTES
int bcmp(const void *one, const void *other, size_t size)
{
	return memcmp(one, other, size);
}

int strcmp(const char *one, const char *other)
{
	for (; *one && *one == *other; one++)
		other++;
	return (unsigned char)*one - (unsigned char)*other;
}

int strncmp(const char *one, const char *other, size_t size)
{
	for (; size && *one && *one == *other; size--, one++)
		other++;
	return size ? (unsigned char)*one - (unsigned char)*other : 0;
}

char *strchr(const char *string, int byte)
{
	for (; *string != (char)byte; string++)
		if (!*string)
			return NULL;
	return (char *)string;
}

char *strcpy(char *to, const char *from)
{
	memcpy(to, from, strlen(from) + 1);
	return to;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	return syscall(SYS_write, fd, bytes, size);
}

int close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

pid_t getpid(void)
{
	return (pid_t)syscall(SYS_getpid);
}

int sched_yield(void)
{
	return (int)syscall(SYS_sched_yield);
}

static int own_errno;

int *__errno_location(void)
{
	return &own_errno;
}

/* Libc's own, where the program's names hide it; looked up before a trace begins. */
static void *libcs(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	static int (*own)(clockid_t, struct timespec *);

	if (!own)
		*(void **)&own = libcs("clock_gettime");
	return own(clock, time);
}

unsigned long getauxval(unsigned long type)
{
	static unsigned long (*own)(unsigned long);

	if (!own)
		*(void **)&own = libcs("getauxval");
	return own(type);
}

int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	static int (*own)(int, const struct sigaction *, struct sigaction *);

	if (!own)
		*(void **)&own = libcs("sigaction");
	return own(signal, action, old);
}

int sigfillset(sigset_t *set)
{
	memset(set, 0xff, sizeof(*set));
	return 0;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
int _dl_find_object(void *address, struct dl_find_object *found)
{
	static int (*own)(void *, struct dl_find_object *);

	if (!own)
		*(void **)&own = libcs("_dl_find_object");
	return own(address, found);
}
#endif

static char pool[1 << 24];
static size_t used;

void *malloc(size_t size)
{
	const size_t at = __atomic_fetch_add(&used, (size + 31) & ~(size_t)15, __ATOMIC_RELAXED);

	*(size_t *)(pool + at) = size;
	return pool + at + 16;
}

void free(void *memory)
{
	(void)memory;
}

void *calloc(size_t count, size_t size)
{
	return malloc(count * size); /* never used before */
}

void *realloc(void *memory, size_t size)
{
	char *grown = malloc(size);
	size_t before = memory ? *(size_t *)((char *)memory - 16) : 0;

	memcpy(grown, memory, before < size ? before : size);
	return grown;
}
#endif

__attribute__((noinline)) int work(int value)
{
	volatile char bytes[20];

	for (int i = 0; i < value; i++)
		bytes[i] = (char)value;
	return bytes[0] + 3;
}

static void *thread(void *unused)
{
	intptr_t sum = 0;

	for (int i = 0; i < 100; i++)
		sum += work(5);
	return (void *)(sum + (intptr_t)unused);
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	long sum = 0;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (long)(intptr_t)result;
	}
	printf("%ld\n", sum);
	fflush(stdout);
	if (argc > 1)
		*(volatile int *)(uintptr_t)argv[0][0] = 1;
	return 0;
}
