/* SPDX-License-Identifier: MIT */
/* left.c - a hook is left by a long jump; what is called afterwards is traced.  With
 * the trace's file as an argument: by many; none leaves the file locked. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static sigjmp_buf back;

__attribute__((no_instrument_function)) static void leave(int signal)
{
	siglongjmp(back, signal);
}

static void last(void)
{
	__asm__ volatile("");
}

/* The trace goes to a pipe that nobody reads: the hook blocks, and the alarm
 * finds it there. */
static void fill(void)
{
	for (;;)
		last();
}

/* Move what is in the pipe to TO. */
__attribute__((no_instrument_function)) static void drain(int pipe, int to)
{
	char some[4096];
	ssize_t size;

	while ((size = read(pipe, some, sizeof(some))) > 0)
		if (write(to, some, (size_t)size) < 0)
			return;
}

__attribute__((no_instrument_function)) static int leave_often(const char *path)
{
	const int file = open(path, O_RDONLY);
	int locked = 0;

	for (volatile int i = 0; i < 1000; i++) {
		if (sigsetjmp(back, 1) == 0) {
			ualarm(500, 0);
			fill();
		}
		if (flock(file, LOCK_EX | LOCK_NB) != 0)
			locked++;
		flock(file, LOCK_UN);
	}
	printf("locked %d\n", locked);
	return 0;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = leave };
	int pipe = open("/proc/self/fd/2", O_RDONLY | O_NONBLOCK);

	sigaction(SIGALRM, &action, NULL);
	if (argc > 1)
		return leave_often(argv[1]);
	if (sigsetjmp(back, 1) == 0) {
		ualarm(200000, 0);
		fill();
	}
	drain(pipe, open("/dev/null", O_WRONLY));
	last();
	drain(pipe, STDOUT_FILENO);
	return 0;
}
