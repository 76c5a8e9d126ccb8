/* SPDX-License-Identifier: MIT */
/* count.c - what do the records of these files say, read by their definition in
 * uftrace's documentation?
 *
 * Prints the entries, exits and lost events of all, and fails where a record is none,
 * a time is before the one above, or a depth does not follow.
 */
#include <stdint.h>
#include <stdio.h>

enum { ENTRY, EXIT, LOST, MARK = 5, DEPTHS = 1024 };

static uint64_t counts[3];

static int check(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint64_t record[2], last = 0, at = 0;
	unsigned depth = 0;

	for (; file && fread(record, sizeof(record), 1, file) == 1; at++) {
		unsigned type = record[1] & 3, mark = record[1] >> 3 & 7;
		unsigned said = record[1] >> 6 & (DEPTHS - 1);

		if (at == 0 && type != LOST) /* a child's parent has calls open */
			depth = said + (type == EXIT);
		if (type > LOST || mark != MARK || record[0] < last ||
		    (type != LOST && said != (type == ENTRY ? depth : depth - 1))) {
			fprintf(stderr, "%s: record %llu is wrong\n", path,
				(unsigned long long)at);
			return 1;
		}
		last = record[0];
		counts[type] += type == LOST ? record[1] >> 16 : 1;
		depth += type == ENTRY ? 1 : type == EXIT ? -1u : 0;
	}
	return !file || fclose(file) != 0;
}

int main(int argc, char *argv[])
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= check(argv[i]);
	printf("%llu entries, %llu exits, %llu lost\n",
	       (unsigned long long)counts[ENTRY], (unsigned long long)counts[EXIT],
	       (unsigned long long)counts[LOST]);
	return failed;
}
