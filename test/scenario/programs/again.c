/* SPDX-License-Identifier: MIT */
/* again.c - loads names three times: at first, at once again, and when the library
 * that it is given has been opened.  A line on stdout stands before each, and one at
 * the end. */
#include <dlfcn.h>
#include <unistd.h>
#include <whocallme.h>

extern const char large[];
const char *volatile needed = large;

static void say(const char *line, size_t size)
{
	if (write(STDOUT_FILENO, line, size) < 0)
		_exit(2);
}

int main(int argc, char *argv[])
{
	say("first\n", 6);
	init_function_table(argv[0]);
	say("again\n", 6);
	init_function_table(argv[0]);
	say("opened\n", 7);
	if (argc > 1 && !dlopen(argv[1], RTLD_NOW))
		return 1;
	say("third\n", 6);
	init_function_table(argv[0]);
	say("end\n", 4);
	return 0;
}
