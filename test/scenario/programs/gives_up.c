/* SPDX-License-Identifier: MIT */
/* gives_up.c - has source lines, gives up rights as the first argument says, and asks the
 * helper by its socket the request that is the second one, as code would that has taken
 * the program over. */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <whocallme.h>

static void must(const char *what, long result)
{
	if (result >= 0)
		return;
	perror(what);
	exit(77);
}

static void drop_capability(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[2];

	must("capget", syscall(SYS_capget, &header, sets));
	sets[0].effective &= ~(1u << CAP_DAC_OVERRIDE);
	sets[0].permitted &= ~(1u << CAP_DAC_OVERRIDE);
	must("capset", syscall(SYS_capset, &header, sets));
}

static void enter_sandbox(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = { 1, &allow };

	must("prctl", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	must("seccomp", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}

/* In a child that the library does not hear of. */
static void leave_for_child(void)
{
	const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	must("clone", child);
	if (child == 0)
		return;
	wait(NULL);
	exit(0);
}

static void give_up(const char *what)
{
	if (strcmp(what, "user") == 0)
		must("setresuid", setresuid(1001, 1001, 1001));
	else if (strcmp(what, "group") == 0)
		must("setresgid", setresgid(1001, 1001, 1001));
	else if (strcmp(what, "capability") == 0)
		drop_capability();
	else if (strcmp(what, "sandbox") == 0)
		enter_sandbox();
	else if (strcmp(what, "child") == 0)
		leave_for_child();
}

/* Any number that is a socket. */
static void ask_helper(const char *request)
{
	char answer[4096];

	for (int fd = 3; fd < 1024; fd++) {
		ssize_t size = send(fd, request, strlen(request), MSG_NOSIGNAL);

		if (size >= 0)
			size = send(fd, "\n", 1, MSG_NOSIGNAL);
		if (size >= 0)
			size = recv(fd, answer, sizeof(answer), 0);
		if (size > 0)
			fwrite(answer, 1, (size_t)size, stdout);
	}
}

int main(int argc, char *argv[])
{
	struct wcm_lines_options options = { .flags = WCM_LINES_SOURCE };
	struct wcm_sources *sources;

	if (argc < 3 || wcm_lines_start(&options) != WCM_OK ||
	    wcm_symbol_resolve((uintptr_t)main, &sources) != WCM_OK)
		return 2;
	wcm_sources_free(sources);
	give_up(argv[1]);
	ask_helper(argv[2]);
	printf("status %d\n", wcm_symbol_resolve((uintptr_t)main, &sources));
	return fflush(stdout) != 0;
}
