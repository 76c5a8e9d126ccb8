/* SPDX-License-Identifier: MIT */
/* places.c - writes the stack of the place that its argument names to stdout,
 * and why it ends there. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <whocallme.h>

#define NOINLINE __attribute__((noinline))
#define KEEP() __asm__ volatile("" ::: "memory")

enum { MOST = 64, PAGE = 4096, STACK = 64 * 1024 };

/* unusual.S */
void own_restorer(void);
void fiber_switch(void *saved_sp, void *sp);
void zero_rbp(void (*function)(void));
void loses_its_page(void);

static void write_frames(const struct wcm_frame *frames, size_t count,
			 enum wcm_stop stop)
{
	wcm_stack_write(STDOUT_FILENO, frames, count);
	dprintf(STDOUT_FILENO, "%s\n", wcm_stop_text(stop));
}

NOINLINE static void write_here(void)
{
	struct wcm_frame frames[MOST];
	enum wcm_stop stop;
	size_t count = wcm_stack_capture(frames, MOST, 0, &stop);

	write_frames(frames, count, stop);
}

static void on_signal(int signal)
{
	(void)signal;
	write_here();
	KEEP();
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	struct wcm_frame frames[MOST];
	enum wcm_stop stop;
	size_t count = wcm_stack_capture_from(context, frames, MOST, 0, &stop);

	(void)signal, (void)info;
	write_frames(frames, count, stop);
	_exit(0);
}

/* The kernel's struct sigaction, which names the trampoline. */
NOINLINE static void trampoline(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action = { on_signal, 0x04000000 /* SA_RESTORER */, own_restorer, 0 };

	syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, sizeof(action.mask));
	raise(SIGUSR1);
	KEEP();
}

/* A stack whose first function has nowhere to return to. */
static void *fiber_sp, *thread_sp;

static void fiber(void)
{
	write_here();
	fiber_switch(&fiber_sp, thread_sp);
	abort();
}

NOINLINE static void in_fiber(void)
{
	enum { SAVED = 6, WORDS = STACK / sizeof(void *) };
	static void *stack[WORDS];
	void **sp = stack + WORDS - 8; /* 16-byte aligned when it is called */

	*--sp = NULL;
	*--sp = (void *)fiber;
	sp -= SAVED;
	fiber_switch(&thread_sp, sp);
	KEEP();
}

/* Code of no module that keeps a frame pointer, the first of its mapping. */
NOINLINE static void made_code(void)
{
	/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5,
					      0xff, 0xd7, 0x5d, 0xc3 };
	char *pages = mmap(NULL, 3 * PAGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(pages + PAGE, code, sizeof(code));
	((void (*)(void (*)(void)))(pages + PAGE))(write_here);
	KEEP();
}

static void backtrace_on_signal(int signal)
{
	(void)signal;
	full_backtrace();
}

NOINLINE static void *small(void *argument)
{
	who_call_me();
	signal(SIGUSR1, backtrace_on_signal);
	raise(SIGUSR1);
	KEEP();
	return argument;
}

static void *forks(void *argument)
{
	fflush(stdout);
	if (fork() == 0) {
		write_here();
		_exit(0);
	}
	wait(NULL);
	return argument;
}

/* A fiber's stack right below its thread's, used, and used again when it can be
 * read no more. */
static char *below;

static void *loses_its_stack(void *argument)
{
	enum { SAVED = 6 };
	static char alternate[STACK];
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = alternate, .ss_size = STACK };
	void **sp = (void **)(below + STACK) - 8;

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	*--sp = NULL;
	*--sp = (void *)fiber;
	fiber_switch(&thread_sp, sp - SAVED);
	mprotect(below, STACK, PROT_NONE);
	fiber_switch(&thread_sp, fiber_sp);
	return argument;
}

static void lost_stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	below = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, below + STACK, STACK);
	pthread_create(&thread, &attributes, loses_its_stack, NULL);
	pthread_join(thread, NULL);
}

static void run(void *(*body)(void *), size_t stack_size)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, stack_size) != 0)
		exit(77);
	pthread_create(&thread, &attributes, body, NULL);
	pthread_join(thread, NULL);
}

static void small_stack(void)
{
	run(small, 16 * 1024);
}

static void forked(void)
{
	run(forks, STACK);
}

NOINLINE static void lost_page(void)
{
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	loses_its_page();
	KEEP();
}

NOINLINE static void zero(void)
{
	zero_rbp(write_here);
	KEEP();
}

static const struct {
	const char *name;
	void (*go)(void);
} places[] = {
	{ "trampoline", trampoline }, { "fiber", in_fiber },
	{ "made-code", made_code },   { "small", small_stack },
	{ "forked", forked },         { "lost-page", lost_page },
	{ "lost-stack", lost_stack }, { "zero", zero },
};

int main(int argc, char *argv[])
{
	init_function_table(argv[0]);
	for (size_t i = 0; argc > 1 && i < sizeof(places) / sizeof(*places); i++)
		if (strcmp(argv[1], places[i].name) == 0)
			return places[i].go(), 0;
	return 2;
}
