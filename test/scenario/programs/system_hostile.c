/* SPDX-License-Identifier: MIT */
/* system_hostile.c - makes system calls of which a trace could crash, hang or lose some.
 *
 *	system_hostile WAY [ARGUMENT]
 *
 * It ends with the status 5 when all is as it should be. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, SMALL = 16384, LARGE = 65536 };

static int failures;

static void check(const char *what, int is_right)
{
	if (is_right)
		return;
	dprintf(2, "%s: %s\n", what, strerror(errno));
	failures++;
}

#define FAILS(error, ...) check(#__VA_ARGS__, (__VA_ARGS__) == -1 && errno == (error))

/* Bytes up to the end of a page that nothing follows. */
static char *page_before_nothing(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	memset(pages, 'a', PAGE);
	munmap(pages + PAGE, PAGE);
	return pages;
}

static void pointers(void)
{
	char *page = page_before_nothing(), *const nowhere = (char *)16;
	char *const arguments[] = { page, nowhere, NULL };
	const struct iovec parts[2] = { { page + PAGE - 8, 8 }, { nowhere, 8 } };
	int null = open("/dev/null", O_WRONLY), ends[2];

	check("pipe", pipe(ends) == 0);
	FAILS(EFAULT, open(nowhere, O_RDONLY));
	FAILS(ENAMETOOLONG, open(page, O_RDONLY));
	FAILS(EFAULT, open(page + PAGE - 8, O_RDONLY));
	FAILS(EFAULT, write(ends[1], nowhere, 8));
	FAILS(EFAULT, writev(ends[1], parts, 2));
	check("write", write(ends[1], page + PAGE - 8, 8) == 8);
	FAILS(EFAULT, writev(null, (struct iovec *)nowhere, 2));
	FAILS(EFAULT, writev(null, (struct iovec *)(void *)(page + PAGE - 8), 2));
	FAILS(EINVAL, writev(null, parts, INT_MAX));
	check("read", read(ends[0], page + PAGE - 8, LARGE) == 8);
	FAILS(EFAULT, read(open("/dev/zero", O_RDONLY), nowhere, 8));
	FAILS(EFAULT, (int)syscall(SYS_execve, page + PAGE - 8, NULL, NULL));
	FAILS(EFAULT, (int)syscall(SYS_execve, "/bin/true", arguments, NULL));
	FAILS(EFAULT, (int)syscall(SYS_execve, "/bin/true", nowhere, nowhere));
	FAILS(EFAULT, (int)syscall(SYS_rt_sigaction, SIGUSR1, nowhere, NULL, 8));
	FAILS(EFAULT, (int)syscall(SYS_rt_sigprocmask, SIG_BLOCK, nowhere, NULL, 8));
	FAILS(EFAULT, (int)syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, nowhere, 8));
	FAILS(EINVAL, (int)syscall(SYS_rt_sigprocmask, SIG_BLOCK, page, NULL, 7));
	FAILS(EINVAL, (int)syscall(SYS_rt_sigprocmask, 77, page, NULL, 8));
	FAILS(EFAULT, (int)syscall(SYS_sigaltstack, nowhere, NULL));
	FAILS(EFAULT, (int)syscall(SYS_clone3, nowhere, 88));
	FAILS(EINVAL, (int)syscall(SYS_clone3, nowhere, 7));
	FAILS(EFAULT, (int)syscall(SYS_ppoll, nowhere, 2, NULL, NULL, 8));
	FAILS(EFAULT, (int)syscall(SYS_ppoll, NULL, 0, NULL, nowhere, 8));
	FAILS(EFAULT, (int)syscall(SYS_pselect6, 0, NULL, NULL, NULL, NULL, nowhere));
	FAILS(ENOTSOCK, (int)syscall(SYS_getpeername, null, nowhere, nowhere));
	FAILS(ENOTSOCK, (int)syscall(SYS_sendmsg, null, nowhere, 0));
	FAILS(ENOSYS, (int)syscall(100000, 1, 2, 3, 4, 5, 6));
	FAILS(ENOSYS, (int)syscall(-1, 1, 2, 3, 4, 5, 6));
	FAILS(ENOSYS, (int)syscall(0x57434d, 1, 2, 3, 4, 5, 6));
}

static char path[64];
static struct iovec changing[4];
static volatile int is_over;

