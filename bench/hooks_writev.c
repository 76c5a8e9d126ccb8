/* SPDX-License-Identifier: MIT */
/* hooks_writev.c - two system calls an event, as tracers do that keep nothing: the
 * thread is asked for and the line is written, to the file that BENCH_OUTPUT names. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hooks.h"

static int fd = -1;

__attribute__((constructor)) static void begin(void)
{
	fd = open(getenv("BENCH_OUTPUT"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
	if (fd < 0)
		abort();
}

static void show(char kind, const void *func)
{
	char thread[24], place[24];
	long tid = syscall(SYS_gettid);
	struct iovec line[] = {
		{ &kind, 1 },
		{ thread, (size_t)snprintf(thread, sizeof(thread), " %ld ", tid) },
		{ place, (size_t)snprintf(place, sizeof(place), "%p\n", func) },
	};

	if (writev(fd, line, 3) < 0)
		abort();
}

void __cyg_profile_func_enter(void *func, void *site)
{
	(void)site;
	show('E', func);
}

void __cyg_profile_func_exit(void *func, void *site)
{
	(void)site;
	show('X', func);
}
