/* SPDX-License-Identifier: MIT */
/* own_bytes.c (SAFE) - copies, clears, compares and searches bytes: see own_bytes.h.
 *
 * Nearly all that is copied is a name or a small struct, in words whose last may overlap the one
 * before it.  All loads of a step come before its stores, so that a step may overlap itself.  No
 * byte is read that was not asked for.  Compilers take a loop over bytes for one of these
 * functions and call it, here for ever; what they cannot see into keeps them from that.
 */
#include "core/os/own_bytes.h"

#include <stdint.h>

typedef size_t word __attribute__((may_alias, aligned(1)));
typedef uint32_t half __attribute__((may_alias, aligned(1)));

enum { WORD = sizeof(word), HALF = sizeof(half), STEP = 4 * WORD };

#define UNSEEN(pointer) __asm__ volatile("" : "+r"(pointer))

__attribute__((always_inline)) static inline void copy_step(char *to, const char *from)
{
	const word a = ((const word *)from)[0], b = ((const word *)from)[1];
	const word c = ((const word *)from)[2], d = ((const word *)from)[3];

	((word *)to)[0] = a;
	((word *)to)[1] = b;
	((word *)to)[2] = c;
	((word *)to)[3] = d;
}

/* At most a step. */
__attribute__((always_inline)) static inline void copy_few(char *to, const char *from, size_t size)
{
	char *const end = to + size;
	const char *const last = from + size;

	if (size >= 2 * WORD) {
		const word a = ((const word *)from)[0], b = ((const word *)from)[1];
		const word c = ((const word *)last)[-2], d = ((const word *)last)[-1];

		((word *)to)[0] = a;
		((word *)to)[1] = b;
		((word *)end)[-2] = c;
		((word *)end)[-1] = d;
	} else if (size >= WORD) {
		const word a = *(const word *)from, b = ((const word *)last)[-1];

		*(word *)to = a;
		((word *)end)[-1] = b;
	} else if (size >= HALF) {
		const half a = *(const half *)from, b = ((const half *)last)[-1];

		*(half *)to = a;
		((half *)end)[-1] = b;
	} else if (size > 0) {
		const char a = from[0], b = from[size / 2], c = last[-1];

		to[0] = a;
		to[size / 2] = b;
		end[-1] = c;
	}
}

/* Apart, so that few bytes need no registers but those that a call may change. */
__attribute__((noinline)) static void *copy_many(void *to, const void *from, size_t size)
{
	char *at = to;
	const char *next = from;

	for (; size > STEP; size -= STEP, at += STEP, next += STEP) {
		UNSEEN(at);
		copy_step(at, next);
	}
	copy_few(at, next, size);
	return to;
}

void *wcm__memcpy(void *to, const void *from, size_t size)
{
	if (size > STEP)
		return copy_many(to, from, size);
	copy_few(to, from, size);
	return to;
}

/* Downwards where the bytes move up into bytes that are still to be read. */
void *wcm__memmove(void *to, const void *from, size_t size)
{
	char *at = (char *)to + size;
	const char *next = (const char *)from + size;

	if ((uintptr_t)to - (uintptr_t)from >= size)
		return wcm__memcpy(to, from, size);
	for (; size > STEP; size -= STEP) {
		at -= STEP;
		next -= STEP;
		UNSEEN(at);
		copy_step(at, next);
	}
	copy_few(to, from, size);
	return to;
}

void *wcm__memset(void *to, int byte, size_t size)
{
	const word all = (word)-1 / 0xff * (unsigned char)byte;
	char *at = to;

	for (; size >= STEP; size -= STEP, at += STEP) {
		UNSEEN(at);
		((word *)at)[0] = all;
		((word *)at)[1] = all;
		((word *)at)[2] = all;
		((word *)at)[3] = all;
	}
	for (; size >= WORD; size -= WORD, at += WORD) {
		UNSEEN(at);
		*(word *)at = all;
	}
	for (; size > 0; size--, at++) {
		UNSEEN(at);
		*at = (char)byte;
	}
	return to;
}

int wcm__memcmp(const void *one, const void *other, size_t size)
{
	const unsigned char *a = one, *b = other;

	for (; size >= WORD && *(const word *)a == *(const word *)b; size -= WORD) {
		a += WORD;
		b += WORD;
		UNSEEN(a);
	}
	for (; size > 0; size--, a++, b++) {
		UNSEEN(a);
		if (*a != *b)
			return *a - *b;
	}
	return 0;
}

void *wcm__memchr(const void *from, int byte, size_t size)
{
	const unsigned char *at = from;

	for (; size > 0; size--, at++) {
		UNSEEN(at);
		if (*at == (unsigned char)byte)
			return (void *)at;
	}
	return NULL;
}

size_t wcm__strlen(const char *string)
{
	const char *end = string;

	for (; *end; end++)
		UNSEEN(end);
	return (size_t)(end - string);
}

char *wcm__strrchr(const char *string, int byte)
{
	const char *found = NULL;

	for (;; string++) {
		UNSEEN(string);
		if (*string == (char)byte)
			found = string;
		if (!*string)
			return (char *)found;
	}
}
