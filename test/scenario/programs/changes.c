/* SPDX-License-Identifier: MIT */
/* changes.c - changes what it may do, or where its files are, as the arguments say, and
 * dies of SIGSEGV. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifndef UNAWARE
#include <whocallme.h>
#endif

static int must(const char *what, long result)
{
	if (result < 0) {
		perror(what);
		exit(77);
	}
	return (int)result;
}

static void change_capabilities(bool inheritable)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[2];

	must("capget", syscall(SYS_capget, &header, sets));
	if (inheritable)
		sets[0].inheritable ^= 1u << CAP_KILL;
	else
		sets[0].effective &= ~(1u << CAP_KILL);
	must("capset", syscall(SYS_capset, &header, sets));
}

static void in_child(void)
{
	int status;

	if (must("fork", fork()) == 0)
		return;
	wait(&status);
	exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

/* What it starts from now on counts anew, from this child on. */
static void in_pid_namespace(void)
{
	must("unshare", unshare(CLONE_NEWPID));
	if (must("fork", fork()) > 0)
		return;
	must("prctl", prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
	for (;;)
		pause();
}

static const char *value(const char *argument, const char *name)
{
	size_t length = strlen(name);

	return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

static void change(const char *how)
{
	const char *of;

	if ((of = value(how, "chroot=")))
		must(of, chroot(of));
	else if ((of = value(how, "chdir=")))
		must(of, chdir(of));
	else if ((of = value(how, "euid=")))
		must("seteuid", seteuid((uid_t)atoi(of)));
	else if ((of = value(how, "egid=")))
		must("setegid", setegid((gid_t)atoi(of)));
	else if ((of = value(how, "uid=")))
		must("setresuid", setresuid((uid_t)atoi(of), (uid_t)atoi(of), (uid_t)atoi(of)));
	else if ((of = value(how, "suid=")))
		must("setresuid", setresuid((uid_t)-1, (uid_t)-1, (uid_t)atoi(of)));
	else if ((of = value(how, "fsuid=")))
		setfsuid((uid_t)atoi(of));
	else if ((of = value(how, "run=")))
		must(of, -(system(of) != 0));
	else if (strcmp(how, "effective") == 0)
		change_capabilities(false);
	else if (strcmp(how, "inheritable") == 0)
		change_capabilities(true);
	else if (strcmp(how, "dumpable") == 0) /* what changes of ids take away */
		must("prctl", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
	else if (strcmp(how, "fork") == 0)
		in_child();
	else if (strcmp(how, "pid namespace") == 0)
		in_pid_namespace();
	else
		exit(2);
}

int main(int argc, char *argv[])
{
#ifndef UNAWARE
	const struct wcm_crash_options options = { .sections = WCM_SECTION_STACK };

	if (wcm_crash_install(&options) != WCM_OK)
		return 3;
#endif
	for (int i = 1; i < argc; i++)
		change(argv[i]);
	raise(SIGSEGV);
	return 4;
}
