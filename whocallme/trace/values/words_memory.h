/* SPDX-License-Identifier: MIT */
/* words_memory.h (SAFE) - what is at an address as words; read without faulting. */
#ifndef WCM_VALUES_WORDS_MEMORY_H
#define WCM_VALUES_WORDS_MEMORY_H

#include "format/words.h"

enum {
	WCM_WORDS_SHOWN = 32,       /* bytes of a string, or of data, by default */
	WCM_WORDS_SHOWN_MOST = 512, /* by -s, at most */
	WCM_WORDS_SHOWN_PATH = 512, /* bytes of a path */
};

/* The zero-terminated string at ADDRESS: "abc\n", cut after words->shown bytes:
 * "abc"..., NULL, or the address where it cannot be read.  A path is cut later. */
void wcm__words_string(struct wcm_words *words, uintptr_t address);
void wcm__words_path(struct wcm_words *words, uintptr_t address);

/* SIZE bytes at ADDRESS, by wcm__words_bytes(); cut after words->shown bytes. */
void wcm__words_data(struct wcm_words *words, uintptr_t address, uint64_t size);

/* The path of descriptor FD of this thread, if WORDS show it: </tmp/a b>, <socket:[4711]>.  The
 * other is of a directory, which AT_FDCWD may be. */
void wcm__words_descriptor_path(struct wcm_words *words, int fd);
void wcm__words_directory_path(struct wcm_words *words, int fd);

/* A pointer to a function: &name where a function that is known begins at ADDRESS, else as
 * any address. */
void wcm__words_function(struct wcm_words *words, uintptr_t address);

#endif
