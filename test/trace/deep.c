/* SPDX-License-Identifier: MIT */
/* deep.c - a program that calls itself as deep as the first argument says, and there
 * does what the second says.  It prints how many calls each of its processes made.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHALLOW = 3 };

static long calls;
static jmp_buf top;
static const char *program, *task;

static void at_the_bottom(void)
{
	pid_t child;

	calls++;
	if (strcmp(task, "fork") == 0) {
		child = fork();
		if (child == 0)
			calls = 0;
		else
			waitpid(child, NULL, 0);
	} else if (strcmp(task, "exec") == 0) {
		printf("%ld\n", calls);
		fflush(stdout);
		execl(program, program, "3000", "return", (char *)NULL);
	} else if (strcmp(task, "jump") == 0) {
		longjmp(top, 1);
	} else if (strcmp(task, "exit") == 0) {
		printf("%ld\n", calls);
		exit(0);
	}
}

static void down(int more)
{
	calls++;
	if (more > 1)
		down(more - 1);
	else
		at_the_bottom();
	__asm__ volatile("");
}

int main(int argc, char *argv[])
{
	calls++;
	program = argv[0];
	task = argc > 2 ? argv[2] : "return";
	if (setjmp(top) == 0)
		down(argc > 1 ? atoi(argv[1]) : 1);
	task = "return";
	down(SHALLOW);
	printf("%ld\n", calls);
	return 0;
}
