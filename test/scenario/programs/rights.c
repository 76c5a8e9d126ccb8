/* SPDX-License-Identifier: MIT */
/* rights.c - gives up rights, as each argument says, and calls late() after each. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHER = 1001 };

static void early(void) {}
static void late(void) {}
static void in_child(void) {}

/* No file can be opened any more. */
static int filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* A file system of its own, without the one that is now. */
static int pivot(void)
{
	return unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("none", "root", "tmpfs", 0, NULL) || mkdir("root/old", 0700) ||
	       syscall(SYS_pivot_root, "root", "root/old") || chdir("/") ||
	       umount2("/old", MNT_DETACH);
}

static int in_a_child(void)
{
	int status = 0;
	const pid_t child = fork();

	if (child == 0) {
		in_child();
		_exit(0);
	}
	return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

static int close_all(void)
{
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	return 0;
}

/* Fails where a directory is open, which leads out of the root directory. */
static int has_no_way_out(void)
{
	struct stat found;

	for (int fd = 3; fd < 4096; fd++)
		if (fstat(fd, &found) == 0 && S_ISDIR(found.st_mode))
			return 1;
	return 0;
}

static int give_up(const char *what)
{
	if (strcmp(what, "chroot") == 0)
		return chroot("root") || chdir("/");
	if (strcmp(what, "chroot-by-hand") == 0)
		return (int)syscall(SYS_chroot, "root") || chdir("/");
	if (strcmp(what, "pivot") == 0)
		return pivot();
	if (strcmp(what, "setuid") == 0)
		return setgroups(0, NULL) || setgid(OTHER) || setuid(OTHER);
	if (strcmp(what, "setresuid") == 0)
		return setresuid(OTHER, OTHER, OTHER);
	if (strcmp(what, "filter") == 0)
		return filter();
	if (strcmp(what, "close") == 0)
		return close_all();
	if (strcmp(what, "chdir") == 0)
		return chdir("/");
	if (strcmp(what, "is-shut-in") == 0)
		return has_no_way_out();
	if (strcmp(what, "exec") == 0)
		return execl("/proc/self/exe", "rights", NULL);
	if (strcmp(what, "fork") == 0)
		return in_a_child();
	return 1;
}

int main(int argc, char *argv[])
{
	early();
	for (int i = 1; i < argc; i++) {
		if (give_up(argv[i]) != 0)
			return i;
		late();
	}
	return 0;
}
