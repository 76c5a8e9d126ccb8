/* SPDX-License-Identifier: MIT */
/* outputs.c - a program whose report is not for everybody, or not for that descriptor.
 *
 *	outputs WORD...
 *
 * Each word is done in its turn: see main().
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <whocallme.h>

#define KEPT __attribute__((noinline, noclone))

static struct wcm_crash_options options;

/* What a report must not show: in a register, and in the code's own constants. */
KEPT static void write_through(unsigned long secret)
{
	*(volatile unsigned long *)(secret & 0xff0) = secret;
	__asm__ volatile("" : : "r"(secret));
}

KEPT static void outer(void)
{
	write_through(0x6875e17e72320010);
	__asm__ volatile("");
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void start_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_setname_np(thread, "waits");
	usleep(100000);
}

static const char *value(const char *word, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(word, name, length) == 0 ? word + length : NULL;
}

static int set_option(const char *word)
{
	const char *text;

	if ((text = value(word, "file=")))
		options.file = text;
	else if ((text = value(word, "helper=")))
		options.helper = text;
	else if ((text = value(word, "fd=")))
		options.fd = atoi(text);
	else if (strcmp(word, "json") == 0)
		options.flags |= WCM_CRASH_JSON;
	else if (strcmp(word, "any") == 0)
		options.flags |= WCM_CRASH_ANY_DESCRIPTOR;
	else if (strcmp(word, "append") == 0)
		options.flags |= WCM_CRASH_APPEND;
	else if (strcmp(word, "file_only") == 0)
		options.flags |= WCM_CRASH_FILE_ONLY;
	else if (strcmp(word, "on_quit") == 0)
		options.flags |= WCM_CRASH_THREADS_ON_QUIT;
	else
		return 0;
	return 1;
}

static void deny(unsigned number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(77);
}

/* A thread that is asked for its stack is woken, and would end the program before the report. */
static int sleep_on(time_t seconds)
{
	struct timespec left = { .tv_sec = seconds };

	while (nanosleep(&left, &left) != 0)
		;
	return 1;
}

static int act(const char *word)
{
	const char *text;

	if (strcmp(word, "install") == 0)
		return wcm_crash_install(&options) == WCM_OK;
	if (strcmp(word, "not_dumpable") == 0)
		return prctl(PR_SET_DUMPABLE, 0) == 0;
	if (strcmp(word, "thread") == 0)
		return start_thread(), 1;
	if ((text = value(word, "chroot=")))
		return chroot(text) == 0 && chdir("/") == 0;
	if (strcmp(word, "nobody") == 0)
		return unshare(CLONE_NEWUSER) == 0;
	if (strcmp(word, "setuid") == 0)
		return setuid(65534) == 0;
	if ((text = value(word, "close=")))
		return close(atoi(text)) == 0;
	if ((text = value(word, "dup=")))
		return dup2(atoi(text), 2) == 2;
	if ((text = value(word, "unlink=")))
		return unlink(text) == 0;
	if (strcmp(word, "deny") == 0)
		return deny(SYS_statx), deny(SYS_fstat), 1;
	if (strcmp(word, "deny_statx") == 0)
		return deny(SYS_statx), 1;
	if ((text = value(word, "open=")))
		return open(text, O_RDWR | O_CREAT, 0600) >= 0;
	if (strcmp(word, "crash") == 0)
		return outer(), 0;
	if (strcmp(word, "assert") == 0)
		assert(!"hunter2");
	if (strcmp(word, "quit") == 0)
		return raise(SIGQUIT) == 0;
	if (strcmp(word, "watchdog") == 0)
		return wcm_watchdog_start(1) == WCM_OK;
	if (strcmp(word, "sleep") == 0)
		return sleep_on(2);
	return 0;
}

int main(int argc, char *argv[])
{
	init_function_table(argv[0]);
	for (int i = 1; i < argc; i++)
		if (!set_option(argv[i]) && !act(argv[i]))
			return 100 + i;
	return 0;
}
