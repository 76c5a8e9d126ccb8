/* SPDX-License-Identifier: MIT */
/* written.h (SAFE) - tells whether a part of a file costs its maker something, too.
 *
 * A sparse file may be of any size at no cost to its maker, and reads as zeros, at full
 * cost to its reader.  Honest files have holes, too, between segments that are aligned to
 * large pages, and where their zeros were not copied: what counts is how much of the part
 * that is to be read is written, not how the file is made.
 */
#ifndef WCM_FORMAT_WRITTEN_H
#define WCM_FORMAT_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a sixteenth of the SIZE bytes of the file FD from OFFSET on is written at least, or
 * they are few. */
bool wcm__is_written(int fd, uint64_t offset, uint64_t size);

#endif
