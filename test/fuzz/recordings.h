/* SPDX-License-Identifier: MIT */
/* recordings.h - recordings by their grammar. */
#ifndef FUZZ_RECORDINGS_H
#define FUZZ_RECORDINGS_H

#include "fuzzer.h"

/* Make one in fuzz_dir(), in place of the last. */
void recording_make(struct choices *choices);

#endif
