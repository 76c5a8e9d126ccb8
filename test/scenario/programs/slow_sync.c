/* SPDX-License-Identifier: MIT */
/* slow_sync.c - the program of which a log is to show what it waits for: it writes a file, and
 * fsync(2) is slow, by a fifth of a second at least.  It says how many nanoseconds that took.
 *
 *	slow_sync FILE [--ftrace] */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <whocallme.h>

#define STAYS __attribute__((noinline))
#define QUIET __attribute__((patchable_function_entry(0)))

QUIET static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long took;

/* In libc's place, and as slow as a disk may be. */
int fsync(int fd)
{
	const struct timespec nap = { .tv_nsec = 200000000 };
	const long long begun = now();
	const int result = (int)syscall(SYS_fsync, fd);

	nanosleep(&nap, NULL);
	took = now() - begun;
	return result;
}

STAYS static int create_file(const char *path)
{
	return open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
}

STAYS static void write_file(int fd)
{
	if (write(fd, "foo", 3) != 3)
		exit(1);
}

STAYS static void close_file(int fd)
{
	if (close(fd) != 0)
		exit(1);
}

int main(int argc, char *argv[])
{
	int fd;

	wcm_flags(&argc, argv);
	fd = create_file(argv[1]);
	write_file(fd);
	if (fsync(fd) != 0)
		return 1;
	close_file(fd);
	printf("%lld\n", took);
	return 0;
}
