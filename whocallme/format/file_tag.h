/* SPDX-License-Identifier: MIT */
/* file_tag.h (SAFE) - a number for a file that no other file, and no later content, has.
 *
 * A module without a build-id is known by the file that it was mapped from: device, inode,
 * size and time of modification, in one number, which the process and the resolver make alike.
 * It is a hash, and never 1, which stands for one that is not known (core/modules/module_origin.h).
 */
#ifndef WCM_FORMAT_FILE_TAG_H
#define WCM_FORMAT_FILE_TAG_H

#include <stdint.h>

/* That of the open file FD, or of the file at PATH.  0: there is no regular file. */
uint64_t wcm__file_tag(int fd);
uint64_t wcm__file_tag_at(const char *path);

#endif
