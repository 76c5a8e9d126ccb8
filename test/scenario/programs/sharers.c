/* SPDX-License-Identifier: MIT */
/* sharers.c - makes threads that share their maker's thread-local variables.
 *
 * HOW: libc's clone(), or the system call; as threads, or as processes with the same memory;
 * vfork: processes that the maker waits for, each on a stack of its own.  WHERE: their stacks are
 * mapped, or arrays in a frame of main().
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, CALLS = 5000, SIZE = 64 * 1024 };

static volatile long sum[THREADS + 1];
static volatile int done;

__attribute__((noinline)) static void add(long i, int who)
{
	sum[who] += i;
}

__attribute__((noinline)) static void nest(int depth, int who)
{
	volatile char room[512] = { 0 };

	if (depth > 0)
		nest(depth - 1, who);
	add(room[depth], who);
}

static void work(int who)
{
	for (long i = 0; i < CALLS; i++)
		add(i, who);
	nest(8, who);
}

__attribute__((no_instrument_function)) static int child(void *who)
{
	work((int)(long)who);
	__atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
	return 0;
}

#ifdef __x86_64__
/* Nothing of libc's is asked, as runtimes of languages have it. */
__attribute__((no_instrument_function)) static long begin_raw(char *top, long flags, long who)
{
	long pid;

	((long *)top)[-2] = who;
	((long *)top)[-1] = (long)child;
	__asm__ volatile("syscall\n\t"
			 "testq %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xorl %%ebp, %%ebp\n\t"
			 "popq %%rdi\n\t"
			 "popq %%rax\n\t"
			 "call *%%rax\n\t"
			 "movl %%eax, %%edi\n\t"
			 "movl %3, %%eax\n\t"
			 "syscall\n"
			 "1:"
			 : "=a"(pid)
			 : "0"((long)SYS_clone), "D"(flags), "i"(SYS_exit), "S"(top - 16), "d"(0L)
			 : "rcx", "r11", "r10", "r8", "memory");
	return pid;
}
#else
#define begin_raw(top, flags, who) clone(child, top, (int)(flags), (void *)(who))
#endif

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const int is_thread = !strstr(how, "process") && !strstr(how, "vfork");
	const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			   (is_thread ? CLONE_THREAD : SIGCHLD) |
			   (strstr(how, "vfork") ? CLONE_VFORK : 0);
	char frame[THREADS][SIZE] __attribute__((aligned(16)));

	for (long i = 1; i <= THREADS; i++) {
		char *stack = frame[i - 1];

		if (!strstr(how, "array"))
			stack = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				     -1, 0);

		if ((strstr(how, "raw") ? begin_raw(stack + SIZE, flags, i) :
					  clone(child, stack + SIZE, (int)flags, (void *)i)) < 0)
			return 1;
	}
	work(0);
	while (done < THREADS)
		if (!is_thread)
			wait(NULL);
	for (int i = 0; i <= THREADS; i++)
		printf("%ld ", sum[i]);
	puts("");
	return 0;
}
