/* SPDX-License-Identifier: MIT */
/* system_filters.c - threads in system calls, and a filter for all of them.
 *
 *	system_filters one CALL...	it kills for these, which no thread of the program makes
 *	system_filters each CALL...	every thread sets it, all at the same time
 *	system_filters ends CALL...	as one, and main() returns, so that a trace has an end
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 16, ROUNDS = 100 };

static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	{ "readlinkat", SYS_readlinkat }, { "process_vm_readv", SYS_process_vm_readv },
	{ "rt_sigpending", SYS_rt_sigpending }, { "gettid", SYS_gettid },
	{ "getdents64", SYS_getdents64 }, { "prctl", SYS_prctl },
	{ "rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo }, { "ioctl", SYS_ioctl },
};

static struct sock_filter code[2 * sizeof(calls) / sizeof(*calls) + 2] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
};
static struct sock_fprog program = { 1, code };
static pthread_barrier_t together;

static void put(struct sock_filter filter)
{
	code[program.len++] = filter;
}

static void kill_for(const char *name)
{
	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(calls[i].name, name) == 0) {
			put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							 calls[i].number, 0, 1));
			put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							 SECCOMP_RET_KILL_PROCESS));
		}
}

/* 0: all threads have it. */
static long filter(void)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static void call(void)
{
	const int fd = open("/dev/zero", O_RDONLY), other = open("/dev/null", O_RDONLY);
	char bytes[8];

	if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
		_exit(4);
	close(other);
	close(fd);
}

static void *go(void *sets)
{
	for (unsigned i = 0; !sets || i < ROUNDS; i++)
		call();
	pthread_barrier_wait(&together);
	filter();
	while (1)
		call();
	return NULL;
}

int main(int argc, char *argv[])
{
	const int is_each = argc > 1 && strcmp(argv[1], "each") == 0;
	pthread_t thread;

	for (int i = 2; i < argc; i++)
		kill_for(argv[i]);
	put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	pthread_barrier_init(&together, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, go, is_each ? &together : NULL);
	if (is_each)
		pthread_barrier_wait(&together);
	else
		usleep(20000);
	if (filter() != 0)
		_exit(2);
	for (unsigned i = 0; i < 10 * ROUNDS; i++)
		call();
	if (strcmp(argv[1], "ends") == 0)
		return 3;
	return (int)syscall(SYS_exit_group, 3);
}
