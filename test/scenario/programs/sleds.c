/* SPDX-License-Identifier: MIT */
/* sleds.c - functions that can be patched, called by several threads while they are.
 *
 *	sleds switch TIMES THREADS	tracing is switched on and off meanwhile
 *	sleds blocked			by threads that have all signals blocked
 *	sleds interrupted		in a thread that a signal has interrupted in a sled
 *	sleds bytes			the code after a trace, beside the file's
 *	sleds reads			by a thread that waits in read(2)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <sys/ucontext.h>
#include <time.h>
#include <unistd.h>
#include <whocallme.h>

#define OUTLINE __attribute__((noinline))
#define FUNCTION(n) OUTLINE int f##n(int x) { __asm__ volatile("" : "+r"(x)); return x + n; }
#define TEN(n) FUNCTION(n##0) FUNCTION(n##1) FUNCTION(n##2) FUNCTION(n##3) FUNCTION(n##4) \
	FUNCTION(n##5) FUNCTION(n##6) FUNCTION(n##7) FUNCTION(n##8) FUNCTION(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) \
	TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8)
HUNDRED(9) HUNDRED(10)
#define NAME(n) f##n,
#define TEN_NAMES(n) NAME(n##0) NAME(n##1) NAME(n##2) NAME(n##3) NAME(n##4) NAME(n##5) \
	NAME(n##6) NAME(n##7) NAME(n##8) NAME(n##9)
#define HUNDRED_NAMES(n) TEN_NAMES(n##0) TEN_NAMES(n##1) TEN_NAMES(n##2) TEN_NAMES(n##3) \
	TEN_NAMES(n##4) TEN_NAMES(n##5) TEN_NAMES(n##6) TEN_NAMES(n##7) TEN_NAMES(n##8) \
	TEN_NAMES(n##9)
static int (*const functions[])(int) = {
	HUNDRED_NAMES(1) HUNDRED_NAMES(2) HUNDRED_NAMES(3) HUNDRED_NAMES(4) HUNDRED_NAMES(5)
	HUNDRED_NAMES(6) HUNDRED_NAMES(7) HUNDRED_NAMES(8) HUNDRED_NAMES(9) HUNDRED_NAMES(10)
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]), MOST = 64 };

static volatile int is_over;

static void *call(void *argument)
{
	unsigned random = (unsigned)(size_t)argument;
	volatile int sum = 0;

	while (!is_over) {
		random = random * 1103515245 + 12345;
		sum = functions[(random >> 8) % FUNCTIONS](sum);
	}
	return NULL;
}

/* The executable's code in its file, and mapped. */
static int compare(struct dl_phdr_info *info, size_t size, void *data)
{
	const int fd = open("/proc/self/exe", O_RDONLY);

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		char *bytes = malloc(segment->p_filesz + 1);

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) &&
		    (pread(fd, bytes, segment->p_filesz, (off_t)segment->p_offset) !=
			     (ssize_t)segment->p_filesz ||
		     memcmp(bytes, (void *)(info->dlpi_addr + segment->p_vaddr),
			    segment->p_filesz) != 0))
			*(int *)data = 1;
		free(bytes);
	}
	close(fd);
	return 1; /* the executable is the first */
}

static int differs(void)
{
	int is_different = 0;

	dl_iterate_phdr(compare, &is_different);
	return is_different;
}

static void start_threads(pthread_t *thread, int count)
{
	for (int i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, call, (void *)(size_t)(i + 1));
}

static void end_threads(const pthread_t *thread, int count)
{
	is_over = 1;
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
}

/* A call that the starting thread makes in between must be in each trace. */
static void switch_often(int times, int threads)
{
	const struct wcm_trace_options options = { .mode = WCM_TRACE_GRAPH,
						   .flags = WCM_TRACE_NO_TIMES,
						   .output = "/dev/null/none" };
	struct wcm_trace_options graph = options;
	struct wcm_trace_counts counts;
	int empty = 0, failed = 0, lost = 0;
	pthread_t thread[MOST];

	graph.output = getenv("GRAPH");
	if (getenv("ENDS"))
		graph.flags = 0;
	start_threads(thread, threads);
	if (getenv("RECORD")) {
		const struct wcm_trace_options record = { .mode = WCM_TRACE_RECORD,
							  .output = getenv("RECORD") };

		failed += wcm_trace_start(&record) != WCM_OK;
		functions[0](0);
		wcm_trace_stop();
	}
	for (int i = 0; i < times; i++) {
		failed += wcm_trace_start(&graph) != WCM_OK;
		functions[i % FUNCTIONS](i);
		wcm_trace_stop();
		wcm_trace_count(&counts);
		empty += counts.calls == 0;
		lost += counts.lost > 0;
	}
	end_threads(thread, threads);
	printf("failed %d, empty %d, lost %d, differs %d\n", failed, empty, lost, differs());
}

