/* SPDX-License-Identifier: MIT */
/* crash.c - dies as its argument says, with the report installed unless it is
 * built with -DUNAWARE. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
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
#ifndef UNAWARE
#include <whocallme.h>
#endif

#include "machine.h"

#define KEPT __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("")

static volatile int zero, sink;
static char *volatile wild = (char *)0x12345000;

KEPT static void null_read(void)
{
	sink = *(volatile int *)(uintptr_t)zero;
}

KEPT static void wild_read(void)
{
	sink = *(volatile char *)wild;
}

KEPT static void odd_read(void)
{
	sink = *(volatile char *)(uintptr_t)0xdead000000000000;
}

KEPT static void write_to_text(void)
{
	*(volatile char *)(uintptr_t)write_to_text = 1;
}

KEPT static void null_call(void)
{
	((void (*)(void))(uintptr_t)zero)();
	NO_TAIL_CALL;
}

KEPT static void wild_call(void)
{
	((void (*)(void))(uintptr_t)wild)();
	NO_TAIL_CALL;
}

KEPT static void call_of_data(void)
{
	char *data = calloc(1, 64);

	((void (*)(void))(uintptr_t)data)();
	NO_TAIL_CALL;
}

KEPT static void beyond_file(void)
{
	char path[] = "/tmp/whocallme-XXXXXX";
	int fd = mkstemp(path);
	char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	unlink(path);
	sink = *(volatile char *)page;
}

KEPT static void divide(void)
{
	sink = 1000 / zero;
}

KEPT static void undefined(void)
{
	__builtin_trap();
}

KEPT static void breakpoint(void)
{
	BREAKPOINT();
}

KEPT static void forbidden_call(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };
	long result;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	RAW_CALL(result, SYS_getppid, 0, 0, 0);
	(void)result;
}

/* A sandbox that lets no action of a signal be set, and no process know itself. */
KEPT static void no_action(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 5, code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(77);
	null_read();
}

/* All of it that is in use, with what the kernel left at its top. */
KEPT static void stackless(void)
{
	const uintptr_t page = 4096, top = (getauxval(AT_EXECFN) | (page - 1)) + 1;
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(page - 1);

	munmap((void *)(here - 4 * page), top - (here - 4 * page));
	NO_TAIL_CALL;
}

KEPT static int recurse(volatile char *above)
{
	volatile char here[512];

	here[0] = *above;
	return recurse(here) + here[0];
}

KEPT static void overflow(void)
{
	volatile char start = 0;

	sink = recurse(&start);
}

static void *die_in_thread(void *argument)
{
	null_read();
	return argument;
}

static void run_in_thread(void *(*run)(void *), const char *name)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_setname_np(thread, name);
	pthread_join(thread, NULL);
}

KEPT static void in_thread(void)
{
	run_in_thread(die_in_thread, "victim");
}

static void *overflow_there(void *argument)
{
	overflow();
	return argument;
}

KEPT static void overflow_in_thread(void)
{
	run_in_thread(overflow_there, "crash");
}

/* Farther below the stack than a guard is. */
KEPT static void large_frame(void)
{
	volatile char here[64 << 20];

	here[0] = 1;
	sink = here[0];
}

static pthread_barrier_t both;

static void *die_together(void *argument)
{
	pthread_barrier_wait(&both);
	null_read();
	return argument;
}

KEPT static void two_at_once(void)
{
	pthread_t thread[2];

	pthread_barrier_init(&both, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, die_together, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

KEPT static void waits(void)
{
	puts("waiting");
	fflush(stdout);
	for (;;)
		PAUSE();
}

static const struct {
	const char *name;
	void (*run)(void);
} deaths[] = {
	{ "null_read", null_read },
	{ "wild_read", wild_read },
	{ "odd_read", odd_read },
	{ "write_to_text", write_to_text },
	{ "null_call", null_call },
	{ "wild_call", wild_call },
	{ "call_of_data", call_of_data },
	{ "beyond_file", beyond_file },
	{ "divide", divide },
	{ "undefined", undefined },
	{ "breakpoint", breakpoint },
	{ "forbidden_call", forbidden_call },
	{ "no_action", no_action },
	{ "abort", abort },
	{ "overflow", overflow },
	{ "overflow_in_thread", overflow_in_thread },
	{ "large_frame", large_frame },
	{ "stackless", stackless },
	{ "in_thread", in_thread },
	{ "two_at_once", two_at_once },
	{ "waits", waits },
};

#ifndef UNAWARE
static void earlier_handler(int signal, siginfo_t *info, void *context)
{
	static char text[64];

	(void)signal, (void)context;
	if (write(1, text, (size_t)snprintf(text, sizeof(text), "%d %d %p\n",
					    info->si_signo, info->si_code,
					    info->si_addr)) < 0)
		_exit(4);
	_exit(42);
}

/* What the kernel has: sigaction(2) tells the program of its own. */
static void print_actions(void)
{
	FILE *const status = fopen("/proc/self/status", "r");
	char line[256];
	unsigned long long caught = 0, ignored = 0;

	while (status && fgets(line, sizeof(line), status)) {
		sscanf(line, "SigCgt: %llx", &caught);
		sscanf(line, "SigIgn: %llx", &ignored);
	}
	if (status)
		fclose(status);
	for (int signal = 1; signal < SIGRTMIN; signal++)
		if ((caught | ignored) >> (signal - 1) & 1)
			printf("%d ", signal);
	puts("");
}

/* OPTION: how the report is installed.  True if that is all. */
static int install(const char *option)
{
	struct sigaction action = { .sa_sigaction = earlier_handler,
				    .sa_flags = SA_SIGINFO };
	struct wcm_crash_options to_stdout = { .fd = 1 }, bad = { .flags = 1u << 31 },
				 no_arguments = { .flags = WCM_CRASH_NO_ARGUMENTS };

	if (strcmp(option, "actions") == 0) {
		print_actions();
		if (init_function_table(NULL) != 0)
			return 1;
		print_actions();
		wcm_crash_install(NULL);
		print_actions();
		wcm_crash_remove();
		print_actions();
		return 1;
	}
	if (strcmp(option, "removed") == 0) {
		sigaction(SIGSEGV, &action, NULL);
		wcm_crash_install(NULL);
		wcm_crash_remove();
		return 0;
	}
	if (strcmp(option, "not-ours") == 0) {
		wcm_crash_install(NULL);
		sigaction(SIGSEGV, &action, NULL);
		wcm_crash_remove();
		return 0;
	}
	if (strcmp(option, "chained") == 0)
		sigaction(SIGSEGV, &action, NULL);
	if (strcmp(option, "bad") == 0)
		puts(wcm_status_text(wcm_crash_install(&bad))), fflush(stdout);
	wcm_crash_install(strcmp(option, "stdout") == 0		? &to_stdout
			  : strcmp(option, "no-arguments") == 0 ? &no_arguments
								: NULL);
	return 0;
}
#endif

int main(int argc, char *argv[])
{
#ifndef UNAWARE
	if (init_function_table(argv[0]) != 0 ||
	    install(argc > 2 ? argv[2] : ""))
		return 0;
#endif
	for (size_t i = 0; argc > 1 && i < sizeof(deaths) / sizeof(*deaths); i++)
		if (strcmp(argv[1], deaths[i].name) == 0) {
			deaths[i].run();
			return 3;
		}
	return 2;
}
