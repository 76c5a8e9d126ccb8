/* SPDX-License-Identifier: MIT */
/* system_words.c - makes system calls, each by its instruction, and writes their words.
 *
 *	system_words LOG DIRECTORY
 *
 * What strace shows between close(-1000) and close(-1001) is to be the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "core/os/kernel.h"
#include "core/os/kernel_action.h"
#include "trace/values/system_words.h"

enum { LINES = 1024, LONGEST = 4096, FIRST = -1000, LAST = -1001 };

static char lines[LINES][LONGEST];
static size_t lengths[LINES];
static unsigned line_count;
static char buffer[4096];
static unsigned length;
static long self;

static long call_of(long number, const long argument[WCM_SYSTEM_ARGUMENTS])
{
	struct wcm_system_call call = { .number = number };
	struct wcm_words words;

	memcpy(call.argument, argument, sizeof(call.argument));
	wcm__words_init(&words, lines[line_count], LONGEST);
	wcm__words_text(&words, wcm__system_name(number));
	wcm__system_words_given(&words, &call, true);
	call.result = wcm__syscall(number, argument[0], argument[1], argument[2], argument[3],
				   argument[4], argument[5]);
	wcm__system_words_back(&words, &call, true);
	lengths[line_count++] = wcm__words_length(&words);
	return call.result;
}

#define AS_LONGS(a, b, c, d, e, f, ...) \
	{ (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f) }
#define CALL(name, ...)  \
	call_of(SYS_##name, (const long[])AS_LONGS(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0))
#define AT(name, ...) CALL(name, AT_FDCWD, __VA_ARGS__)

static void names_of_files(void)
{
	const struct timespec file_times[] = { { 1, 234567890 }, { 0, UTIME_OMIT } };
	struct stat file;
	struct statfs system;
	char statx[256];

	AT(mkdirat, "folder", 0750);
	AT(mkdirat, "folder", 0);
	AT(symlinkat, "target", AT_FDCWD, "link");
	CALL(symlinkat, "target", AT_FDCWD, "link2");
	AT(readlinkat, "link2", buffer, sizeof(buffer));
	AT(readlinkat, "nowhere", buffer, sizeof(buffer));
	AT(mknodat, "pipe", S_IFIFO | 0600, 0);
	AT(mknodat, "device", S_IFCHR | 0644, makedev(1, 3));
	AT(linkat, "file", AT_FDCWD, "hard", 0);
	AT(linkat, "file", AT_FDCWD, "hard", AT_SYMLINK_FOLLOW);
	AT(renameat2, "hard", AT_FDCWD, "soft", RENAME_NOREPLACE);
	AT(fchmodat, "file", 0604);
	AT(fchmodat, "file", 04755);
	AT(fchownat, "file", -1, -1, AT_SYMLINK_NOFOLLOW);
	AT(fchownat, "nowhere", 1000000, 0, 0);
	AT(faccessat, "file", R_OK | W_OK);
	AT(faccessat, "nowhere", F_OK);
	AT(newfstatat, "file", &file, 0);
	AT(newfstatat, "/dev/null", &file, AT_SYMLINK_NOFOLLOW);
	AT(newfstatat, "", &file, AT_EMPTY_PATH);
	AT(newfstatat, "nowhere", &file, 0);
	AT(statx, "file", AT_STATX_DONT_SYNC, STATX_BASIC_STATS, statx);
	AT(statx, "folder", 0, STATX_MODE | STATX_SIZE, statx);
	CALL(statfs, ".", &system);
	CALL(getcwd, buffer, sizeof(buffer));
	CALL(getcwd, buffer, 1);
	CALL(chdir, ".");
	CALL(chdir, "nowhere\n\001\377");
	CALL(truncate, "soft", 123456789);
	AT(utimensat, "file", file_times, 0);
	AT(utimensat, "file", NULL, 0);
	AT(unlinkat, "soft", 0);
	AT(unlinkat, "folder", AT_REMOVEDIR);
	AT(unlinkat, "a name that is longer than the 32 bytes that are shown of strings", 0);
	AT(unlinkat, (char *)8, 0);
	CALL(setxattr, "file", "user.name", "value", 5, XATTR_CREATE);
	CALL(getxattr, "file", "user.name", buffer, sizeof(buffer));
	CALL(listxattr, "file", buffer, sizeof(buffer));
	CALL(removexattr, "file", "user.name");
	CALL(umask, 022);
	CALL(inotify_init1, IN_CLOEXEC);
}

static void old_names_of_files(void)
{
#ifdef SYS_open
	const struct timeval file_times[] = { { 5, 6 }, { 7, 8 } };
	struct stat file;
	long fd;

	fd = CALL(open, "old", O_RDWR | O_CREAT | O_EXCL, 0600);
	CALL(close, fd);
	CALL(open, "old", O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	CALL(creat, "older", 0644);
	CALL(stat, "old", &file);
	CALL(lstat, "link", &file);
	CALL(access, "old", X_OK);
	CALL(mkdir, "folder", 0700);
	CALL(rmdir, "folder");
	CALL(link, "old", "hard");
	CALL(rename, "hard", "soft");
	CALL(symlink, "old", "link3");
	CALL(readlink, "link3", buffer, sizeof(buffer));
	CALL(chmod, "old", 0640);
	CALL(chown, "old", -1, -1);
	CALL(lchown, "link3", -1, -1);
	CALL(mknod, "node", S_IFREG | 0600, 0);
	CALL(utimes, "old", file_times);
	CALL(unlink, "soft");
	CALL(dup2, 1, 77);
	CALL(getpgrp, 0);
	CALL(time, NULL);
	CALL(alarm, 0);
	CALL(inotify_init, 0);
	CALL(epoll_create, 10);
	CALL(eventfd, 3);
#endif
}

static void what_files_hold(void)
{
	struct iovec parts[] = { { (void *)"one", 3 }, { (void *)"\1\2\3\377two", 7 }, { NULL, 0 } };
	struct iovec rooms[] = { { buffer, 4 }, { buffer + 100, 1000 } };
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 100000 };
	struct stat file;
	long fd, other;
	int pair[2];

	fd = AT(openat, "file", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	AT(openat, "nowhere", O_WRONLY | O_APPEND | O_DSYNC);
	AT(openat, "nowhere", O_RDONLY | O_SYNC | O_DIRECTORY | O_PATH);
	CALL(write, fd, "text\tand \"more\" of it\n", 22);
	CALL(write, fd, "\177ELF\2\1\1\0\0\0\0\0", 12);
	CALL(write, fd, buffer, sizeof(buffer));
	CALL(write, fd, 8, 10);
	CALL(write, fd, "", 0);
	CALL(writev, fd, parts, 3);
	CALL(pwrite64, fd, "at", 2, 1000000);
	CALL(lseek, fd, 0, SEEK_SET);
	CALL(lseek, fd, -1, SEEK_END);
	CALL(lseek, fd, -5000000, SEEK_CUR);
	CALL(lseek, fd, 0, SEEK_SET);
	CALL(read, fd, buffer, 22);
	CALL(read, fd, buffer, sizeof(buffer));
	CALL(read, -1, buffer, 10);
	CALL(pread64, fd, buffer, 12, 22);
	CALL(preadv, fd, rooms, 2, 0, 0);
	CALL(readv, fd, rooms, 2);
	CALL(fstat, fd, &file);
	CALL(fstat, -1, &file);
	CALL(ftruncate, fd, 20000);
	CALL(fallocate, fd, FALLOC_FL_KEEP_SIZE, 0, 4096);
	CALL(fadvise64, fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	CALL(readahead, fd, 0, 4096);
	CALL(fsync, fd);
	CALL(fdatasync, fd);
	CALL(syncfs, fd);
	CALL(flock, fd, LOCK_EX | LOCK_NB);
	CALL(flock, fd, LOCK_UN);
	CALL(fchmod, fd, 0600);
	CALL(fchown, fd, -1, -1);
	CALL(fcntl, fd, F_GETFD);
	CALL(fcntl, fd, F_SETFD, FD_CLOEXEC);
	CALL(fcntl, fd, F_GETFL);
	CALL(fcntl, fd, F_SETFL, O_APPEND | O_NONBLOCK);
	CALL(fcntl, fd, F_DUPFD, 50);
	CALL(fcntl, fd, F_DUPFD_CLOEXEC, 60);
	CALL(fcntl, fd, F_SETLK, &lock);
	CALL(fcntl, fd, F_GETLK, &lock);
	CALL(fcntl, fd, 9999, 0x123);
	other = CALL(dup, fd);
	CALL(dup3, fd, other, O_CLOEXEC);
	CALL(copy_file_range, fd, NULL, other, NULL, 10, 0);
	CALL(sendfile, other, fd, NULL, 10);
	CALL(close, other);
	CALL(pipe2, pair, O_CLOEXEC | O_NONBLOCK);
	CALL(pipe2, (void *)8, 0);
	CALL(ioctl, pair[0], FIONREAD, &length);
	CALL(fcntl, pair[0], F_GETPIPE_SZ);
	CALL(ioctl, fd, TIOCGWINSZ, buffer);
	CALL(ioctl, fd, TCGETS, buffer);
	CALL(ioctl, fd, FIONBIO, &length);
	other = AT(openat, ".", O_RDONLY | O_DIRECTORY);
	CALL(getdents64, -1, buffer, sizeof(buffer));
	CALL(fchdir, other);
	CALL(close_range, 100, 200, 0);
	CALL(close, fd);
	CALL(memfd_create, "name", MFD_CLOEXEC);
}

static void memory(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = (char *)CALL(mmap, NULL, 8 * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CALL(mmap, NULL, page, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CALL(mmap, NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, 99, 3 * page);
	CALL(mprotect, at, page, PROT_READ | PROT_EXEC);
	CALL(mprotect, at, page, PROT_NONE);
	CALL(madvise, at, page, MADV_DONTNEED);
	CALL(msync, at, page, MS_SYNC);
	CALL(mremap, at + 4 * page, page, page, MREMAP_MAYMOVE);
	CALL(mremap, at + 4 * page, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, at + 6 * page);
	CALL(mlock, at, page);
	CALL(munlock, at, page);
	CALL(munmap, at, 8 * page);
	CALL(munmap, 1, 1);
	CALL(brk, 0);
}

static void handler(int signal)
{
	(void)signal;
}

static void signals(void)
{
	uint64_t set = 1u << (SIGUSR1 - 1) | 1u << (SIGCHLD - 1), was;
	struct wcm_kernel_action action = { .handler = (uintptr_t)SIG_IGN };
	const struct timespec now = { 0, 1000 };
	char stack[64 * 1024];
	stack_t wanted = { .ss_sp = stack, .ss_size = sizeof(stack) };
	siginfo_t info;

	CALL(rt_sigprocmask, SIG_BLOCK, &set, &was, 8);
	CALL(rt_sigprocmask, SIG_SETMASK, NULL, &was, 8);
	CALL(rt_sigaction, SIGUSR2, &action, NULL, 8);
	CALL(rt_sigaction, SIGUSR2, NULL, &action, 8);
	CALL(rt_sigaction, SIGKILL, &action, NULL, 8);
	CALL(rt_sigpending, &set, 8);
	CALL(kill, self, SIGUSR1);
	CALL(rt_sigpending, &set, 8);
	CALL(rt_sigtimedwait, &set, &info, &now, 8);
	CALL(rt_sigtimedwait, &set, &info, &now, 8);
	CALL(tgkill, self, self, SIGUSR2);
	CALL(tkill, -1, SIGRTMIN);
	CALL(kill, 0x7ffffff0, 0);
	CALL(sigaltstack, &wanted, NULL);
	CALL(sigaltstack, NULL, &wanted);
	wanted.ss_flags = SS_DISABLE;
	CALL(sigaltstack, &wanted, NULL);
	set = ~(uint64_t)0 >> 1;
	CALL(rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
	set = 0;
	CALL(signalfd4, -1, &set, 8, O_CLOEXEC);
}

static long child_ends(int status)
{
	const long child = CALL(clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0) {
		if (status < 0)
			kill(getpid(), -status);
		_exit(status);
	}
	return child;
}

static void processes(void)
{
	const char *const argv[] = { "program", "an argument", NULL };
	const char *const envp[] = { "A=1", NULL };
	struct rlimit limit;
	struct rusage usage;
	struct utsname name;
	struct sysinfo info;
	siginfo_t ended;
	unsigned ids[3], cpus[64];
	int status;

	CALL(getpid, 0);
	CALL(getppid, 0);
	CALL(gettid, 0);
	CALL(getuid, 0);
	CALL(getgid, 0);
	CALL(geteuid, 0);
	CALL(getegid, 0);
	CALL(getpgid, 0);
	CALL(getsid, 0);
	CALL(getresuid, ids, ids + 1, ids + 2);
	CALL(getresgid, ids, ids + 1, ids + 2);
	CALL(getgroups, 0, NULL);
	CALL(setpgid, -1, 5);
	CALL(wait4, child_ends(3), &status, 0, NULL);
	CALL(wait4, child_ends(-SIGKILL), &status, WUNTRACED, &usage);
	CALL(waitid, P_PID, child_ends(5), &ended, WEXITED, NULL);
	CALL(wait4, -1, &status, WNOHANG, NULL);
	CALL(execve, "/nowhere", argv, envp);
	CALL(execve, "/nowhere", NULL, NULL);
	CALL(getrlimit, RLIMIT_NOFILE, &limit);
	CALL(setrlimit, RLIMIT_NOFILE, &limit);
	CALL(prlimit64, 0, RLIMIT_STACK, NULL, &limit);
	CALL(getrusage, RUSAGE_SELF, &usage);
	CALL(getpriority, PRIO_PROCESS, 0);
	CALL(sched_yield, 0);
	CALL(sched_getaffinity, 0, sizeof(cpus), cpus);
	CALL(sched_getscheduler, 0);
	CALL(sched_getparam, 0, ids);
	CALL(sched_get_priority_max, SCHED_FIFO);
	CALL(uname, &name);
	CALL(sysinfo, &info);
	CALL(unshare, 0x10);
	CALL(set_tid_address, ids);
	CALL(prctl, PR_SET_NAME, "a name");
	CALL(prctl, PR_GET_NAME, buffer);
	CALL(prctl, PR_GET_DUMPABLE);
	CALL(prctl, PR_SET_PDEATHSIG, SIGHUP);
	CALL(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	CALL(personality, 0xffffffff);
	CALL(getrandom, buffer, 16, GRND_NONBLOCK);
}

static void futexes(void)
{
	const struct timespec now = { 0, 1 };
	static int word = 5;

	CALL(futex, &word, FUTEX_WAKE_PRIVATE, 1);
	CALL(futex, &word, FUTEX_WAIT, 4, NULL);
	CALL(futex, &word, FUTEX_WAIT_PRIVATE, 5, &now);
	CALL(futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 5, &now, NULL,
	     FUTEX_BITSET_MATCH_ANY);
	CALL(futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 1, 2, &word + 1, 5);
}

static void times(void)
{
	const struct timespec little = { 0, 1000 };
	const struct itimerspec soon = { { 0, 0 }, { 100, 5 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct itimerspec was;
	struct timespec time;
	struct timeval day;
	long fd;

	CALL(clock_gettime, CLOCK_MONOTONIC, &time);
	CALL(clock_gettime, 1234, &time);
	CALL(clock_getres, CLOCK_REALTIME, &time);
	CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, &little, NULL);
	CALL(clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &little, &time);
	CALL(nanosleep, &little, &time);
	CALL(gettimeofday, &day, NULL);
	CALL(setitimer, ITIMER_REAL, &never, NULL);
	CALL(getitimer, ITIMER_VIRTUAL, buffer);
	fd = CALL(timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	CALL(timerfd_settime, fd, 0, &soon, &was);
	CALL(timerfd_gettime, fd, &was);
}

static void waiting(void)
{
	int pair[2], epoll;
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data = { .u64 = 77 } };
	struct timespec none = { 0, 0 };
	struct timeval soon = { 1, 500 };
	struct pollfd polled[2] = { { .events = POLLIN }, { .events = POLLOUT | POLLIN } };
	fd_set in, out;

	CALL(pipe2, pair, 0);
	polled[0].fd = pair[0];
	polled[1].fd = pair[1];
	CALL(ppoll, polled, 1, &none, NULL, 8);
	CALL(ppoll, polled, 2, &none, NULL, 8);
	CALL(ppoll, NULL, 0, &none, NULL, 8);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(pair[0], &in);
	FD_SET(pair[1], &out);
	CALL(pselect6, pair[1] + 1, &in, &out, NULL, &none, NULL);
	CALL(pselect6, pair[1] + 1, &in, NULL, NULL, &none, NULL);
	CALL(write, pair[1], "x", 1);
#ifdef SYS_poll
	CALL(poll, polled, 2, 1000);
	CALL(poll, polled, 0, 0);
	FD_SET(pair[0], &in);
	CALL(select, pair[1] + 1, &in, &out, NULL, &soon);
#endif
	epoll = (int)CALL(epoll_create1, EPOLL_CLOEXEC);
	CALL(epoll_ctl, epoll, EPOLL_CTL_ADD, pair[0], &event);
	CALL(epoll_pwait, epoll, polled, 0, 0, NULL, 8);
	CALL(epoll_pwait, epoll, buffer, 10, 1000, NULL, 8);
	CALL(epoll_ctl, epoll, EPOLL_CTL_DEL, pair[0], NULL);
#ifdef SYS_epoll_wait
	CALL(epoll_wait, epoll, buffer, 10, 0);
#endif
	CALL(eventfd2, 7, EFD_CLOEXEC | EFD_NONBLOCK);
}

static void addresses(void)
{
	struct sockaddr_in inet = { .sin_family = AF_INET, .sin_addr = { htonl(0x7f000001) } };
	struct sockaddr_in6 inet6 = { .sin6_family = AF_INET6, .sin6_port = htons(53) };
	struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "socket" };
	struct sockaddr_nl netlink = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	const struct sockaddr other = { .sa_family = AF_UNSPEC };
	socklen_t size = sizeof(inet);
	long fd = CALL(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP), client;
	const int one = 1;

	CALL(setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	CALL(setsockopt, fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	CALL(setsockopt, fd, IPPROTO_IP, IP_TTL, &one, sizeof(one));
	CALL(getsockopt, fd, SOL_SOCKET, SO_ERROR, buffer, &size);
	size = sizeof(inet);
	CALL(bind, fd, &inet, sizeof(inet));
	CALL(listen, fd, 128);
	CALL(getsockname, fd, &inet, &size);
	client = CALL(socket, AF_INET, SOCK_STREAM, IPPROTO_IP);
	CALL(connect, client, &inet, sizeof(inet));
	size = sizeof(inet);
	CALL(accept4, fd, &inet, &size, SOCK_CLOEXEC);
	CALL(getpeername, client, &inet, &size);
	CALL(accept4, client, NULL, NULL, 0);
	CALL(shutdown, client, SHUT_RDWR);
	inet6.sin6_addr.s6_addr[0] = 0x20;
	inet6.sin6_addr.s6_addr[15] = 1;
	CALL(bind, client, &inet6, sizeof(inet6));
	CALL(bind, client, &netlink, sizeof(netlink));
	CALL(bind, client, &local, sizeof(local));
	CALL(connect, client, &other, sizeof(other));
	CALL(connect, client, 8, 16);
	fd = CALL(socket, AF_UNIX, SOCK_DGRAM, 0);
	CALL(bind, fd, &local, sizeof(local));
	memcpy(local.sun_path, "\0abstract", 9);
	CALL(connect, fd, &local, (long)offsetof(struct sockaddr_un, sun_path) + 9);
	CALL(socket, AF_INET6, SOCK_DGRAM, IPPROTO_UDP);
	CALL(socket, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
}

static void messages(void)
{
	struct iovec parts[2] = { { (void *)"one", 3 }, { (void *)"two", 3 } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	char data[100];
	struct iovec rooms = { data, sizeof(data) };
	struct msghdr received = { .msg_iov = &rooms, .msg_iovlen = 1 };
	int pair[2];

	CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
	CALL(sendto, pair[0], "a\0b", 3, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
	CALL(recvfrom, pair[1], buffer, sizeof(buffer), MSG_PEEK, NULL, NULL);
	CALL(recvfrom, pair[1], buffer, sizeof(buffer), 0, NULL, NULL);
	CALL(recvfrom, pair[1], buffer, sizeof(buffer), MSG_DONTWAIT, NULL, NULL);
	CALL(sendmsg, pair[0], &message, MSG_NOSIGNAL);
	CALL(recvmsg, pair[1], &received, 0);
	CALL(recvmsg, pair[1], &received, MSG_DONTWAIT);
	CALL(sendmsg, pair[0], NULL, 0);
}

int main(int argc, char **argv)
{
	FILE *log;

	if (argc != 3 || !(log = fopen(argv[1], "w")) || chdir(argv[2]))
		return 1;
	signal(SIGUSR1, handler);
	umask(0);
	self = getpid();
	syscall(SYS_close, FIRST);
	what_files_hold();
	names_of_files();
	old_names_of_files();
	memory();
	signals();
	processes();
	futexes();
	times();
	waiting();
	addresses();
	messages();
	syscall(SYS_close, LAST);
	for (unsigned i = 0; i < line_count; i++)
		fprintf(log, "%.*s\n", (int)lengths[i], lines[i]);
	return fclose(log) != 0;
}
