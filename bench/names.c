/* SPDX-License-Identifier: MIT */
/* names.c - how long does a file take to load, and a random address to name?
 *
 *	names FILE LIST
 *
 * One contender in one fresh process, with FILE in the page cache.
 */
#include "names.h"

#include <unistd.h>

#include "clock.h"
#include "targets.h"

enum { TARGETS = 65536 };

/* Memory of our own: resident, less what is shared with a file. */
static double private_bytes(void)
{
	unsigned long size = 0, resident = 0, shared = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%lu %lu %lu", &size, &resident, &shared) != 3)
		give_up("/proc/self/statm cannot be read");
	fclose(file);
	return (double)(resident - shared) * (double)sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv)
{
	struct target *target;
	double start, before;

	if (argc != 3)
		give_up("usage: names FILE LIST");
	target = targets_read(argv[2], TARGETS);
	before = private_bytes();
	start = clock_ns();
	if (!names_load(argv[1], target[0].address))
		give_up("the file cannot be loaded");
	emit("load_ns", clock_ns() - start);
	emit("memory", private_bytes() - before);
	if (names_can_find)
		targets_measure(target, TARGETS, 0, names_find);
	return 0;
}
