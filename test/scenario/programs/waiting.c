/* SPDX-License-Identifier: MIT */
/* waiting.c - run a program and say how it ended, as waitid(2) tells. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	siginfo_t info = { 0 };
	pid_t child = fork();

	(void)argc;
	if (child == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (waitid(P_PID, (id_t)child, &info, WEXITED) != 0)
		return 1;
	printf("%s %d\n",
	       info.si_code == CLD_EXITED   ? "exited"
	       : info.si_code == CLD_KILLED ? "killed"
	       : info.si_code == CLD_DUMPED ? "dumped"
					    : "other",
	       info.si_status);
	return 0;
}