static void *change(void *nowhere)
{
	for (unsigned i = 0; !is_over; i++) {
		memset(path, 'a' + (int)(i % 26), sizeof(path) - 1 - i % 8);
		path[i % sizeof(path)] = '\0';
		changing[i % 4] = (struct iovec){ i % 3 ? path : nowhere, i % 5 ? 16 : SIZE_MAX };
	}
	return NULL;
}

static void racing(void)
{
	const int null = open("/dev/null", O_WRONLY);
	pthread_t thread;

	pthread_create(&thread, NULL, change, (void *)16);
	for (int i = 0; i < 5000; i++) {
		close(open(path, O_RDONLY));
		writev(null, changing, 4);
	}
	is_over = 1;
	pthread_join(thread, NULL);
}

static void closed(void)
{
	int fd;

	check("close_range", syscall(SYS_close_range, 0, ~0U, 0) == 0);
	fd = open("/dev/null", O_RDWR);
	check("open", fd == 0);
	for (int i = 0; i < 100; i++)
		getppid();
	if (fork() == 0)
		_exit(getppid() > 0 ? 6 : 0);
	wait(&fd);
	check("child", WIFEXITED(fd) && WEXITSTATUS(fd) == 6);
}

static pthread_barrier_t all_there;

static void *call(void *waits)
{
	const struct timespec soon = { .tv_nsec = 1000 };
	char bytes[64];
	const int fd = open("/dev/zero", O_RDONLY);

	getppid();
	check("read", read(fd, bytes, sizeof(bytes)) == sizeof(bytes));
	ppoll(NULL, 0, &soon, NULL);
	close(fd);
	if (waits)
		pthread_barrier_wait(&all_there);
	return NULL;
}

/* COUNT threads with small stacks, one after the other or at once. */
static void threads(int count, int at_once)
{
	pthread_t *thread = calloc((size_t)count, sizeof(*thread));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, SMALL);
	pthread_barrier_init(&all_there, NULL, (unsigned)count);
	for (int i = 0; i < count; i++) {
		check("pthread_create",
		      pthread_create(&thread[i], &small, call, at_once ? thread : NULL) == 0);
		if (!at_once)
			pthread_join(thread[i], NULL);
	}
	for (int i = 0; at_once && i < count; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

static ucontext_t one, other;
static int turns;

static void coroutine(void)
{
	for (;;) {
		call(NULL);
		turns++;
		swapcontext(&other, &one);
	}
}

static void coroutines(void)
{
	for (int i = 0; i < 50; i++) {
		getcontext(&other);
		other.uc_stack.ss_sp = malloc(SMALL);
		other.uc_stack.ss_size = SMALL;
		makecontext(&other, coroutine, 0);
		for (int j = 0; j < 5; j++)
			swapcontext(&one, &other);
		free(other.uc_stack.ss_sp);
	}
	check("turns", turns == 250);
}

static void in_root(const char *root)
{
	check("chroot", chroot(root) == 0 && chdir("/") == 0);
	check("open", open("/etc/passwd", O_RDONLY) == -1);
	check("setgid", setgid(65534) == 0);
	check("setuid", setuid(65534) == 0);
	for (int i = 0; i < 100; i++)
		getuid();
	check("getuid", syscall(SYS_getuid) == 65534);
}

static void run_blocked(char *argv[])
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	sigprocmask(SIG_SETMASK, &set, NULL);
	execvp(argv[0], argv);
}

int main(int argc, char *argv[])
{
	const char *way = argc > 1 ? argv[1] : "";

	if (strcmp(way, "pointers") == 0)
		pointers();
	else if (strcmp(way, "racing") == 0)
		racing();
	else if (strcmp(way, "closed") == 0)
		closed();
	else if (strcmp(way, "serial") == 0)
		threads(10000, 0);
	else if (strcmp(way, "parallel") == 0)
		threads(1000, 1);
	else if (strcmp(way, "coroutines") == 0)
		coroutines();
	else if (strcmp(way, "root") == 0 && argc > 2)
		in_root(argv[2]);
	else if (strcmp(way, "blocked") == 0 && argc > 2)
		run_blocked(argv + 2);
	else if (strcmp(way, "endless") == 0)
		for (;;)
			getppid();
	else
		failures++;
	return failures ? 1 : 5;
}
