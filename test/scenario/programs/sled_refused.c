/* SPDX-License-Identifier: MIT */
/* sled_refused.c - a program with sleds whose code may not be changed:
 * sled_refused REFUSAL [LIBRARY]
 *
 *	eperm, eacces   no memory becomes executable, by a seccomp filter
 *	write-eacces    nor is any written by pwrite64(2), which /proc/self/mem takes
 *	mdwe            PR_SET_MDWE
 *	full            no page within 2 GiB of the code is free
 *
 * before the constructors of any library; with a LIBRARY, before that is opened.  With an agent
 * it waits for a byte.  It exits with 7, or with 77 where the refusal is not to be had. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define QUIET __attribute__((patchable_function_entry(0)))
#define DATA(field) (unsigned)offsetof(struct seccomp_data, field)

/* Have mprotect(2) to PROT_EXEC fail with ERROR, and pwrite64(2) if WRITES. */
QUIET static int filter(int error, int writes)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, writes ? 3 : 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(rules) / sizeof(*rules), rules };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Take all that is free within 2 GiB of here and some more. */
QUIET static int fill(void)
{
	const uintptr_t block = 64 * 1024, here = (uintptr_t)fill & ~(block - 1);
	const uintptr_t reach = (UINT64_C(1) << 31) + 64 * block;
	uintptr_t at = here > reach ? here - reach : block;

	for (; at < here + reach; at += block)
		mmap((void *)at, block, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	return 1;
}

QUIET static int refuse(const char *what)
{
	if (strcmp(what, "eperm") == 0)
		return filter(EPERM, 0);
	if (strcmp(what, "eacces") == 0)
		return filter(EACCES, 0);
	if (strcmp(what, "write-eacces") == 0)
		return filter(EACCES, 1);
	if (strcmp(what, "mdwe") == 0)
		return prctl(PR_SET_MDWE, 1, 0, 0, 0) == 0;
	return strcmp(what, "full") == 0 && fill();
}

QUIET static void refuse_first(int argc, char *argv[], char *environment[])
{
	(void)environment;
	if (argc == 2 && !refuse(argv[1]))
		_exit(77);
}

__attribute__((section(".preinit_array"), used))
static void (*const first)(int, char *[], char *[]) = refuse_first;

__attribute__((noinline)) static void leaf(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) static void work(void)
{
	leaf();
	leaf();
}

QUIET static int open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*run)(void) = library ? (void (*)(void))dlsym(library, "plugin_run") : NULL;

	if (!run)
		return 0;
	run();
	dlclose(library);
	return 1;
}

QUIET int main(int argc, char *argv[])
{
	work();
	if (argc > 2 && (!refuse(argv[1]) || !open_library(argv[2]) || !open_library(argv[2])))
		return 77;
	work();
	if (getenv("WHOCALLME_AGENT"))
		getchar();
	puts("done");
	return 7;
}
