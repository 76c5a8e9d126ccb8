/* SPDX-License-Identifier: MIT */
/* system_recorded.c - system calls whose words are the same in each run: of files, sockets, errors,
 * long strings, structs, many threads, signal handlers that return or jump, children and programs.
 *
 *	system_recorded [long]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <whocallme/probe.h>

enum { THREADS = 6, TURNS = 60, FIRST = 100 };

static char path[2000], data[300];
static sigjmp_buf back;

static void do_files(void)
{
	struct stat status;
	struct iovec parts[2] = { { "one", 3 }, { data, 40 } };
	char had[64] = "";
	int fd = openat(AT_FDCWD, "made", O_RDWR | O_CREAT | O_TRUNC, 0640);

	writev(fd, parts, 2);
	pread(fd, had, sizeof(had), 1);
	write(fd, "a\"\\\n\t\1\377", 7);
	pwrite(fd, NULL, 3, 0);
	pread(fd, NULL, 3, 0);
	fstat(fd, &status);
	ftruncate(fd, 7);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_GETFD);
	close(fd);
	chmod("nowhere", 0751);
	open(path, O_RDONLY);
	open((const char *)8, O_RDONLY);
	rename("made", "renamed");
	unlink("renamed");
}

static void do_sockets(void)
{
	struct sockaddr_un name = { AF_UNIX, "/nowhere/at/all" };
	struct msghdr message = { .msg_iov = &(struct iovec){ "message", 7 }, .msg_iovlen = 1 };
	struct pollfd waits = { .events = POLLIN };
	int pair[2], size = 0;
	socklen_t length = sizeof(size);
	char had[32];

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	connect(pair[0], (struct sockaddr *)&name, sizeof(name));
	sendmsg(pair[0], &message, 0);
	recv(pair[1], had, sizeof(had), MSG_DONTWAIT);
	recv(pair[1], had, sizeof(had), MSG_DONTWAIT);
	getsockopt(pair[0], SOL_SOCKET, SO_TYPE, &size, &length);
	waits.fd = pair[1];
	poll(&waits, 1, 0);
	close(pair[0]);
	close(pair[1]);
	syscall(SYS_bind, -1, 1, 0);
}

static void handle(int signal)
{
	getpriority(PRIO_PROCESS, 0);
	if (signal == SIGUSR1)
		siglongjmp(back, 1);
}

/* Signals come while a call is made. */
static void do_signals(void)
{
	struct itimerval soon = { .it_value = { 0, 20000 } };
	struct sigaction action = { .sa_handler = handle };
	char had[8];
	int ends[2];

	pipe(ends);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	read(ends[0], had, sizeof(had));
	if (sigsetjmp(back, 1) == 0)
		raise(SIGUSR1);
	close(ends[0]);
	close(ends[1]);
}

static void *run(void *number)
{
	const int fd = FIRST + (int)(long)number;
	const off_t own = 700 * (long)number;
	char had[200];

	for (int turn = 0; turn < TURNS; turn++) {
		WCM_PROBE(recorded, turn, fd, turn);
		pwrite(fd, data + fd - FIRST, (size_t)turn, own + turn);
		pread(fd, had, (size_t)turn, own);
		faccessat(fd, "text", turn % 8, 0);
	}
	return NULL;
}

static void do_threads(void)
{
	pthread_t thread[THREADS];

	for (long i = 0; i < THREADS; i++)
		dup2(open("text", O_RDWR), FIRST + (int)i);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void do_processes(char *argument)
{
	char *none[] = { "none", argument, NULL };

	if (fork() == 0) {
		execve("/nowhere/none", none, none + 1);
		_exit(errno);
	}
	wait(NULL);
	if (vfork() == 0) {
		pwrite(-1, "child", 5, 0);
		_exit(4);
	}
	wait(NULL);
}

int main(int argc, char *argv[])
{
	memset(path, '/', argc > 1 ? sizeof(path) - 1 : 300);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)('a' + i % 26);
	do_files();
	do_sockets();
	do_signals();
	do_threads();
	do_processes(argv[argc - 1]);
	return 0;
}
