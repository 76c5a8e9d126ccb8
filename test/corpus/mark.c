/* SPDX-License-Identifier: MIT */
/* mark.c - capture the stack and write its pcs, a line each time.
 *
 *	mark NAME STOP PC PC ...
 *	crash NAME STOP PC PC ...
 */
#include "mark.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <whocallme.h>

enum { MAX_FRAMES = 256, ALT_STACK = 256 * 1024 };

sigjmp_buf crash_return;
const char *volatile crash_name;
volatile int tables_loaded;

static int output(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open(getenv("CORPUS_OUTPUT"),
			  O_WRONLY | O_CREAT | O_APPEND, 0600);
	return fd;
}

static char *put_text(char *at, const char *text)
{
	for (; *text; text++)
		*at++ = *text == ' ' ? '-' : *text;
	*at++ = ' ';
	return at;
}

static char *put_hex(char *at, uintptr_t value)
{
	char digits[17] = "", *from = digits + 16;

	do
		*--from = "0123456789abcdef"[value & 15];
	while (value >>= 4);
	return put_text(at, from);
}

static void write_stack(const char *kind, const char *name,
			const struct wcm_frame *frames, size_t count,
			enum wcm_stop stop)
{
	static char line[128 + 20 * MAX_FRAMES];
	char *at = put_text(put_text(line, kind), name);

	at = put_hex(at, stop);
	for (size_t i = 0; i < count; i++)
		at = put_hex(at, frames[i].pc);
	at[-1] = '\n';
	if (write(output(), line, (size_t)(at - line)) != at - line)
		abort();
}

NOINLINE void mark(const char *name)
{
	struct wcm_frame frames[MAX_FRAMES];
	enum wcm_stop stop;
	size_t count = wcm_stack_capture(frames, MAX_FRAMES, 0, &stop);

	write_stack("mark", name, frames, count, stop);
}

static void on_crash(int signal, siginfo_t *info, void *context)
{
	struct wcm_frame frames[MAX_FRAMES];
	enum wcm_stop stop;
	size_t count;

	(void)signal;
	(void)info;
	count = wcm_stack_capture_from(context, frames, MAX_FRAMES, 0, &stop);
	write_stack("crash", crash_name, frames, count, stop);
	mark(crash_name);
	siglongjmp(crash_return, 1);
}

void catch_crashes(void)
{
	struct sigaction action = { .sa_sigaction = on_crash,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_size = ALT_STACK };

	stack.ss_sp = mmap(NULL, ALT_STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGILL, &action, NULL);
}

void run_rounds(void (*scenes)(void))
{
	scenes();
	init_function_table(NULL);
	tables_loaded = 1;
	scenes();
	scenes();
}
