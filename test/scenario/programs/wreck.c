/* SPDX-License-Identifier: MIT */
/* wreck.c - dies when it has damaged what a report of that is made from.
 *
 *	wreck WAY
 *
 * It knows nothing of reports, unless it is built with -DAWARE. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef AWARE
#include <whocallme.h>
#endif

#define KEPT __attribute__((noinline, noclone))
#define NO_TAIL_CALL __asm__ volatile("")

/* A buffer that is overrun up to the end of the stack. */
KEPT static void overrun(void)
{
	static volatile char *at; /* not in the way */
	char buffer[16];

	for (at = buffer;; at++)
		*at = 'A';
}

/* The function of a library that was opened: wreck_there.c's. */
static void (*plugged)(volatile int *nowhere);
static struct link_map *entry;

static void open_library(void)
{
	void *library = dlopen(getenv("PLUGGED"), RTLD_NOW);

	if (!library || dlinfo(library, RTLD_DI_LINKMAP, &entry) != 0)
		_exit(77);
	*(void **)&plugged = dlsym(library, "die_here");
}

KEPT static void die_there(void)
{
	plugged(NULL);
	NO_TAIL_CALL;
}

/* All that has been allocated so far, the linker's notes on the library among it. */
KEPT static void heap(void)
{
	volatile char *at = malloc(1), *end;

	open_library();
	for (end = sbrk(0); at < end; at++)
		*at = 'A';
	die_there();
}

/* The library has a name that is nowhere. */
KEPT static void nameless(void)
{
	open_library();
	entry->l_name = (char *)0x4141414141414141;
	die_there();
}

/* An alternate stack that is too small for a report, above what cannot be written to, and
 * a sandbox that traps a system call of the report. */
KEPT static void trapped(unsigned number)
{
	enum { SIZE = 8192, GUARD = 1 << 16 };
	char *memory = mmap(NULL, GUARD + SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t small = { .ss_sp = memory + GUARD, .ss_size = SIZE };
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };

	if (getauxval(AT_MINSIGSTKSZ) > SIZE / 2 ||
	    mprotect(memory, GUARD, PROT_NONE) != 0 || sigaltstack(&small, NULL) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(77);
	*(volatile int *)(uintptr_t)(number & 0) = 1;
}

int main(int argc, char *argv[])
{
	const char *way = argc > 1 ? argv[1] : "";

#ifdef AWARE
	wcm_crash_install(NULL);
#endif
	if (strcmp(way, "overrun") == 0)
		overrun();
	if (strcmp(way, "heap") == 0)
		heap();
	if (strcmp(way, "nameless") == 0)
		nameless();
	if (strcmp(way, "trapped") == 0 && argc > 2)
		trapped((unsigned)atoi(argv[2]));
	return 2;
}
