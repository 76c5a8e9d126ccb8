/* SPDX-License-Identifier: MIT */
/* record_dir.h - the directory of a recording, as uftrace has it. */
#ifndef WCM_TRACE_RECORD_DIR_H
#define WCM_TRACE_RECORD_DIR_H

#include <stdbool.h>
#include <stdio.h>

#include "whocallme/base.h"

/* Have the directory NAME, %p being the process, take a recording: wcm__recording is
 * about it from now on.  One of another run is kept as NAME.old.  *JOINED: this
 * process belongs to the run that it is of, and is not the first.  A run is what the
 * file `whocallme` in it says: a number, which WHOCALLME_RECORDING repeats in the
 * environment, the first process and when that was started.  WCM_EOPEN, and the cause on stderr,
 * where there is to be none. */
enum wcm_status wcm__record_dir_open(const char *name, bool *joined);

/* The file NAME of it, as for fopen(3). */
FILE *wcm__record_dir_file(const char *name, const char *mode);
/* False where not all of it was written. */
bool wcm__record_dir_close(FILE *file);

void wcm__record_dir_remove(const char *name);

/* Cut off what threads that ended without a word, as by _exit(2), have left at the end
 * of their files. */
void wcm__record_dir_trim(void);

#endif
