/* SPDX-License-Identifier: MIT */
/* record_dir.h - makes, joins or replaces the directory of a recording, as uftrace lays it out. */
#ifndef WCM_MODES_RECORD_DIR_H
#define WCM_MODES_RECORD_DIR_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>

#include "whocallme/base.h"

/* Have the directory NAME, %p being the process, take a recording: wcm__recording is
 * about it from now on.  It is new, or empty, or that of the run that this process belongs
 * to: then *JOINED says that the process is not the first.  A recording of another run is
 * kept as NAME.old, instead of an older one, if it is proven to be one (format/proof.h),
 * and if REPLACE or by the default name.  A run is what the file `whocallme` says: a
 * number, which WHOCALLME_RECORDING repeats in the environment, the first process and when
 * that was started.  WCM_EOPEN, and the cause on stderr, where there is to be none. */
enum wcm_status wcm__record_dir_open(const char *name, bool replace, bool *joined);

/* The file NAME of it, FLAGS as for open(2), as a stream to read, or to write, or to
 * append to. */
FILE *wcm__record_dir_file(const char *name, int flags);
/* What makes one that is not there. */
enum { WCM_NEW_FILE = O_WRONLY | O_CREAT | O_EXCL };
/* False where not all of it was written. */
bool wcm__record_dir_close(FILE *file);

void wcm__record_dir_remove(const char *name);

/* Cut off what threads that ended without a word, as by _exit(2), have left at the end
 * of their files.  Add to *BYTES, unless it is NULL, how many bytes all threads' files have. */
void wcm__record_dir_trim(uint64_t *bytes);

#endif
