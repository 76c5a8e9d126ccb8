/* SPDX-License-Identifier: MIT */
/* running_lines.c - source lines in a running program: running_lines WHAT [ARGUMENT]. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <whocallme.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

#define KEPT __attribute__((noinline, noclone))
#ifdef __clang__
#undef KEPT
#define KEPT __attribute__((noinline))
#endif

static volatile int never, turns;

static KEPT void write_stack(void)
{
	struct wcm_frame frames[32];

	wcm_stack_write(STDERR_FILENO, frames,
			wcm_stack_capture(frames, 32, 0, NULL));
	turns++;
}

static KEPT void write_backtrace(void)
{
	who_call_me();
	full_backtrace();
	turns++;
}

static inline __attribute__((always_inline)) void inmost(void (*leaf)(void))
{
	if (never)
		turns++;
	leaf();
	turns++;
}

static inline __attribute__((always_inline)) void outer(void (*leaf)(void))
{
	turns++;
	inmost(leaf);
	turns++;
}

static KEPT void ask(void (*leaf)(void))
{
	outer(leaf);
	turns++;
}

static int note_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1;
}

static void write_bias(void)
{
	uintptr_t bias = 0;

	dl_iterate_phdr(note_bias, &bias);
	printf("%#lx\n", (unsigned long)bias);
	fflush(stdout);
}

/* The chain at ADDRESS as addr2line has it. */
static enum wcm_status write_chain(FILE *file, uintptr_t address)
{
	struct wcm_sources *sources;
	enum wcm_status status = wcm_symbol_resolve(address, &sources);

	for (size_t i = 0; status == WCM_OK && i < sources->count; i++) {
		const struct wcm_source *source = &sources->source[i];

		fprintf(file, "%s\n%s:%u\n", source->function, source->file,
			source->line);
		if (!(source->flags & WCM_SOURCE_INLINED) !=
		    (i + 1 == sources->count))
			fprintf(file, "flags are wrong\n");
	}
	if ((sources != NULL) != (status == WCM_OK))
		fprintf(file, "*sources is wrong\n");
	wcm_sources_free(sources);
	return status;
}

/* A line with the address, then its chain, for every byte of some functions. */
static int resolve(const char *unused)
{
	const uintptr_t functions[] = { (uintptr_t)ask, (uintptr_t)write_chain,
					(uintptr_t)write_stack };
	struct wcm_symbol symbol;

	(void)unused;
	for (int i = 0; i < 3; i++) {
		wcm_symbol_find(functions[i], &symbol);
		for (uintptr_t at = functions[i];
		     at < functions[i] + symbol.size; at++) {
			printf("%#lx\n", (unsigned long)at);
			if (write_chain(stdout, at) != WCM_OK)
				printf("??\n??:0\n");
		}
	}
	return 0;
}

static int statuses(const char *unused)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)unused;
	puts(wcm_status_text(write_chain(stdout, (uintptr_t)code)));
	puts(wcm_status_text(write_chain(stdout, (uintptr_t)statuses)));
	puts(wcm_status_text(
		write_chain(stdout, getauxval(AT_SYSINFO_EHDR) + 64)));
	return 0;
}

static int stack(const char *unused)
{
	(void)unused;
	ask(write_stack);
	turns++;
	return 0;
}

static int backtrace(const char *unused)
{
	(void)unused;
	ask(write_backtrace);
	return 0;
}

static int start_late(const char *helper)
{
	const struct wcm_lines_options options = { .timeout_ms = 300,
						   .helper = helper };

	ask(write_stack);
	fprintf(stderr, "start: %s\n",
		wcm_status_text(wcm_lines_start(&options)));
	ask(write_stack);
	ask(write_stack);
	wcm_lines_stop();
	ask(write_stack);
	return 0;
}

static int options(const char *path)
{
	const struct wcm_lines_options unknown = { .flags = 0x80 };
	const struct wcm_lines_options reserved = { .reserved = { 0, 1 } };
	const struct wcm_lines_options empty = { .helper = path };

	puts(wcm_status_text(wcm_lines_start(&unknown)));
	puts(wcm_status_text(wcm_lines_start(&reserved)));
	puts(wcm_status_text(wcm_lines_start(&empty)));
	puts(wcm_status_text(wcm_lines_start(NULL)));
	return 0;
}

static int from_elsewhere(const char *directory)
{
	if (chdir(directory) != 0)
		return 1;
	ask(write_stack);
	return 0;
}

static int after_command(const char *command)
{
	if (system(command) != 0)
		return 1;
	ask(write_backtrace);
	ask(write_stack);
	turns++;
	return 0;
}

/* Close all but the three, with something else in their places. */
static int close_all(const char *times)
{
	int count = atoi(times);

	ask(write_stack);
	while (count-- > 0) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		while (open("/dev/null", O_RDWR) < 700)
			continue;
		ask(write_stack);
	}
	return 0;
}

static int in_child(const char *unused)
{
	int status;

	(void)unused;
	ask(write_stack);
	if (fork() == 0) {
		ask(write_stack);
		_exit(0);
	}
	wait(&status);
	ask(write_stack);
	return status;
}

