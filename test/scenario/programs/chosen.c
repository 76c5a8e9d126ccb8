/* SPDX-License-Identifier: MIT */
/* chosen.c - a program of three functions, which make two library calls and two system calls.
 * "api" has it start its own trace, of no function but all the rest; "last" runs it after "here" is
 * said and a line is read, for whocallme trace -p. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <whocallme.h>

#pragma weak wcm_trace_start

__attribute__((noinline)) static int two(void)
{
	return (int)getpgid(0) + (int)lseek(0, 0, SEEK_CUR);
}

__attribute__((noinline)) static int one(void)
{
	return two() + 1;
}

int main(int argc, char *argv[])
{
	const struct wcm_trace_filter filter = { .not_functions = "*" };
	const struct wcm_trace_options options = {
		.mode = WCM_TRACE_LOG, .system_calls = "getpgid,lseek",
		.library_calls = "getpgid,lseek", .filter = &filter,
	};
	char line[8];

	if (argc > 1 && strcmp(argv[1], "api") == 0)
		wcm_trace_start(&options);
	if (argc > 1 && strcmp(argv[1], "last") == 0) {
		puts("here");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	return one() == 0;
}
