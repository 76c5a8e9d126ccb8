/* SPDX-License-Identifier: MIT */
/* targets.h - random addresses to look up, and the names that nm gives them. */
#ifndef BENCH_TARGETS_H
#define BENCH_TARGETS_H

#include <stddef.h>
#include <stdint.h>

struct target {
	uint64_t address; /* somewhere in a function, in the file's numbering */
	char *name;
};

/* Choose COUNT targets from LIST, a file of nm's lines "ADDRESS SIZE NAME" in
 * hexadecimal; the same ones each time. */
struct target *targets_read(const char *list, size_t count);

/* Look the COUNT targets up with FIND, which is given the address plus BIAS;
 * emit "find_ns", the median time of one, and "agree", the share of them that
 * has nm's name.  Stops early where it takes long. */
void targets_measure(const struct target *target, size_t count, uint64_t bias,
		     const char *(*find)(uint64_t address));

#endif
