/* SPDX-License-Identifier: MIT */
/* page.c - dies with a page to show: page threads | direct N | mutual N | three N | endless. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static volatile int sink;
static int polled, going;

KEPT static int die(void)
{
	*(volatile int *)(uintptr_t)sink = 1;
	return 1;
}

KEPT static int direct(int left)
{
	return (left > 0 ? direct(left - 1) : die()) + sink;
}

static int second(int left);

KEPT static int first(int left)
{
	return (left > 0 ? second(left - 1) : die()) + sink;
}

KEPT static int second(int left)
{
	return (left > 0 ? first(left - 1) : die()) - sink;
}

static int turn(int left, int which);

KEPT static int red(int left) { return turn(left, 1) + sink; }
KEPT static int green(int left) { return turn(left, 2) - sink; }
KEPT static int blue(int left) { return turn(left, 0) * 2 + sink; }

KEPT static int turn(int left, int which)
{
	static int (*const next[])(int) = { red, green, blue };

	return (left > 0 ? next[which](left - 1) : die()) + 1;
}

KEPT static int endless(int depth)
{
	volatile char room[64];

	room[0] = (char)depth;
	return endless(depth + 1) + room[0];
}

static void begin(const char *name)
{
	prctl(PR_SET_NAME, name);
	__atomic_add_fetch(&going, 1, __ATOMIC_RELEASE);
}

static void *wait_for_work(void *name)
{
	pthread_mutex_lock(&lock);
	begin(name);
	for (;;)
		pthread_cond_wait(&work, &lock);
	return NULL;
}

static void *wait_for_event(void *name)
{
	struct epoll_event event;

	begin(name);
	for (;;)
		epoll_wait(polled, &event, 1, -1);
	return NULL;
}

/* Whether all seven sleep in the kernel, which they do where they wait alone. */
static int all_wait(void)
{
	DIR *threads = opendir("/proc/self/task");
	char path[300], line[256];
	int waiting = 0;

	for (struct dirent *thread; (thread = readdir(threads));) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/stat", thread->d_name);
		file = fopen(path, "r");
		if (file && fgets(line, sizeof(line), file))
			waiting += strstr(line, ") S ") != NULL;
		if (file)
			fclose(file);
	}
	closedir(threads);
	return waiting == 7;
}

static int among_threads(void)
{
	static char names[7][16];
	pthread_t thread;

	polled = epoll_create1(0);
	for (int i = 0; i < 7; i++) {
		snprintf(names[i], sizeof(names[i]), i < 4 ? "bio_%d" : "io", i);
		pthread_create(&thread, NULL, i < 4 ? wait_for_work : wait_for_event, names[i]);
	}
	while (__atomic_load_n(&going, __ATOMIC_ACQUIRE) < 7 || !all_wait())
		usleep(1000);
	return die();
}

int main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "";
	const int count = argc > 2 ? atoi(argv[2]) : 0;

	if (strcmp(what, "threads") == 0)
		return among_threads();
	if (strcmp(what, "direct") == 0)
		return direct(count);
	if (strcmp(what, "mutual") == 0)
		return first(count);
	if (strcmp(what, "three") == 0)
		return red(count);
	return endless(0);
}
