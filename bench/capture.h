/* SPDX-License-Identifier: MIT */
/* capture.h - what capture.c asks of a way to take a stack. */
#ifndef BENCH_CAPTURE_H
#define BENCH_CAPTURE_H

#include <stddef.h>

enum { FRAMES = 32 };

struct capturer {
	const char *name;
	/* Take FRAMES frames; returns how many there were. */
	size_t (*capture)(void);
	/* The function that is measured: where it lies says whose it is. */
	const void *function;
	void (*prepare)(void); /* may be NULL */
};

/* Ends with a NULL name. */
extern const struct capturer capturers[];

#endif