OUTLINE static void blocked(void)
{
	pthread_t thread[2];
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	start_threads(thread, 2);
	printf("started %d\n", wcm_trace_start(NULL) == WCM_OK);
	functions[0](0);
	wcm_trace_stop();
	end_threads(thread, 2);
}

#if defined(__x86_64__) || defined(__i386__)
#ifdef __x86_64__
enum { PC = REG_RIP, SP = REG_RSP };

static void put_argument(greg_t *registers, uintptr_t *stack)
{
	(void)stack;
	registers[REG_RDI] = 1;
}

/* Whoever returns here has taken a word off the stack that was. */
#define BE_INTERRUPTED(sum)                                                                     \
	__asm__ volatile("int3\n\taddq $248, %%rsp"                                             \
			 : "=a"(sum)                                                            \
			 :                                                                      \
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc")
#else
enum { PC = REG_EIP, SP = REG_ESP };

static void put_argument(greg_t *registers, uintptr_t *stack)
{
	(void)registers;
	stack[1] = 1;
}

#define BE_INTERRUPTED(sum)                       \
	__asm__ volatile("int3\n\taddl $252, %%esp" \
			 : "=a"(sum)              \
			 :                        \
			 : "ecx", "edx", "memory", "cc")
#endif
static sem_t is_interrupted, is_traced;

/* As if the signal had come between two NOPs of the function, called from where it did. */
static void be_interrupted(int signal, siginfo_t *info, void *ucontext)
{
	greg_t *registers = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
	uintptr_t *stack = (uintptr_t *)(registers[SP] - 256);

	(void)signal, (void)info;
	*stack = (uintptr_t)registers[PC];
	put_argument(registers, stack);
	registers[SP] = (greg_t)(uintptr_t)stack;
	registers[PC] = (greg_t)(uintptr_t)functions[0] + 2;
	sem_post(&is_interrupted);
	while (sem_wait(&is_traced) != 0)
		;
}

static void *be_in_a_sled(void *argument)
{
	uintptr_t sum;

	BE_INTERRUPTED(sum);
	printf("returned %d\n", (int)sum);
	return argument;
}

static void interrupted(void)
{
	struct sigaction action = { .sa_sigaction = be_interrupted, .sa_flags = SA_SIGINFO };
	pthread_t thread;

	sigaction(SIGTRAP, &action, NULL);
	pthread_create(&thread, NULL, be_in_a_sled, NULL);
	while (sem_wait(&is_interrupted) != 0)
		;
	wcm_trace_start(NULL);
	sem_post(&is_traced);
	pthread_join(thread, NULL);
	wcm_trace_stop();
	printf("differs %d\n", differs());
}
#else
static void interrupted(void)
{
}
#endif

static int reader; /* its thread id */

static void *read_one(void *fd)
{
	char byte;

	__atomic_store_n(&reader, gettid(), __ATOMIC_RELEASE);
	return read(*(const int *)fd, &byte, 1) == 1 ? "a byte" : strerror(errno);
}

/* Wait until the thread that reads has gone to sleep. */
static void await_reader(void)
{
	char path[64], state = 'R';

	while (state != 'S') {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
			 __atomic_load_n(&reader, __ATOMIC_ACQUIRE));
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			state = 'R';
		fclose(file);
	}
}

OUTLINE static void reads(void)
{
	pthread_t thread;
	void *got;
	int ends[2];

	if (pipe(ends) != 0 || pthread_create(&thread, NULL, read_one, &ends[0]) != 0)
		return;
	await_reader();
	wcm_trace_start(NULL);
	functions[0](0);
	wcm_trace_stop();
	if (write(ends[1], "", 1) != 1)
		return;
	pthread_join(thread, &got);
	printf("read %s\n", (const char *)got);
}

OUTLINE static void bytes(void)
{
	const int before = differs();
	int during;

	wcm_trace_start(NULL);
	during = differs();
	functions[7](7);
	wcm_trace_stop();
	printf("before %d, during %d, after %d\n", before, during, differs());
}

int main(int argc, char *argv[])
{
	if (argc > 3 && strcmp(argv[1], "switch") == 0)
		switch_often(atoi(argv[2]), atoi(argv[3]));
	else if (argc > 1 && strcmp(argv[1], "blocked") == 0)
		blocked();
	else if (argc > 1 && strcmp(argv[1], "interrupted") == 0)
		interrupted();
	else if (argc > 1 && strcmp(argv[1], "reads") == 0)
		reads();
	else if (argc > 1)
		bytes();
	return 0;
}
