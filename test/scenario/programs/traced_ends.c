/* SPDX-License-Identifier: MIT */
/* traced_ends.c - a traced program that ends, or treats its descriptors, as its
 * argument says.  It calls 2 + 3 * ROUNDS functions before it does. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROUNDS = 300, DESCRIPTORS = 2000 };

static void one(void)
{
}

static void two(void)
{
}

static void round_of(int i)
{
	one();
	if (i >= 0)
		two();
}

static void rounds(void)
{
	for (int i = 0; i < ROUNDS; i++)
		round_of(i);
}

/* Every number is taken, by a file that is not the trace's. */
__attribute__((no_instrument_function)) static void take_descriptors(void)
{
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		close(fd);
	if (chdir("/") != 0 || open(getenv("VICTIM"), O_RDWR | O_CREAT, 0600) != 0)
		_exit(99);
	for (int fd = 1; fd < DESCRIPTORS; fd++)
		if (dup(0) < 0)
			break;
}

__attribute__((no_instrument_function)) static void die(const char *how,
							char *self)
{
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(0);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "exec") == 0)
		execl(self, self, "return", (char *)NULL);
	if (strcmp(how, "exit") == 0)
		exit(0);
}

int main(int argc, char *argv[])
{
	const char *how = argc > 1 ? argv[1] : "return";

	if (strcmp(how, "close") == 0)
		take_descriptors();
	if (strcmp(how, "daemon") == 0 && daemon(0, 0) != 0)
		return 99;
	rounds();
	die(how, argv[0]);
	return 0;
}
