/* SPDX-License-Identifier: MIT */
/* system_refuses.c - programs that have a say themselves in what becomes of system calls.
 *
 *	system_refuses filter	getppid() is not permitted, process_vm_readv() kills
 *	system_refuses asks	what the kernel knows of filters, as libseccomp and browsers do
 *	system_refuses runs PROGRAM [ARGUMENT]...	behind a filter that kills for what a
 *		program seldom calls
 *	system_refuses dispatch	another handler of SIGSYS makes getppid()
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static char selector;

static int filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	getppid();
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) |
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#define KILLS(call)                                         \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),    \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static int runs(char *argv[])
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		KILLS(SYS_process_vm_readv), KILLS(SYS_prctl),        KILLS(SYS_clone),
		KILLS(SYS_clone3),           KILLS(SYS_pipe2),        KILLS(SYS_sigaltstack),
		KILLS(SYS_unshare),          KILLS(SYS_memfd_create), KILLS(SYS_capget),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	return execvp(argv[0], argv);
}

/* Calls that have to fail. */
static int asks(void)
{
	return (int)(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) +
		     syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, "") +
		     syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) +
		     syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			     SECCOMP_FILTER_FLAG_TSYNC, NULL) +
		     prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) +
		     prctl(PR_SET_SECCOMP, 7, NULL, 0, 0));
}

static void dispatched(int signal, siginfo_t *info, void *ucontext)
{
	(void)signal;
	(void)info;
	selector = 0;
	((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RAX] = 42;
}

static int dispatch(void)
{
	const struct sigaction action = { .sa_sigaction = dispatched, .sa_flags = SA_SIGINFO };

	getppid();
	sigaction(SIGSYS, &action, NULL);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector) != 0)
		return -1;
	selector = 1;
	return 0;
}

int main(int argc, char *argv[])
{
	const char *way = argc > 1 ? argv[1] : "";
	const int result = strcmp(way, "runs") == 0     ? 0
			   : strcmp(way, "filter") == 0 ? filter()
			   : strcmp(way, "asks") == 0   ? asks()
							: dispatch();
	const long parent = argc > 2 ? runs(argv + 2) : syscall(SYS_getppid);

	printf("%d %ld %d\n", result, parent, errno);
	return 3;
}
