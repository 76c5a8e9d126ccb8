/* SPDX-License-Identifier: MIT */
/* ends.c - a program that does what makes recording hard (the first argument), and
 * ends as the second says.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DESCRIPTORS = 1024, MANY = 400000, THREADS = 200, A_WHILE = 50000 };

static void leaf(void)
{
	__asm__ volatile("");
}

static void deeper(void)
{
	leaf();
}

static void *spin(void *unused)
{
	for (;;)
		deeper();
	return unused;
}

static void *brief(void *unused)
{
	deeper();
	return unused;
}

static void plain(void)
{
	deeper();
}

/* The thread is in the middle of its calls when the program ends. */
static void busy(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, spin, NULL);
	usleep(A_WHILE);
}

static void closed(void)
{
	for (int i = 0; i < DESCRIPTORS; i++)
		close(i);
	if (chdir("/") != 0)
		abort();
	for (int i = 0; i < MANY; i++)
		leaf();
	deeper();
}

static void daemonised(void)
{
	if (daemon(0, 0) != 0)
		abort();
	deeper();
}

static void limited(void)
{
	const struct rlimit limit = { 1 << 20, 1 << 20 };

	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < MANY; i++)
		leaf();
	fputs("went on\n", stderr);
}

static void threads(void)
{
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, brief, NULL);
		pthread_join(thread, NULL);
	}
}

static void call(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_NOW);
	void (*function)(void);

	if (!handle)
		abort();
	*(void **)&function = dlsym(handle, name);
	function();
	dlclose(handle);
}

/* One has the other's place, if the dynamic linker can help it. */
static void plugins(void)
{
	call("./ends_one.so", "plug");
	call("./ends_two.so", "plug");
	call("./ends_one.so", "plug");
}

static void executed(void)
{
	pid_t child = fork();

	if (child == 0) {
		deeper();
		execl("/proc/self/exe", "ends", "plain", "exit", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static void end(const char *how)
{
	deeper();
	if (strcmp(how, "exit") == 0)
		exit(3);
	if (strcmp(how, "_exit") == 0)
		_exit(3);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(3);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "crash") == 0)
		raise(SIGSEGV);
	if (strcmp(how, "pthread_exit") == 0)
		pthread_exit(NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
	{ "plain", plain }, { "busy", busy }, { "closed", closed },
	{ "daemonised", daemonised }, { "limited", limited },
	{ "threads", threads }, { "plugins", plugins }, { "executed", executed },
};

int main(int argc, char *argv[])
{
	if (argc < 3)
		return 2;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(argv[1], all[i].name) == 0)
			all[i].run();
	end(argv[2]);
	return 0;
}