/* A child that never asks, and outlives its parent. */
static int left_behind(const char *unused)
{
	(void)unused;
	ask(write_stack);
	if (fork() == 0) {
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		sleep(20);
		_exit(0);
	}
	return 0;
}

static int in_vfork(const char *unused)
{
	(void)unused;
	ask(write_stack);
	if (vfork() == 0) {
		write_stack();
		_exit(0);
	}
	ask(write_stack);
	return 0;
}

/* Ask from all sides at once, and compare with what one alone was told. */
enum { THREADS = 8, ROUNDS = 40, PLACES = 25 };

static char *known[PLACES];

static char *chain_of(int place)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fprintf(file, "%d\n",
		write_chain(file, (uintptr_t)write_stack + 11 * place));
	fclose(file);
	return text;
}

static void *compare(void *first)
{
	for (int i = 0; i < ROUNDS; i++) {
		int place = (i + *(int *)first) % PLACES;
		char *text = chain_of(place);

		if (strcmp(text, known[place]) != 0)
			printf("different:\n%sknown:\n%s", text, known[place]);
		free(text);
	}
	return NULL;
}

static int in_threads(const char *unused)
{
	pthread_t threads[THREADS];
	int first[THREADS];

	(void)unused;
	for (int i = 0; i < PLACES; i++)
		known[i] = chain_of(i);
	for (int i = 0; i < THREADS; i++) {
		first[i] = 3 * i;
		pthread_create(&threads[i], NULL, compare, &first[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	puts(known[0]);
	return 0;
}

/* A signal in the middle of a request of its own thread.  Each alarm sets the next: handlers that
 * take longer than the time between two would leave none to what they interrupt. */
static volatile sig_atomic_t goes_on;

static void set_alarm(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 0, 700 } }, NULL);
}

static void on_alarm(int signal)
{
	int kept = errno = 4711;

	(void)signal;
	write_stack();
	if (errno != kept)
		fprintf(stderr, "errno has changed\n");
	if (goes_on)
		set_alarm();
}

static int in_handler(const char *unused)
{
	struct sigaction action = { .sa_handler = on_alarm,
				    .sa_flags = SA_RESTART };

	(void)unused;
	sigaction(SIGALRM, &action, NULL);
	goes_on = 1;
	set_alarm();
	while (turns < 400)
		write_stack();
	goes_on = 0;
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	fputs("and now\n", stderr);
	ask(write_stack);
	return 0;
}

/* A request that is never ended, since its handler leaves it, or its thread. */
static sigjmp_buf before_request;

static void on_leaving(int signal)
{
	(void)signal;
	siglongjmp(before_request, 1);
}

static void on_ending(int signal)
{
	(void)signal;
	syscall(SYS_exit, 0);
}

static void interrupt_soon(void (*handler)(int signal))
{
	struct sigaction action = { .sa_handler = handler };
	const struct itimerspec soon = { .it_value.tv_nsec = 300000000 };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SIGUSR1 };
	timer_t timer;

	event._sigev_un._tid = (int)syscall(SYS_gettid);
	sigaction(SIGUSR1, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &soon, NULL);
}

static void *ask_and_end(void *unused)
{
	interrupt_soon(on_ending);
	ask(write_stack);
	return unused;
}

static int leave_request(const char *how)
{
	pthread_t thread;

	if (strcmp(how, "jump") == 0) {
		interrupt_soon(on_leaving);
		if (sigsetjmp(before_request, 1) == 0)
			ask(write_stack);
	} else {
		pthread_create(&thread, NULL, ask_and_end, NULL);
		pthread_join(thread, NULL);
	}
	fputs("\nand now\n", stderr);
	ask(write_stack);
	return 0;
}

/* How much of its stack a handler's backtrace takes, less the signal's own frame. */
static void on_small_stack(int signal)
{
	(void)signal;
	full_backtrace();
}

static int small_stack(const char *unused)
{
	enum { SIZE = 65536, MARK = 0xa5 };
	static unsigned char bytes[SIZE];
	const stack_t stack = { .ss_sp = bytes, .ss_size = SIZE };
	struct sigaction action = { .sa_handler = on_small_stack,
				    .sa_flags = SA_ONSTACK };
	size_t free_size = 0;

	(void)unused;
	memset(bytes, MARK, SIZE);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	while (free_size < SIZE && bytes[free_size] == MARK)
		free_size++;
	printf("%ld\n", SIZE - (long)free_size - (long)getauxval(AT_MINSIGSTKSZ));
	return 0;
}

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		int (*run)(const char *argument);
	} runs[] = {
		{ "resolve", resolve },	   { "statuses", statuses },
		{ "stack", stack },	   { "backtrace", backtrace },
		{ "late", start_late },	   { "options", options },
		{ "elsewhere", from_elsewhere }, { "close", close_all },
		{ "child", in_child },	   { "left", left_behind },
		{ "vfork", in_vfork },	   { "threads", in_threads },
		{ "handler", in_handler }, { "after", after_command },
		{ "small", small_stack },
		{ "leave", leave_request },
	};

	int status = 2;

	if (argc < 2)
		return status;
	init_function_table(argv[0]);
	write_bias();
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
		if (strcmp(runs[i].name, argv[1]) == 0)
			status = runs[i].run(argv[2]);
	turns++; /* no tail call */
	return status;
}
