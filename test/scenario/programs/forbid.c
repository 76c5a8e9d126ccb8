/* SPDX-License-Identifier: MIT */
/* forbid.c - preloaded: once the program has been loaded, opening a file, starting
 * a process or making a timer traps. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define TRAP(number)                                                 \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),           \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)

__attribute__((constructor)) static void forbid(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		TRAP(SYS_openat),
		TRAP(SYS_clone),
		TRAP(SYS_timer_create),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		exit(77);
}
