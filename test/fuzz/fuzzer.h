/* SPDX-License-Identifier: MIT */
/* fuzzer.h - what the fuzzers have in common.
 *
 * A fuzzer makes an input by a grammar: wherever the grammar leaves a choice, bytes of
 * the data that it was given decide.  Any data are an input, so that random ones will do
 * (driver.c) as well as those that libFuzzer finds to reach new code.
 */
#ifndef FUZZ_FUZZER_H
#define FUZZ_FUZZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The fuzzer itself: makes one input of DATA and gives it to what is tried.  Does not
 * return where that does what it must not. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The name of the fuzzer, for messages and files. */
extern const char fuzz_name[];

/* What decides, and how much of it is left. */
struct choices {
	const uint8_t *next, *end;
};

/* A number below BOUND, which is above 0; 0 when no data are left. */
size_t choose(struct choices *choices, size_t bound);

/* Once in so many times; never when no data are left. */
bool chance(struct choices *choices, unsigned in);

/* Any number, of any length; often one at an edge of what some type can hold. */
uint64_t any_number(struct choices *choices);

/* One of the words in LIST, NULL at its end. */
const char *one_of(struct choices *choices, const char *const list[]);

/* An input in the making. */
struct text {
	char *bytes;
	size_t size, room;
};

void text_clear(struct text *text);
void text_free(struct text *text);
void text_put(struct text *text, const void *bytes, size_t size);
void text_print(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A name as programs have them or as they should not have them: control bytes, broken
 * UTF-8, quotes, escapes, none at all. */
void text_name(struct text *text, struct choices *choices);

/* Change, repeat, move or cut some bytes, whatever they mean; or leave all as it is. */
void text_damage(struct text *text, struct choices *choices);

/* Fail where a terminal would obey what is there, or it is no text. */
void check_printable(const char *text, size_t size);

/* Say what is wrong, and abort. */
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A directory of this process alone, in memory where there is such a file system, that
 * is removed at its end. */
const char *fuzz_dir(void);

/* Write TEXT to NAME in fuzz_dir(). */
void fuzz_write(const char *name, const struct text *text);

#endif
