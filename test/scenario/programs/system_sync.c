/* SPDX-License-Identifier: MIT */
/* system_sync.c - the example of which system calls are to be seen: it writes itself to the file
 * "foo" and waits until that is on the disk.
 *
 *	system_sync [--ftrace] [--strace] */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <whocallme.h>

#define STAYS __attribute__((noinline))

enum { SIZE = 131072 };

static unsigned char image[SIZE];

STAYS static void say(int count)
{
	printf("%d\n", count);
	fflush(stdout);
}

STAYS static void save(void)
{
	const int fd = creat("foo", 0644);

	if (fd < 0 || write(fd, image, SIZE) != SIZE || fsync(fd) != 0)
		return;
	close(fd);
	close(fd);
}

static void *work(void *unused)
{
	getppid();
	return unused;
}

int main(int argc, char *argv[])
{
	pthread_t thread;

	wcm_flags(&argc, argv);
	memcpy(image, "\177ELF\2\1\1", 7);
	memcpy(image + 16, "\2\0>\0\1", 5);
	say(argc);
	save();
	if (fork() == 0) {
		getppid();
		_exit(2);
	}
	wait(NULL);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 4;
}
