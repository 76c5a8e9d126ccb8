/* SPDX-License-Identifier: MIT */
/* worded_files.c - calls of files. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>

#include "worded_calls.h"

/* A CPU of 32 bits has another. */
static void what_names_mean(void)
{
#ifdef SYS_newfstatat
	struct stat file;

	AT(newfstatat, "file", &file, 0);
	AT(newfstatat, "/dev/null", &file, AT_SYMLINK_NOFOLLOW);
	AT(newfstatat, "", &file, AT_EMPTY_PATH);
	AT(newfstatat, "nowhere", &file, 0);
#endif
}

static void names_of_files(void)
{
	const struct timespec file_times[] = { { 1, 234567890 }, { 0, UTIME_OMIT } };
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

static long what_files_hold(void)
{
	struct iovec parts[] = { { "one", 3 }, { "\1\2\3\377two", 7 }, { NULL, 0 } };
	struct iovec rooms[] = { { buffer, 4 }, { buffer + 100, 1000 } };
	struct stat file;
	long fd;

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
	return fd;
}

static void what_files_are(long fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_start = 5, .l_len = 100000 };
	long other;
	int pair[2];

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

static void descriptors_of_all_kinds(void)
{
	const uint64_t how[3] = { O_RDONLY | O_CLOEXEC, 0, 0 };
	struct winsize window = { 24, 80, 0, 0 };
	long fd, other;
	int number = 0, pair[2];

	fd = AT(openat, "/dev/ptmx", O_RDWR | O_NOCTTY);
	CALL(ioctl, fd, TIOCGPTN, &number);
	number = 0;
	CALL(ioctl, fd, TIOCSPTLCK, &number);
	CALL(ioctl, fd, TIOCSWINSZ, &window);
	CALL(ioctl, fd, TIOCGWINSZ, &window);
	CALL(ioctl, fd, TIOCSWINSZ, 8);
	CALL(ioctl, fd, 0x12345678, 0x9abcdef);
	CALL(close, fd);
	fd = CALL(memfd_create, "sealed", MFD_ALLOW_SEALING);
	CALL(fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	CALL(fcntl, fd, F_GET_SEALS);
	CALL(fcntl, fd, F_SETOWN, 1);
	CALL(fcntl, fd, F_GETOWN);
	CALL(fcntl, fd, F_SETSIG, SIGUSR1);
	CALL(fcntl, fd, F_GETSIG);
	CALL(pipe2, pair, 0);
	CALL(splice, fd, NULL, pair[1], NULL, 10, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	CALL(tee, pair[0], pair[1], 10, SPLICE_F_NONBLOCK);
	other = AT(openat2, ".", how, sizeof(how));
	CALL(getdents64, other, buffer, sizeof(buffer));
	CALL(faccessat2, other, "file", R_OK, AT_EACCESS);
	AT(execveat, "", NULL, NULL, AT_EMPTY_PATH);
	CALL(mount, "nothing", "nowhere", "tmpfs", MS_NOSUID | MS_RDONLY, NULL);
	CALL(umount2, "nowhere", MNT_DETACH);
	CALL(chroot, "nowhere");
	CALL(inotify_add_watch, other, ".", IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	CALL(inotify_rm_watch, -1, 1);
	CALL(sync_file_range, fd, 0, 100, SYNC_FILE_RANGE_WRITE);
	CALL(preadv2, fd, NULL, 0, 0, 0, RWF_NOWAIT);
}

void calls_of_files(void)
{
	what_files_are(what_files_hold());
	names_of_files();
	what_names_mean();
	old_names_of_files();
	descriptors_of_all_kinds();
}
